/**
 * What one small read costs the server's processor through the whole plane, against a bare `Bun.serve` that sends
 * the same headers and bytes. Server and client are processes of their own; processor time comes from /proc.
 */
import { readFileSync } from 'node:fs'
import { Type } from '@sinclair/typebox'
import { route } from '../../src/server/route.ts'
import { serve } from '../server/serve.ts'

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

function serveBare(): string {
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    reusePort: false,
    fetch: () =>
      new Response(JSON.stringify({ ...BEAD }), {
        headers: {
          'x-gc-request-id': '0123456789abcdef',
          vary: 'Origin',
          'x-gc-index': '1234',
          'x-gc-cache-age-s': '0',
          'content-type': 'application/json',
        },
      }),
  })
  return `http://127.0.0.1:${server.port}`
}

/** Asks as fast as it can for a while; says how many answers came. */
async function ask(url: string): Promise<number> {
  const until = performance.now() + SECONDS * 1000
  let answers = 0
  const one = async () => {
    while (performance.now() < until) {
      await (await fetch(url + PATH)).arrayBuffer()
      answers++
    }
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, one))
  return answers
}

/** Processor time of a process so far, in ticks of 10 ms. */
function ticks(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return Number(fields[11]) + Number(fields[12])
}

async function firstLine(stream: ReadableStream<Uint8Array>): Promise<string> {
  for await (const chunk of stream) return new TextDecoder().decode(chunk).trim()
  throw new Error('the server said nothing')
}

async function start(what: string) {
  const child = Bun.spawn([process.execPath, import.meta.path, what], { stdout: 'pipe', stderr: 'inherit' })
  return { child, url: await firstLine(child.stdout) }
}

/** Microseconds of processor time an answer. */
async function measure({ child, url }: Awaited<ReturnType<typeof start>>): Promise<number> {
  const before = ticks(child.pid)
  const answers = await ask(url)
  return ((ticks(child.pid) - before) * 10_000) / answers
}

async function compare(): Promise<void> {
  const servers = { bare: await start('bare'), plane: await start('plane') }
  await measure(servers.bare)
  await measure(servers.plane)
  const ratios: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const bare = await measure(servers.bare)
    const plane = await measure(servers.plane)
    ratios.push(plane / bare)
    process.stdout.write(`bare ${bare.toFixed(1)} µs, plane ${plane.toFixed(1)} µs, ${(plane / bare).toFixed(2)} ×\n`)
  }
  servers.bare.child.kill()
  servers.plane.child.kill()
  const median = ratios.sort((a, b) => a - b)[Math.floor(ROUNDS / 2)] ?? Number.NaN
  process.stdout.write(`one read over HTTP: ${median.toFixed(2)} × bare Bun.serve (target ≤ ${TARGET})\n`)
  process.exitCode = median <= TARGET ? 0 : 1
}

if (process.argv[2] === 'bare') process.stdout.write(`${serveBare()}\n`)
else if (process.argv[2] === 'plane') process.stdout.write(`${servePlane()}\n`)
else await compare()
