import { expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Subprocess } from 'bun'
import type { RecordedEvent } from '../../src/core/events/event.ts'
import { declare, startSession } from '../api/town.ts'
import { SEED } from '../support/seed.ts'
import { eventually } from '../support/until.ts'
import type { TestCity } from '../support/world.ts'
import { dice, everything, history, tally, World } from './town.ts'

/** Workers whose sessions gc runs, and workers outside gc with a lent session. */
const OURS = 48
const LENT = 16
const BEADS = Number(process.env.GC_BEADS ?? 1000)
/** The length of a session token in characters. */
const TOKEN = 68

/** Claims the next bead, logs that it has it, and closes it, in a loop. */
const CLAIMS = `echo "$$" > "$GC_HOME/pid.$GC_SESSION_ID"
ask() { curl -s -m 10 -X POST -H 'X-GC-Request: 1' -H "Authorization: Bearer $GC_TOKEN" "$GC_URL/v0/city/$GC_CITY_NAME/$1"; }
while :; do
  bead=$(ask claims/next | sed -n 's/.*"bead_id":"\\([^"]*\\)".*/\\1/p')
  if [ -z "$bead" ]; then sleep 1; continue; fi
  echo "$bead" >> "$GC_HOME/worked"
  sleep 0.2
  ask "bead/$bead/close" > /dev/null
done`

test(`${BEADS} beads are each done once by ${OURS + LENT} workers, some outside gc, that are killed at random, and dead workers can no longer write (seed ${SEED})`, async () => {
  const random = dice(SEED)
  await using world = await World.open()
  const city = await world.city()
  const limits = { min_active_sessions: OURS, max_active_sessions: OURS + LENT }
  await declare(city, 'claimer', { script: CLAIMS }, limits)
  const active = async () => (await city.call('GET ~/sessions?state=active&limit=1000')).body.items
  const dead = new Set<string>()
  await using outsiders = await Outsiders.open(city, dead)
  const claimers: { id: string }[] = await eventually('all claimers run', 60_000, active, (all) => all.length === OURS)
  for (let n = 0; n < BEADS; n += 20) {
    const drafts = Array.from({ length: Math.min(20, BEADS - n) }, (_, at) => ({
      body: { title: `bead ${n + at}`, metadata: { 'gc.routed_to': 'claimer' } },
    }))
    await Promise.all(drafts.map((draft) => city.call('POST ~/beads', draft)))
    const { id } = claimers[Math.floor(random() * claimers.length)] ?? { id: '' }
    await end(world, city, id, random() < 0.7, dead)
    if (random() < 0.5) await outsiders.killOne(random)
  }
  const open = async () => (await city.call('GET ~/beads?type=task&limit=1')).body.total
  await eventually('all beads are closed', 120_000, open, (left) => left === 0)

  await outsiders.rest()
  const beads = await everything(city, '~/beads?type=task&all=true')
  expect(beads).toHaveLength(BEADS)
  const events = await history(city)
  const ofBeads = Map.groupBy(events, ({ subject }) => subject ?? '')
  const wrong = beads.flatMap(({ id }) => violations(id, ofBeads.get(id) ?? []))
  expect(wrong).toEqual([])
  const worked = tally(join(world.home, 'worked'))
  expect(beads.filter(({ id }) => !worked.has(id))).toEqual([])
  expect((await city.call('GET ~/claims')).body.total).toBe(0)
  expect(await writesOf(city, dead, beads[0]?.id)).toEqual([])
  // Killed claimers may be started again meanwhile.
  const later = (await history(city)).slice(events.length)
  expect(later.filter(({ subject }) => subject === beads[0]?.id)).toEqual([])
  const lost = events.filter(({ type }) => type === 'bead.dead_assignee_reopened').length
  const rejected = events.filter(({ type }) => type === 'bead.claim_rejected').length
  process.stdout.write(`${BEADS} beads: ${lost} were taken from killed claimers, ${rejected} claims rejected\n`)
}, 240_000)

/** Workers that are processes of this test, each with a lent session. */
class Outsiders implements AsyncDisposable {
  readonly #at = new Map<string, { child: Subprocess; token: string }>()

  private constructor(
    private readonly city: TestCity,
    private readonly dead: Set<string>,
  ) {}

  static async open(city: TestCity, dead: Set<string>): Promise<Outsiders> {
    const outsiders = new Outsiders(city, dead)
    for (let n = 0; n < LENT; n++) {
      const { id } = await startSession(city, 'claimer', { alias: `outsider-${n}` })
      await city.call(`POST ~/session/${id}/suspend`)
      await outsiders.#start(id)
    }
    return outsiders
  }

  /** Kills a worker while it may be working. gc does not notice, so its session is lent to another one. */
  async killOne(random: () => number): Promise<void> {
    const [id, one] = [...this.#at][Math.floor(random() * this.#at.size)] ?? []
    if (id === undefined || one === undefined) return
    one.child.kill('SIGKILL')
    await one.child.exited
    await this.#start(id)
    this.dead.add(one.token)
  }

  async rest(): Promise<void> {
    for (const { child } of this.#at.values()) child.kill('SIGKILL')
    await Promise.all([...this.#at.values()].map(({ child }) => child.exited))
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.rest()
  }

  async #start(id: string): Promise<void> {
    const { world, name } = this.city
    const { token } = (await this.city.call(`POST ~/session/${id}/lend`)).body
    const child = Bun.spawn(['sh', '-c', CLAIMS], {
      env: {
        PATH: process.env.PATH,
        GC_HOME: world.home,
        GC_URL: world.url,
        GC_CITY_NAME: name,
        GC_SESSION_ID: id,
        GC_TOKEN: token,
      },
      stdio: ['ignore', 'ignore', 'ignore'],
    })
    this.#at.set(id, { child, token })
  }
}

/** Ends a worker, on request or as a crash would, and adds its token to `dead`. */
async function end(world: World, city: TestCity, id: string, onRequest: boolean, dead: Set<string>): Promise<void> {
  const tokenFile = join(world.home, `token.${id}`)
  const token = existsSync(tokenFile) ? readFileSync(tokenFile, 'utf8') : ''
  const held = (await city.call(`GET ~/claims?session=${id}`)).body.items
  if (onRequest) {
    const { status } = await city.call(`POST ~/session/${id}/kill`)
    if (status !== 200 || token.length !== TOKEN) return
    dead.add(token)
    for (const { bead_id } of held) expect(await writesOf(city, [token], bead_id)).toEqual([])
    return
  }
  const file = join(world.home, `pid.${id}`)
  if (!existsSync(file)) return
  try {
    process.kill(Number(readFileSync(file, 'utf8')), 'SIGKILL')
  } catch {
    // It exited by itself.
  }
}

/** The writes to a bead that any of these tokens was still allowed to make. */
async function writesOf(city: TestCity, tokens: Iterable<string>, bead: string): Promise<string[]> {
  const allowed: string[] = []
  for (const token of tokens) {
    for (const write of ['heartbeat', 'release', 'close', 'reopen', 'claim']) {
      const { status } = await city.call(`POST ~/bead/${bead}/${write}`, { token })
      if (status !== 401) allowed.push(`${write} of ${bead}: ${status}`)
    }
  }
  return allowed
}

/** The violations in the history of one bead: it is closed once, and two sessions never hold it at the same time. */
function violations(id: string, events: readonly RecordedEvent[]): string[] {
  const problems: string[] = []
  let holder: string | undefined
  let closed = 0
  for (const { type, payload } of events) {
    const bead = Object(payload).bead
    if (type === 'bead.closed') closed++
    if (type !== 'bead.updated') continue
    const session = bead.status === 'in_progress' ? bead.metadata?.['gc.session_id'] : undefined
    if (holder && session && session !== holder)
      problems.push(`${id} went from ${holder} to ${session} without being open`)
    holder = session
  }
  if (closed !== 1) problems.push(`${id} was closed ${closed} times`)
  return problems
}
