import { homedir } from 'node:os'
import { resolve } from 'node:path'
import { systemClock } from '../../src/core/clock.ts'
import { Deadlines } from '../../src/core/deadlines.ts'
import { connectToHosts } from '../../src/host/client/host-client.ts'
import { Confiner } from '../../src/host/confine/start/confiner.ts'
import { type TempFolder, tempFolder } from '../support/folder.ts'
import { at, both, median, ms, Table, whole } from './support/figures.ts'

/**
 * Cost of a sandbox compared with none: the start of a program, host memory of a session, and a local connection. `npm
 * run bench confine`.
 */

const STARTS = 200
const SESSIONS = 50
const CONNECTIONS = 3_000
const START_MS = 20
const SESSION_MB = 3
const MB = 1 << 20

const binary = resolve(process.env.GC_BINARY ?? 'dist/gc')
const env = { PATH: process.env.PATH ?? '', TERM: 'dumb' }
const confinement = (folder: TempFolder, key: string, port: number) => ({
  ...{ home: homedir(), private: folder.at('private', key), read: [], write: [folder.path], ports: [port] },
  ...{ network: 'session' as const, proxy: { hosts: ['example.com'], advice: '', keys: [], env: {} } },
})

interface Start {
  /** Milliseconds until the program, which does nothing, has ended. */
  wall: number
  /** Milliseconds of processor time of the process. */
  cpu: number
}

/** Starts programs, confined and not by turns. */
async function starts(folder: TempFolder): Promise<{ plain: Start[]; confined: Start[] }> {
  const confiner = new Confiner([binary], () => {})
  const samples: { plain: Start[]; confined: Start[] } = { plain: [], confined: [] }
  for (let n = -10; n < STARTS; n++) {
    for (const kind of ['plain', 'confined'] as const) {
      const confine = kind === 'confined' && { confine: confinement(folder, 'start', 1) }
      const began = performance.now()
      const start = confiner.prepare('/bin/true', { key: 'start', argv: ['true'], env, ...confine })
      const child = Bun.spawn(start.command, { env: start.env, stdio: ['ignore', 'ignore', 'inherit', ...start.extra] })
      start.started(child)
      if ((await child.exited) !== 0) throw new Error('the program was not started')
      const wall = performance.now() - began
      const cpu = Number(child.resourceUsage()?.cpuTime.total ?? Number.NaN) / 1000
      if (n >= 0) samples[kind].push({ wall, cpu })
      confiner.release('start')
    }
  }
  confiner.close()
  return samples
}

/** Megabytes of the host for each of many sessions. */
async function memory(isConfined: boolean): Promise<number> {
  using folder = tempFolder()
  using deadlines = closing(new Deadlines())
  const launch = [binary, 'host']
  const host = await connectToHosts({ home: folder.at('home'), launch, clock: systemClock, deadlines: deadlines.of })
  const start = (key: string) => {
    const confine = isConfined && { confine: confinement(folder, key, 1) }
    return host.start({ key, argv: ['sleep', '600'], cwd: folder.path, env, cols: 80, rows: 24, ...confine })
  }
  const used = async () => (await host.status())[0]?.memory ?? Number.NaN
  await start('first')
  await Bun.sleep(2_000)
  const before = await used()
  for (let n = 0; n < SESSIONS; n++) await start(`many${n}`)
  await Bun.sleep(3_000)
  const each = ((await used()) - before) / SESSIONS / MB
  await host.shutdown({ grace: 1_000 })
  return each
}

const closing = (of: Deadlines) => ({ of, [Symbol.dispose]: () => of.close() })

/** A program that connects again and again, and prints how many microseconds each took. */
const DIAL = `const samples = []
for (let n = 0; n < ${CONNECTIONS}; n++) {
  const { promise, resolve } = Promise.withResolvers()
  const began = performance.now()
  const socket = require('node:net').connect(Number(process.env.DIALLED), '127.0.0.1', resolve)
  await promise
  samples.push((performance.now() - began) * 1000)
  socket.destroy()
}
console.log(JSON.stringify(samples))`

async function connections(folder: TempFolder, port: number, isConfined: boolean): Promise<number[]> {
  const gc = isConfined ? [binary, 'confine', '--port', String(port), '--'] : []
  const child = Bun.spawn([...gc, process.execPath, '-e', DIAL], {
    ...{ cwd: folder.path, stdio: ['ignore', 'pipe', 'inherit'], env: { ...process.env, DIALLED: String(port) } },
  })
  return JSON.parse(await child.stdout.text())
}

async function compare(): Promise<void> {
  using folder = tempFolder()
  const table = new Table()
  const { plain, confined } = await starts(folder)
  const of = (some: readonly Start[], what: keyof Start) => some.map((each) => each[what])
  for (const [name, some] of Object.entries({ unconfined: plain, confined })) {
    table.row(`start of a program, ${name}`, both(of(some, 'wall')))
    table.row(`its processor time, ${name}`, both(of(some, 'cpu')))
  }
  const more = median(of(confined, 'wall')) - median(of(plain, 'wall'))
  table.row('what confinement adds to a start', ms(more), `< ${START_MS} ms`, more < START_MS)
  const [bare, own] = [await memory(false), await memory(true)]
  const target = own - bare < SESSION_MB
  table.row(`host, each of ${SESSIONS} sessions`, `${own.toFixed(2)} MB, ${bare.toFixed(2)} MB unconfined`)
  table.row('what confinement adds to a session', `${(own - bare).toFixed(2)} MB`, `< ${SESSION_MB} MB`, target)
  using server = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } })
  for (const isConfined of [false, true]) {
    const samples = await connections(folder, server.port, isConfined)
    const what = `connection on loopback, ${isConfined ? 'confined' : 'unconfined'}`
    table.row(what, `p50 ${whole(median(samples))} µs, p99 ${whole(at(samples, 0.99))} µs`)
  }
  table.print('confinement')
}

await compare()
