import { expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { idOf, open } from '../api/sse.ts'
import { register } from '../api/town.ts'
import { tempFolder } from '../support/folder.ts'
import { eventually } from '../support/until.ts'
import type { TestCity } from '../support/world.ts'
import { history, World } from './town.ts'
import { underClock, WallClock } from './wall-clock.ts'

const HOUR = 3_600_000

const TOWN = `
[[agent]]
name = "worker"
start_command = 'echo $$ >> "$GC_HOME/workers"; until gc hook --claim --json | grep -q bead_id; do sleep 0.1; done; exec sleep 6000'
min_active_sessions = 3
max_active_sessions = 3

[[agent]]
name = "guard"
start_command = 'echo $$ >> "$GC_HOME/guards"; exec sleep 6000'
min_active_sessions = 1
idle_timeout = "1h"

[[agent]]
name = "mayfly"
start_command = 'echo died >> "$GC_HOME/mayflies"; exit 1'

[[named_session]]
template = "mayfly"
mode = "always"
`

const lines = (world: World, name: string): string[] => {
  const path = join(world.home, name)
  return existsSync(path) ? readFileSync(path, 'utf8').split('\n').filter(Boolean) : []
}

const work = async (city: TestCity, title: string): Promise<string> =>
  (await city.call('POST ~/beads', { body: { title, metadata: { 'gc.routed_to': 'worker' } } })).body.id

const claimed = (city: TestCity, bead: string) =>
  eventually(
    `${bead} is claimed`,
    30_000,
    async () => (await city.call('GET ~/claims')).body.items,
    (all) => all.some((one: { bead_id: string }) => one.bead_id === bead),
  )

test.skipIf(process.platform !== 'linux')(
  'setting the clock forward and back ends no lease early, extends no wait, and a schedule fires once',
  async () => {
    using folder = tempFolder()
    const clock = new WallClock(folder)
    await using world = await World.with(clock.env)
    await underClock(world, clock)
    const city = await register(world, 'mill', TOWN)
    await using stream = await open(world, '/v0/city/mill/events/stream')
    const first = await work(city, 'first')
    const [claim] = await claimed(city, first)
    await eventually(
      'all are up',
      30_000,
      async () => [...lines(world, 'workers'), ...lines(world, 'guards')],
      (all) => all.length === 4,
    )
    const pids = [lines(world, 'workers'), lines(world, 'guards')]
    const blocker = await work(city, 'later')
    const expires = (hours: number) => new Date(Date.now() + hours * HOUR).toISOString()
    const wait = async (hours: number): Promise<string> => {
      const body = { session: claim.session_id, on_beads: [blocker], expires_at: expires(hours) }
      return (await city.call('POST ~/waits', { body })).body.id
    }
    const [soon, far] = [await wait(2), await wait(24)]
    const over = async (id: string) => (await city.call(`GET ~/wait/${id}`)).body.state

    clock.set(8 * HOUR)
    await eventually(
      'what was due is over',
      90_000,
      () => over(soon),
      (state) => state === 'expired',
    )
    await claimed(city, blocker)
    expect(await over(far)).not.toBe('expired')

    const died = lines(world, 'mayflies').length
    clock.set(-8 * HOUR)
    await eventually(
      'who died is tried again',
      90_000,
      async () => lines(world, 'mayflies').length,
      (count) => count > died,
    )
    const last = await work(city, 'last')
    await claimed(city, last)
    const events = await history(city)
    expect(events.filter(({ type, subject }) => type === 'bead.closed' && subject === soon)).toHaveLength(1)
    const ended = events.filter(({ type }) => /session\.(stopped|crashed|draining)/.test(type))
    expect(ended.filter(({ payload }) => Object(payload).template !== 'mayfly')).toEqual([])
    expect((await city.call('GET ~/claims')).body.items).toContainEqual(claim)
    expect([lines(world, 'workers'), lines(world, 'guards')]).toEqual(pids)
    await eventually(
      'the stream has told all of it',
      10_000,
      async () => stream.frames().flatMap((frame) => idOf(frame) ?? []),
      (ids) => ids.includes(String(events.at(-1)?.seq)),
    )
  },
  240_000,
)
