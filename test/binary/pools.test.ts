import { describe, expect, test } from 'bun:test'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { AgentResponse } from '../../src/agents/agents/schema.ts'
import { register } from '../api/town.ts'
import { eventually } from '../support/until.ts'
import { type TestCity, World } from '../support/world.ts'

const SIZE = 12

/** A worker that logs its pid, claims once it may, logs the pid with the bead that it claimed, and closes it once it may. */
const WORKER = `mkdir -p "$GC_HOME/started" "$GC_HOME/claimed"
echo $$ > "$GC_HOME/started/$$"
while [ ! -e "$GC_HOME/begin" ]; do sleep 0.1; done
while :; do
  bead=$(gc hook --claim --json | sed -n "s/.*\\"bead_id\\":\\"\\([^\\"]*\\)\\".*/\\1/p")
  [ -n "$bead" ] || { gc runtime drain-ack; sleep 600; }
  echo $$ > "$GC_HOME/claimed/$bead"
  while [ ! -e "$GC_HOME/go" ]; do sleep 0.2; done
  gc bd close "$bead" --reason done > /dev/null
done`

const pool = (maxRestarts: number) => `
[daemon]
max_restarts = ${maxRestarts}
max_wakes_per_tick = ${SIZE}
[[agent]]
name = "worker"
start_command = '''${WORKER}'''
max_active_sessions = ${SIZE}
`

/** The pids that workers logged in a folder, by file. */
function logged(world: World, folder: string): [string, number][] {
  const path = join(world.home, folder)
  return existsSync(path) ? readdirSync(path).map((file) => [file, Number(readFileSync(join(path, file), 'utf8'))]) : []
}

/** The rows of the pool once all its slots work. */
const allAtWork = (city: TestCity) =>
  eventually(
    'every slot works',
    20_000,
    async (): Promise<AgentResponse[]> => (await city.call('GET ~/agents')).body.items,
    (rows) => rows.filter(({ active_bead }) => active_bead !== undefined).length === SIZE,
  )

/** Kills processes, and waits until all of that is recorded. */
async function kill(city: TestCity, pids: readonly number[]): Promise<void> {
  const crashes = async (): Promise<number> =>
    (await city.call('GET ~/events?type=session.crashed&limit=1000')).body.items.length
  const before = await crashes()
  for (const pid of pids) process.kill(pid, 'SIGKILL')
  await eventually('the kills are recorded', 10_000, crashes, (count) => count >= before + pids.length)
}

describe('a pool of which some processes are killed', () => {
  test.each([5, 0])(
    'continues with all its slots and finishes its work, with max_restarts = %i',
    async (maxRestarts) => {
      await using world = await World.open()
      const city = await register(world, 'mill', pool(maxRestarts))
      for (let bead = 1; bead <= 2 * SIZE; bead++) {
        const body = { title: `bead ${bead}`, metadata: { 'gc.routed_to': 'worker' } }
        expect((await city.call('POST ~/beads', { body })).status).toBe(201)
      }
      const started = async () => logged(world, 'started')
      const first = await eventually('every slot started', 20_000, started, (all) => all.length === SIZE)
      await kill(
        city,
        first.slice(0, 4).map(([, pid]) => pid),
      )
      await Bun.write(join(world.home, 'begin'), '')
      const killed = new Set<string>()
      for (let round = 1; round <= 3; round++) {
        await allAtWork(city)
        const next = logged(world, 'claimed')
          .filter(([bead]) => !killed.has(bead))
          .slice(0, 4)
        for (const [bead] of next) killed.add(bead)
        await kill(
          city,
          next.map(([, pid]) => pid),
        )
      }
      const rows = await allAtWork(city)
      expect(rows.map(({ state, available }) => [state, available])).toEqual(Array(SIZE).fill(['working', true]))
      expect((await city.call('GET ~/attention')).body.items).toEqual([])
      expect((await city.call('GET ~/status')).body.agents).toMatchObject({ running: SIZE, quarantined: 0 })
      await Bun.write(join(world.home, 'go'), '')
      const closed = async (): Promise<{ title: string }[]> =>
        (await city.call('GET ~/beads?status=closed&limit=1000')).body.items
      const isBead = ({ title }: { title: string }) => title.startsWith('bead ')
      await eventually('all work is done', 20_000, closed, (beads) => beads.filter(isBead).length === 2 * SIZE)
    },
    120_000,
  )
})

describe('a pool whose sessions fail at their start', () => {
  test('is held: its rows say why and until when, others do not, and so does the list of what waits', async () => {
    await using world = await World.open()
    const declared = (name: string, command: string) =>
      `[[agent]]\nname = "${name}"\nstart_command = '${command}'\nmax_active_sessions = 2\n`
    const city = await register(world, 'mill', declared('broken', 'exit 3') + declared('sound', 'exec sleep 600'))
    for (const target of ['broken', 'sound']) await city.call('POST ~/sling/text', { body: { target, title: 'work' } })
    const agents = async (): Promise<AgentResponse[]> => (await city.call('GET ~/agents')).body.items
    const rows = await eventually('the pool is held', 60_000, agents, (all) =>
      all.some(({ state }) => state === 'quarantined'),
    )
    const held = rows.filter(({ unavailable_reason: reason }) => reason !== undefined)
    expect(new Set(held.map(({ pool, state }) => `${pool} ${state}`))).toEqual(new Set(['broken quarantined']))
    const why = /no new session is started before \d{4}-\d\d-\d\dT[\d:.]+Z/
    for (const { unavailable_reason: reason } of held) expect(reason).toMatch(why)
    const { items } = (await city.call('GET ~/attention')).body
    expect(JSON.stringify(items)).toMatch(why)
    const listed = Bun.spawnSync([...world.program, 'agent', 'list'], {
      cwd: city.path,
      env: { PATH: process.env.PATH ?? '', HOME: world.folder.path, GC_HOME: world.home, GC_URL: world.url },
    })
    const lines = listed.stdout.toString().split('\n')
    expect(lines.filter((line) => why.test(line)).every((line) => line.includes('broken'))).toBe(true)
    expect(lines.some((line) => why.test(line))).toBe(true)
  }, 90_000)
})
