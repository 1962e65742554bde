import { register } from '../api/town.ts'
import { addressOf, testService, waitForState } from '../support/services.ts'
import { World } from '../support/world.ts'
import { median, say, Table, whole } from './support/figures.ts'
import { helper } from './support/helper.ts'

/**
 * Requests that gc passes on to a service, beside a bare proxy of Bun before the same service. `npm run bench proxy`.
 */

const TARGET = 0.6
const ROUNDS = 5
const SECONDS = 2
const MB = 1024 * 1024

interface Case {
  name: string
  path: string
  clients: number
  /** Bytes that are sent with each request. */
  upload?: number
}

const CASES: readonly Case[] = [
  { name: '1 KB down', path: '/zeros?bytes=1024', clients: 16 },
  { name: '1 KB up', path: '/count', clients: 16, upload: 1024 },
  { name: '10 MB down', path: `/zeros?bytes=${10 * MB}`, clients: 4 },
  { name: '10 MB up', path: '/count', clients: 4, upload: 10 * MB },
]

/** The least that a proxy does: it asks the service, and passes on what it answers. */
function serveBare(socket: string): string {
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 255,
    async fetch(request) {
      const { pathname, search } = new URL(request.url)
      const { method, headers, body } = request
      const answer = await fetch(`http://localhost${pathname}${search}`, { unix: socket, method, headers, body })
      return new Response(answer.body, { status: answer.status, headers: answer.headers })
    },
  })
  return server.url.origin
}

/** Answers a second. */
async function rate(url: string, { clients, upload }: Case): Promise<number> {
  const body = upload === undefined ? undefined : new Uint8Array(upload)
  const init = body ? { method: 'POST', body, headers: { 'X-GC-Request': '1' } } : {}
  const started = performance.now()
  const end = started + SECONDS * 1000
  let answers = 0
  const client = async (): Promise<void> => {
    while (performance.now() < end) {
      const response = await fetch(url, init)
      for await (const _chunk of response.body ?? [])
        if (response.status !== 200) throw new Error(String(response.status))
      answers++
    }
  }
  await Promise.all(Array.from({ length: clients }, client))
  return answers / ((performance.now() - started) / 1000)
}

async function compare(): Promise<void> {
  await using world = await World.open()
  const city = await register(world, 'mill', testService('echo'))
  await waitForState(city, 'echo', 'ready')
  const { body } = await city.call('GET ~/service/echo/process')
  await using child = helper(import.meta.path, 'bare', body.socket)
  const bare = await child.firstLine()
  const table = new Table()
  for (const each of CASES) {
    const ratios: number[] = []
    const rates: number[] = []
    for (let round = -1; round < ROUNDS; round++) {
      const than = await rate(bare + each.path, each)
      const ours = await rate(addressOf(city, 'echo', each.path), each)
      if (round < 0) continue
      ratios.push(ours / than)
      rates.push(ours)
      say(`  ${each.name}: bare ${whole(than)}/s, gc ${whole(ours)}/s`)
    }
    const ratio = median(ratios)
    table.row(
      each.name,
      `${ratio.toFixed(2)} × a bare proxy (${whole(median(rates))}/s)`,
      `≥ ${TARGET} ×`,
      ratio >= TARGET,
    )
  }
  table.print('requests passed on to a service')
}

if (process.argv[2] === 'bare') say(serveBare(process.argv[3] ?? ''))
else await compare()
