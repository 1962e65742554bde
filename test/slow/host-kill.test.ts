import { expect, test } from 'bun:test'
import { environmentOf, ProcessTable } from '../../src/host/process/process-table.ts'
import { alive, gone, hostWorld, output, sh } from '../host/world.ts'

const RUNS = Number(process.env.GC_KILL_RUNS ?? 25)

/** Sessions that are hard to kill: they ignore signals, fork, run in the background, hold pipes or become daemons. */
const stubborn = (id: string) => `trap '' HUP TERM INT
  sh -c 'trap "" HUP TERM; echo ${id}=$$; while :; do sleep 1; done' &
  sh -c 'echo ${id}=$$; while :; do sleep 1; done' </dev/null 2>&1 | cat &
  sh -c 'setsid sh -c "trap \\"\\" HUP TERM; echo ${id}=\\$\\$; sleep 300" &'
  echo ${id}=$$; while :; do sleep 1; done`

test(`a host that is killed at random, ${RUNS} times, leaves no process alive and every session ends exactly once`, async () => {
  await using world = hostWorld()
  const env = { PATH: process.env.PATH ?? '', GC_HOME: world.home, GC_CITY: '/city' }
  for (let run = 0; run < RUNS; run++) {
    await world.launch()
    const host = await world.connect()
    const exited: string[] = []
    host.onExit((exit) => {
      exited.push(exit.key)
    })
    const started: { key: string; pid: number }[] = []
    const [status] = await host.status()
    if (!status) throw new Error('there is no host to kill')
    const killing = Bun.sleep(Math.random() * 150).then(() => process.kill(status.pid, 'SIGKILL'))
    for (let n = 0; n < 4; n++) {
      const key = `r${run}s${n}`
      const start = host.start(sh(world, key, stubborn(key), { env: { ...env, GC_SESSION_ID: key } }))
      await start.then(
        ({ pid }) => started.push({ key, pid }),
        () => {},
      )
    }
    await killing
    await gone(status.pid)
    const survivors = (await host.list()).filter(({ state }) => state === 'running')
    const pids = new Set(survivors.map(({ pid }) => pid))
    for (const { key, pid } of started)
      if (!pids.has(pid)) expect({ run, key, alive: alive(pid) }).toMatchObject({ alive: false })
    for (const { key } of survivors) await output(host, key, (text) => text.includes(`${key}=`))
    for (const { key } of survivors) await host.end(key, { grace: 50, daemons: true })
    const marks = (await new ProcessTable().list()).filter(({ pid, zombie }) => !zombie && belongs(pid, world.home))
    expect({ run, left: marks.map(({ pid, command }) => `${pid} ${command}`) }).toEqual({ run, left: [] })
    await host.list()
    for (const { key } of started) expect(exited.filter((one) => one === key).length).toBeLessThanOrEqual(1)
    host.close()
  }
}, 300_000)

/** True if a process was started in a session of this home; the host itself belongs to no session. */
function belongs(pid: number, home: string): boolean {
  const lines = environmentOf(pid)
  return lines?.has(`GC_HOME=${home}`) === true && [...lines].some((line) => line.startsWith('GC_SESSION_ID='))
}
