import { Type } from '@sinclair/typebox'
import { route } from '../../src/http/route.ts'
import { serve } from '../http/serve.ts'
import { bareServer } from './support/bare.ts'
import { median, say, Table } from './support/figures.ts'
import { helper } from './support/helper.ts'
import { load } from './support/load.ts'

/**
 * Processor cost of one small read through the whole plane, beside a bare server with the same headers and bytes. `npm
 * run bench http`.
 */

const PATH = '/v0/city/bright-lights/bead/bl-42'
const BEAD = {
  id: 'bl-42',
  title: 'Polish the lamps',
  status: 'open',
  issue_type: 'task',
  created_at: '2026-01-05T09:00:00Z',
}
const TARGET = 1.8
const ROUNDS = 5
const SECONDS = 2
const CONNECTIONS = 16

function servePlane(): string {
  const bead = Type.Object(
    {
      id: Type.String(),
      title: Type.String(),
      status: Type.String(),
      issue_type: Type.String(),
      created_at: Type.String(),
    },
    { $id: 'Bead' },
  )
  return serve({
    index: () => 1234,
    routes: [
      route('GET ~/bead/{id}', { id: 'get-bead', summary: 'Show a bead', ok: bead, index: true }, (x) => ({
        ...BEAD,
        id: x.params.id,
      })),
    ],
  }).url
}

async function compare(): Promise<void> {
  await using bare = await bareServer(JSON.stringify(BEAD))
  await using child = helper(import.meta.path, 'plane')
  const plane = { pid: child.pid, url: await child.firstLine() }
  const ratios: number[] = []
  for (let round = -1; round < ROUNDS; round++) {
    const than = await load(bare, CONNECTIONS, SECONDS, (wire) => wire.ask('GET', PATH))
    const ours = await load(plane, CONNECTIONS, SECONDS, (wire) => wire.ask('GET', PATH))
    if (round >= 0) ratios.push(ours.micros / than.micros)
    say(`  bare ${than.micros.toFixed(1)} µs, plane ${ours.micros.toFixed(1)} µs`)
  }
  const ratio = median(ratios)
  const table = new Table()
  table.row('one read', `${ratio.toFixed(2)} × the processor of bare Bun.serve`, `≤ ${TARGET} ×`, ratio <= TARGET)
  table.print('one read through the plane')
}

if (process.argv[2] === 'plane') say(servePlane())
else await compare()
