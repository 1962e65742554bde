import { describe, expect, test } from 'bun:test'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { register } from '../api/town.ts'
import { eventually } from '../support/until.ts'
import type { TestCity } from '../support/world.ts'
import { everything, history, tally, up, World } from './town.ts'

/** Each session logs the pids of its processes, one per line. */
const NOTES = 'mkdir -p "$GC_HOME/pids"; echo $$ >> "$GC_HOME/pids/$GC_SESSION_ID"'
const STREAMS = `${NOTES}; n=0; while :; do n=$((n+1)); echo "line $n"; sleep 0.05; done`

const crew = (name: string, script: string, size: number) => `
[[agent]]
name = "${name}"
start_command = '''${script}'''
min_active_sessions = ${size}
max_active_sessions = ${size}
`
const QUICKLY = '[daemon]\nmax_wakes_per_tick = 20\n'

// biome-ignore lint/suspicious/noExplicitAny: sessions as they are served
type Sessions = any[]

const active = (city: TestCity): Promise<Sessions> => everything(city, '~/sessions?state=active')
const manned = (city: TestCity, size: number, ms = 60_000) =>
  eventually(
    `${size} sessions are up`,
    ms,
    () => active(city),
    (all) => all.filter(({ running }) => running).length >= size,
  )

/** The pids that sessions logged, oldest first. */
function pids(world: World): number[] {
  const folder = join(world.home, 'pids')
  if (!existsSync(folder)) return []
  return readdirSync(folder).flatMap((name) => readFileSync(join(folder, name), 'utf8').trim().split('\n').map(Number))
}

const lives = (pid: number): boolean => {
  const stat = `/proc/${pid}/stat`
  return existsSync(stat) && !/\) Z /.test(readFileSync(stat, 'utf8'))
}

const hostPid = async (world: World): Promise<number> => (await world.call('GET /v0/host')).body.items[0].pid
const count = async (city: TestCity, type: string) => (await history(city)).filter((one) => one.type === type).length

/** Resident memory in megabytes. */
const memory = (pid: number): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024

describe('a supervisor that is killed', () => {
  test('while twenty sessions write finds all of them running after its restart', async () => {
    await using world = await World.open()
    const city = await register(world, 'mill', QUICKLY + crew('worker', STREAMS, 20))
    await manned(city, 20)
    const before = pids(world)
    const [watched] = await active(city)
    await world.kill()
    await Bun.sleep(1000)
    expect(before.filter((pid) => !lives(pid))).toEqual([])
    const from = performance.now()
    await world.start()
    await up(city)
    await manned(city, 20)
    process.stdout.write(`twenty sessions were adopted ${Math.round(performance.now() - from)} ms after the start\n`)
    expect(pids(world)).toEqual(before)
    const shown = async () => (await city.call(`GET ~/session/${watched.id}?peek=true`)).body.last_output
    const first = await shown()
    await eventually('it goes on writing', 5_000, shown, (now) => now !== first)
    expect(await count(city, 'session.crashed')).toBe(0)
    expect(await count(city, 'session.woke')).toBe(20)
  }, 120_000)
})

describe('a session host that is killed', () => {
  test('ends its twenty sessions, each is reported once, and all are restarted', async () => {
    await using world = await World.open()
    const city = await register(world, 'mill', QUICKLY + crew('worker', STREAMS, 20))
    await manned(city, 20)
    const before = pids(world)
    process.kill(await hostPid(world), 'SIGKILL')
    await eventually(
      'each is told of',
      30_000,
      () => count(city, 'session.crashed'),
      (crashes) => crashes >= 20,
    )
    await manned(city, 20)
    expect(before.filter(lives)).toEqual([])
    expect(pids(world).filter(lives)).toHaveLength(20)
    expect(await count(city, 'session.crashed')).toBe(20)
  }, 120_000)
})

describe('an agent', () => {
  test('that forks and ignores TERM is gone with its whole process tree when its session is closed', async () => {
    await using world = await World.open()
    const child = `sh -c "trap : TERM; echo \\$\\$ >> $GC_HOME/pids/$GC_SESSION_ID; while :; do sleep 1; done"`
    const stubborn = `trap : TERM; ${NOTES}; ${child} & (${child} &) ; while :; do sleep 1; done`
    const city = await register(world, 'mill', `[[agent]]\nname = "mule"\nstart_command = '''${stubborn}'''\n`)
    await city.call('POST ~/sessions', { body: { kind: 'agent', name: 'mule', alias: 'm' } })
    const made = await eventually(
      'it has forked',
      10_000,
      async () => pids(world),
      (all) => all.length === 3,
    )
    expect((await city.call('POST ~/session/m/close')).status).toBe(200)
    expect(made.filter(lives)).toEqual([])
  }, 60_000)

  test('that writes 200 MB at once uses bounded memory, and reports to readers what was dropped', async () => {
    await using world = await World.open()
    const floods = `${NOTES}; while [ ! -f "$GC_HOME/go" ]; do sleep 0.1; done
head -c 200000000 /dev/zero | tr '\\0' 'x' | fold -w 100; echo THE END; sleep 600`
    const city = await register(world, 'mill', crew('flood', floods, 1))
    const [{ id }] = await manned(city, 1)
    const host = await hostPid(world)
    const { ticket } = (await city.call(`POST ~/session/${id}/terminal-ticket`, { body: {} })).body
    const at = `${world.url.replace('http', 'ws')}/v0/city/mill/session/${id}/terminal?ticket=${ticket}`
    const socket = new WebSocket(at)
    socket.binaryType = 'arraybuffer'
    let bytes = 0
    let left = 0
    socket.onmessage = ({ data }) => {
      if (typeof data !== 'string') bytes += data.byteLength
      else if (JSON.parse(data).type === 'gap') left += JSON.parse(data).to - JSON.parse(data).from
    }
    await Bun.sleep(500)
    const [calm, quiet] = [memory(world.pid), memory(host)]
    await Bun.write(join(world.home, 'go'), '')
    let [most, mostOfHost] = [0, 0]
    const shown = async () => {
      most = Math.max(most, memory(world.pid))
      mostOfHost = Math.max(mostOfHost, memory(host))
      return (await city.call(`GET ~/session/${id}?peek=true`)).body.last_output
    }
    await eventually('its last words are shown', 90_000, shown, (text) => text.includes('THE END'))
    socket.close()
    process.stdout.write(
      `200 MB: seen ${bytes}, told left out ${left}; server ${calm} → ${most} MB, host ${quiet} → ${mostOfHost} MB\n`,
    )
    expect(bytes + left).toBeGreaterThan(190_000_000)
    expect(most - calm).toBeLessThan(150)
    expect(mostOfHost - quiet).toBeLessThan(150)
  }, 150_000)

  test('that always exits at once is restarted with backoff, and its bead is parked and reported once', async () => {
    await using world = await World.open()
    const dies = 'gc hook --claim --json > /dev/null; echo $GC_SESSION_ID >> "$GC_HOME/runs"; exit 1'
    const toml = `[[agent]]\nname = "mayfly"\nstart_command = '''${dies}'''\nmax_active_sessions = 4\n`
    const city = await register(world, 'mill', toml)
    const bead = { title: 'poison', metadata: { 'gc.routed_to': 'mayfly' } }
    const { body } = await city.call('POST ~/beads', { body: bead })
    const parked = () => city.call(`GET ~/bead/${body.id}`).then((answer) => answer.body.labels ?? [])
    await eventually('the bead is parked', 90_000, parked, (labels) => labels.includes('gc:parked'))
    const runs = () => [...tally(join(world.home, 'runs')).values()].reduce((all, times) => all + times, 0)
    const then = runs()
    expect(then).toBeLessThanOrEqual(6)
    await Bun.sleep(5_000)
    expect(runs()).toBe(then)
    const { items } = (await city.call('GET ~/mail?agent=human')).body
    expect(items).toHaveLength(1)
    expect(items[0]).toMatchObject({ from: 'gc', subject: 'Parked: poison' })
  }, 150_000)
})

describe('agents that must stay up and exit at the same time', () => {
  test('are restarted with backoff, with or without an error and for whatever reason they must stay up', async () => {
    await using world = await World.open()
    const agent = (name: string, ends: string, more = '') =>
      `[[agent]]\nname = "${name}"\nstart_command = 'echo ${name} >> "$GC_HOME/runs"; ${ends}'\n${more}\n`
    const began = performance.now()
    await register(
      world,
      'mill',
      agent('polite', 'exit 0', 'min_active_sessions = 1') +
        agent('done', 'gc runtime drain-ack; sleep 600', 'min_active_sessions = 1') +
        agent('rude', 'exit 1', 'min_active_sessions = 1') +
        agent('named', 'exit 0') +
        '[[named_session]]\ntemplate = "named"\nmode = "always"\n' +
        agent('scaled', 'exit 0', 'max_active_sessions = 2\nscale_check = "echo 2"'),
    )
    const runs = async () => tally(join(world.home, 'runs'))
    const file = async () => existsSync(join(world.home, 'runs'))
    await eventually('one has run', 30_000, file, (there) => there)
    await eventually(
      'all have run again',
      60_000,
      runs,
      (all) => all.size === 5 && [...all.values()].every((n) => n > 1),
    )
    await Bun.sleep(8_000)
    const counted = await runs()
    const seconds = (performance.now() - began) / 1000
    // Each delay is twice the previous one, and the first is a second; some agents exit before they are ready.
    const most = 4 + Math.floor(Math.log2(seconds + 1))
    process.stdout.write(`starts in ${seconds.toFixed(0)} s: ${JSON.stringify(Object.fromEntries(counted))}\n`)
    for (const [name, times] of counted)
      expect({ name, many: times > (name === 'scaled' ? 2 : 1) * most }).toMatchObject({ many: false })
  }, 150_000)
})

describe('a hundred sessions at the same time', () => {
  test('start, respond, and end', async () => {
    await using world = await World.open()
    const from = performance.now()
    const city = await register(world, 'mill', QUICKLY + crew('worker', `${NOTES}; exec sleep 600`, 100))
    await manned(city, 100, 120_000)
    const upAfter = Math.round(performance.now() - from)
    const times: number[] = []
    for (let n = 0; n < 50; n++) {
      const began = performance.now()
      await city.call('GET ~/status')
      times.push(performance.now() - began)
    }
    times.sort((a, b) => a - b)
    const host = await hostPid(world)
    process.stdout.write(
      `100 sessions in ${upAfter} ms; status p50 ${times[25]?.toFixed(1)} ms; ` +
        `server ${memory(world.pid).toFixed(0)} MB, host ${memory(host).toFixed(0)} MB\n`,
    )
    const all = pids(world)
    expect(new Set(all).size).toBe(100)
    await city.call('POST ~/unregister')
    await eventually(
      'none is left',
      60_000,
      async () => all.filter(lives),
      (left) => left.length === 0,
    )
  }, 240_000)
})
