import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { register } from '../api/town.ts'
import { writeOrders } from '../orchestration/orders/dispatch/world.ts'
import { type TempFolder, tempFolder } from '../support/folder.ts'
import { eventually } from '../support/until.ts'
import { PROGRAM, type TestCity, World } from '../support/world.ts'
import { random } from './cuts.ts'
import { freePort, history, up } from './town.ts'
import { STRACE, TracedDisk } from './traced-disk.ts'

const CUTS = Number(process.env.GC_CUTS ?? 3)
const seed = Number(process.env.POWERCUT_SEED ?? Date.now() % 1_000_000)

/** Ends everything that strace follows, as a power cut does, and waits until it has listed the ends. */
async function cutPower(tracer: number): Promise<void> {
  const traced = () =>
    readdirSync('/proc').filter((pid) => {
      try {
        return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/status`, 'utf8').includes(`\nTracerPid:\t${tracer}\n`)
      } catch {
        return false
      }
    })
  await eventually(
    'everything has ended',
    30_000,
    async () => {
      const pids = traced()
      for (const pid of pids) end(Number(pid))
      return pids.length === 0 && !existsSync(`/proc/${tracer}/cmdline`)
    },
    (over) => over,
  )
}

function end(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has ended by itself.
  }
}

/** The machine was started again since then: what the host kept for one run of it is of an earlier one. */
function startMachineAnew(home: string, cuts: number): void {
  const hosts = join(home, 'host')
  for (const build of existsSync(hosts) ? readdirSync(hosts) : []) {
    const boots = join(hosts, build, 'sessions')
    const current = (existsSync(boots) ? readdirSync(boots) : []).find((boot) => !boot.startsWith('earlier-'))
    if (current !== undefined) renameSync(join(boots, current), join(boots, `earlier-${cuts}`))
  }
}

/** State of order runs on disk, by their tracking beads. */
function inspect(city: TestCity, folder: TempFolder): Map<string, string> {
  const path = folder.at('check.db')
  for (const end of ['', '-wal', '-shm']) rmSync(`${path}${end}`, { force: true })
  for (const end of ['', '-wal']) {
    const left = join(city.path, `.gc/city.db${end}`)
    if (existsSync(left)) copyFileSync(left, `${path}${end}`)
  }
  using db = new Database(path, { readwrite: true })
  expect(db.query('PRAGMA integrity_check').all()).toEqual([{ integrity_check: 'ok' }])
  const rows = db.query<{ id: string; state: string }, []>('SELECT tracking_id AS id, state FROM order_runs').all()
  return new Map(rows.map(({ id, state }) => [id, state]))
}

/** Asks for runs until the power goes; those that were acknowledged are remembered. */
async function ask(city: TestCity, acknowledged: Set<string>): Promise<void> {
  try {
    for (;;) {
      const { status, body } = await city.call('POST ~/order/job/run', { body: {} })
      if (status === 202) acknowledged.add(body.tracking_id)
    }
  } catch {
    // The power is gone.
  }
}

test.skipIf(process.platform !== 'linux')(
  `over ${CUTS} power cuts of the supervisor and its session host no run that was acknowledged is lost, and none that ran runs again`,
  async () => {
    using outside = tempFolder()
    const ran = outside.at('ran')
    const began = (): string[] =>
      existsSync(ran)
        ? readFileSync(ran, 'utf8')
            .split('\n')
            .filter(Boolean)
            .map((key) => key.slice(key.lastIndexOf('/') + 1))
        : []
    const flags = ['--port', await freePort()]
    await using world = await World.open(...flags)
    const path = world.folder.at('mill')
    mkdirSync(path)
    const exec = `echo $GC_PROCESS_ID >> ${ran}`
    writeOrders(path, { orders: { job: `trigger = "manual"\nexec = "${exec}"` } })
    const city = await register(world, 'mill', '')
    await world.stop()
    const chance = random(seed)
    const acknowledged = new Set<string>()
    let left = new Map<string, string>()
    for (let run = 0; run < CUTS; run++) {
      const trace = outside.at('trace')
      const disk = new TracedDisk(world.folder.path)
      const before = began()
      world.program = [...STRACE, '-o', trace, ...PROGRAM]
      await world.start(...flags)
      await up(city)
      const asking = [ask(city, acknowledged), ask(city, acknowledged)]
      await Bun.sleep(500 + chance() * 1500)
      await cutPower(world.pid)
      await Promise.all(asking)
      const again = began()
        .slice(before.length)
        .filter((id) => before.includes(id) && left.get(id) !== 'starting')
      disk.apply(readFileSync(trace, 'latin1'))
      disk.cut(chance)
      startMachineAnew(world.home, run)
      left = inspect(city, outside)
      const lost = [...acknowledged].filter((id) => !left.has(id))
      expect({ seed, run, again, lost }).toEqual({ seed, run, again: [], lost: [] })
    }
    world.program = PROGRAM
    await world.start(...flags)
    await up(city)
    const ended = async () =>
      (await history(city)).filter(({ type }) => type === 'order.completed' || type === 'order.failed').length
    await eventually('every run has ended', 60_000, ended, (count) => count >= left.size)
    expect(await ended()).toBe(left.size)
    const failed = (await history(city)).filter(({ type }) => type === 'order.failed').map(({ message }) => message)
    expect(new Set(failed)).toEqual(new Set(failed.length > 0 ? ['interrupted: its session host was lost'] : []))
    expect(acknowledged.size).toBeGreaterThan(CUTS)
  },
  Math.max(300_000, CUTS * 60_000),
)
