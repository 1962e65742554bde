import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { RecordedEvent } from '../../src/core/events/event.ts'
import { SEED } from '../support/seed.ts'
import { eventually } from '../support/until.ts'
import type { TestCity } from '../support/world.ts'
import { dice, everything, freePort, history, tally, up, World } from './town.ts'

const KILLS = Number(process.env.GC_KILLS ?? 20)
/** The number of kills in one world; more of them are spread over several worlds, each of which is checked at its end. */
const ROUNDS = Math.min(KILLS, 100)
/** The backlog above which clients create less work, so that a slow machine is not overloaded. */
const BEHIND = 40

/**
 * An agent that claims work, logs that it did it, closes it, and exits when there is none. It logs each bead when it
 * gets it, and repeats the requests that a killed supervisor left unanswered.
 */
const WORKS = `
last=
while :; do
  said=$(gc hook --claim --drain-ack --json 2>/dev/null)
  bead=$(printf %s "$said" | sed -n 's/.*"bead_id":"\\([^"]*\\)".*/\\1/p')
  if [ -z "$bead" ]; then sleep 0.2; continue; fi
  [ "$bead" = "$last" ] || echo "$bead" >> "$GC_HOME/worked"
  last=$bead
  for try in 1 2 3 4 5 6 7 8 9 10; do bd close "$bead" >/dev/null 2>&1 && break; sleep 0.2; done
done`

/** Acknowledgements to clients before the supervisor was killed. */
interface Acknowledged {
  beads: string[]
  slung: string[]
  requests: string[]
}

/** Keeps creating work until the supervisor is gone; notes only what was acknowledged. */
async function client(city: TestCity, acknowledged: Acknowledged, round: number, dead: () => boolean): Promise<void> {
  const most = acknowledged.slung.length - worked(city.world).size > BEHIND ? 1 : 8
  for (let n = 0; !dead() && n < most; n++) {
    try {
      const made = await city.call('POST ~/beads', { body: { title: `work ${round}.${n}` } })
      if (made.status !== 201) continue
      acknowledged.beads.push(made.body.id)
      const slung = await city.call('POST ~/sling', { body: { target: 'worker', bead: made.body.id } })
      if (slung.status === 200) acknowledged.slung.push(made.body.id)
      if (n > 0) continue
      const response = await city.call('POST ~/sessions', { body: { kind: 'agent', name: 'visitor' } })
      if (response.status === 202) acknowledged.requests.push(response.body.request_id)
    } catch {
      // There was no response: the request may have been carried out, or not.
    }
  }
}

const subjects = (events: RecordedEvent[], type: string) =>
  new Map(
    [
      ...Map.groupBy(
        events.filter((one) => one.type === type),
        (one) => one.subject ?? '',
      ),
    ].map(([subject, all]) => [subject, all.length]),
  )

const lives = Array.from({ length: Math.ceil(KILLS / ROUNDS) }, (_, life) => SEED + life)

test.each(lives)(
  `a supervisor that is killed ${ROUNDS} times leaves nothing half done, repeated or forgotten (seed %d)`,
  async (seed) => {
    const random = dice(seed)
    const port = await freePort()
    await using world = await World.open('--port', port)
    const city = await world.city()
    const declare = (name: string, start_command: string, max: number) =>
      city.call('POST ~/agents/declare', { body: { name, start_command, max_active_sessions: max } })
    await declare('worker', WORKS, 3)
    await declare('visitor', 'until gc runtime drain-ack; do sleep 0.2; done; sleep 600', 4)
    const acknowledged: Acknowledged = { beads: [], slung: [], requests: [] }
    for (let round = 0; round < ROUNDS; round++) {
      let dead = false
      const clients = [client(city, acknowledged, round, () => dead), client(city, acknowledged, round, () => dead)]
      await Bun.sleep(20 + random() * 400)
      dead = true
      await world.kill()
      await Promise.all(clients)
      await world.start('--port', port)
      // Half of the time it is killed again before start-up is complete.
      if (random() < 0.5) await up(city)
    }
    await up(city)
    expect(acknowledged.slung.length).toBeGreaterThan(ROUNDS / 2)

    const open = () => everything(city, '~/beads?type=task&all=true')
    const routed = ({ metadata }: { metadata?: Record<string, string> }) => metadata?.['gc.routed_to'] === 'worker'
    const beads = await eventually('all slung beads are closed', 90_000, open, (all) =>
      all.filter(routed).every(({ status }) => status === 'closed'),
    )
    const states = async () =>
      (await everything(city, '~/sessions?state=open')).map(({ id, state }) => `${id} ${state}`)
    await eventually('no session is stuck on its way', 60_000, states, (all) =>
      all.every((one) => !/start-pending|creating|draining/.test(one)),
    )
    const convoys = () => city.call('GET ~/convoys?limit=1000').then(({ body }) => body.total)
    await eventually('every convoy is closed', 10_000, convoys, (total) => total === 0)
    const events = await eventually(
      'every request has ended',
      40_000,
      () => history(city),
      (all) => {
        const ended = outcomes(all)
        return acknowledged.requests.every((id) => ended.has(id))
      },
    )

    const ids = new Set(beads.map(({ id }) => id))
    expect(acknowledged.beads.filter((id) => !ids.has(id))).toEqual([])
    expect(new Set(events.map(({ seq }) => seq)).size).toBe(events.at(-1)?.seq ?? 0)
    const closed = subjects(events, 'bead.closed')
    const slung = beads.filter(routed).map(({ id }) => id)
    expect(acknowledged.slung.filter((id) => !slung.includes(id))).toEqual([])
    expect(slung.filter((id) => closed.get(id) !== 1)).toEqual([])
    const made = [...subjects(events, 'convoy.created').keys()]
    expect(made.length).toBe(slung.length)
    expect([...subjects(events, 'convoy.closed')].filter(([, times]) => times !== 1)).toEqual([])
    expect(subjects(events, 'convoy.closed').size).toBe(made.length)
    expect([...outcomes(events)].filter(([, times]) => times !== 1)).toEqual([])
    expect((await city.call('GET ~/claims')).body.items).toEqual([])
    const done = worked(world)
    expect([...done].filter(([, times]) => times !== 1)).toEqual([])
    expect(slung.filter((id) => !done.has(id))).toEqual([])
    await whole(world, city)
    process.stdout.write(
      `${ROUNDS} kills: ${acknowledged.beads.length} beads, ${slung.length} slung, ${acknowledged.requests.length} requests, ${events.length} events\n`,
    )
  },
  Math.max(240_000, ROUNDS * 5_000),
)

/** Number of times each bead was worked on. */
function worked(world: World): Map<string, number> {
  const path = join(world.home, 'worked')
  return existsSync(path) ? tally(path) : new Map()
}

/** Number of times each accepted request was reported as finished. */
function outcomes(events: RecordedEvent[]): Map<string, number> {
  const ends = events.filter(({ type }) => type === 'request.failed' || type.startsWith('request.result.'))
  const ids = ends.map(({ payload }) => String(Object(payload).request_id))
  return new Map([...Map.groupBy(ids, (id) => id)].map(([id, all]) => [id, all.length]))
}

/** Ends everything and checks what is on disk. */
async function whole(world: World, city: TestCity): Promise<void> {
  const path = join(city.path, '.gc/city.db')
  expect(existsSync(path)).toBe(true)
  await world.kill()
  const db = new Database(path)
  expect(db.query('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' })
  db.close()
  await world.start()
}
