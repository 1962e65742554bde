import { describe, expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readProcess } from '../../src/host/process/process-table.ts'
import { idOf, open } from '../api/sse.ts'
import { register } from '../api/town.ts'
import { eventually } from '../support/until.ts'
import type { TestCity } from '../support/world.ts'
import { history, up, World } from './town.ts'

/** Time a process is stopped; a minute shows no more than this, and takes longer. */
const STOPPED = Number(process.env.GC_STOPPED_MS ?? 6_000)
/** Longer than a supervisor waits for a response of its session host. */
const UNANSWERED = Math.max(STOPPED, 12_000)

/** Claims one bead, and counts from then on. */
const COUNTS = `echo $$ >> "$GC_HOME/workers"
until gc hook --claim --json 2> /dev/null | grep -q bead_id; do sleep 0.1; done
n=0; while :; do n=$((n+1)); echo "n$n."; sleep 0.05; done`
const TOWN = `
[[agent]]
name = "worker"
start_command = '''${COUNTS}'''
max_active_sessions = 4
`

const workers = (world: World): number[] => {
  const path = join(world.home, 'workers')
  return existsSync(path) ? readFileSync(path, 'utf8').split('\n').filter(Boolean).map(Number) : []
}

const sling = async (city: TestCity, title: string): Promise<string> =>
  (await city.call('POST ~/beads', { body: { title, metadata: { 'gc.routed_to': 'worker' } } })).body.id

/** The same with a client that waits for its response without a timeout. */
async function patiently(world: World, title: string): Promise<string> {
  const body = JSON.stringify({ title, metadata: { 'gc.routed_to': 'worker' } })
  const headers = { 'X-GC-Request': '1', 'Content-Type': 'application/json' }
  const answer = await fetch(`${world.url}/v0/city/mill/beads`, { method: 'POST', headers, body })
  return Object(await answer.json()).id
}

interface Claim {
  bead_id: string
  session_id: string
}
const claimsOf = async (city: TestCity): Promise<Claim[]> => (await city.call('GET ~/claims')).body.items

/** A town whose workers each have a bead. */
async function atWork(world: World, count: number): Promise<{ city: TestCity; claims: Claim[] }> {
  const city = await register(world, 'mill', TOWN)
  for (let n = 0; n < count; n++) await sling(city, `work ${n}`)
  const all = () => claimsOf(city)
  return { city, claims: await eventually('all work is claimed', 30_000, all, ({ length }) => length === count) }
}

const numbers = async (city: TestCity, session: string): Promise<number[]> => {
  const text: string = (await city.call(`GET ~/session/${session}?peek=true`)).body.last_output
  return [...text.matchAll(/n(\d+)\./g)].map(([, number]) => Number(number))
}

/** Waits until a session has counted further than before. */
async function counts(city: TestCity, session: string): Promise<void> {
  const first = Math.max(...(await numbers(city, session)))
  await eventually(
    `${session} goes on`,
    15_000,
    () => numbers(city, session),
    (now) => Math.max(...now) > first,
  )
}

/** Stops a process for a while and runs an action. */
async function stopped(pid: number, ms: number, meanwhile: () => Promise<unknown> = async () => {}): Promise<void> {
  process.kill(pid, 'SIGSTOP')
  try {
    await meanwhile()
    await Bun.sleep(ms)
  } finally {
    process.kill(pid, 'SIGCONT')
  }
}

/** No claim was released and no session was restarted. */
async function unharmed(city: TestCity, claims: Claim[], pids: number[]): Promise<void> {
  expect(await claimsOf(city)).toEqual(expect.arrayContaining(claims))
  expect(workers(city.world).slice(0, pids.length)).toEqual(pids)
  expect(pids.filter((pid) => readProcess(pid)?.zombie ?? true)).toEqual([])
  const ended = (await history(city)).filter(({ type }) => /session\.(stopped|crashed|draining)|reopened/.test(type))
  expect(ended).toEqual([])
}

describe('a supervisor that is stopped for a while', () => {
  test('releases no claim, then handles the requests it received in between, and its streams continue', async () => {
    await using world = await World.open()
    const { city, claims } = await atWork(world, 3)
    const pids = workers(world)
    await using stream = await open(world, '/v0/city/mill/events/stream')
    let created: Promise<string> | undefined
    await stopped(world.pid, STOPPED, async () => {
      created = patiently(world, 'asked while it was stopped')
    })
    const bead = await created
    await eventually(
      'that is claimed',
      30_000,
      () => claimsOf(city),
      (all) => all.some(({ bead_id }) => bead_id === bead),
    )
    for (const { session_id } of claims) await counts(city, session_id)
    await unharmed(city, claims, pids)
    const last = (await history(city)).at(-1)?.seq
    await eventually(
      'the stream has told all of it',
      10_000,
      async () => stream.frames().flatMap((frame) => idOf(frame) ?? []),
      (ids) => ids.includes(String(last)),
    )
  }, 240_000)
})

describe('a session host that is stopped for a while', () => {
  test('ends no session, starts none twice, and its sessions respond again', async () => {
    await using world = await World.open()
    const { city, claims } = await atWork(world, 2)
    const pids = workers(world)
    const [host] = (await world.call('GET /v0/host')).body.items
    let bead = ''
    await stopped(host.pid, UNANSWERED, async () => {
      bead = await sling(city, 'asked while it was stopped')
    })
    const all = await eventually(
      'that is claimed',
      60_000,
      () => claimsOf(city),
      (now) => now.some(({ bead_id }) => bead_id === bead),
    )
    for (const { session_id } of all) await counts(city, session_id)
    await unharmed(city, claims, pids)
    expect(workers(world)).toHaveLength(3)
    expect((await world.call('GET /v0/host')).body.items).toEqual([{ ...host, sessions: 3 }])
  }, 240_000)
})

describe('an agent that is stopped', () => {
  test('keeps its claim and continues when it is resumed; one that never resumes can still be ended', async () => {
    await using world = await World.open()
    const { city, claims } = await atWork(world, 1)
    const [pid = 0] = workers(world)
    const [{ session_id } = { session_id: '' }] = claims
    await stopped(pid, 3_000)
    await counts(city, session_id)
    await unharmed(city, claims, [pid])
    process.kill(pid, 'SIGSTOP')
    expect((await city.call(`POST ~/session/${session_id}/close`)).status).toBe(200)
    expect(readProcess(pid)?.zombie ?? true).toBe(true)
    await up(city)
    expect((await claimsOf(city)).filter((one) => one.session_id === session_id)).toEqual([])
  }, 120_000)
})
