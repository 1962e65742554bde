import { expect, test } from 'bun:test'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { register } from '../api/town.ts'
import { writeOrders } from '../orchestration/orders/dispatch/world.ts'
import { testTown } from '../support/city.ts'
import { eventually, until } from '../support/until.ts'
import { World } from '../support/world.ts'

const order = (command: string, more = '') => `trigger = "cooldown"\ninterval = "1h"\nexec = '''${command}'''\n${more}`

/** Runs a command as an order to its end; how that went, and how much memory its host took. */
async function runOrder(command: string, more = '') {
  const town = testTown()
  writeOrders(town.path, { orders: { job: order(command, more) } })
  const city = await town.open()
  const { orderDispatcher: dispatcher } = city
  await until(() => dispatcher.runs.latest('job')?.state === 'done', 60_000)
  const run = dispatcher.runs.latest('job')
  const [host] = await city.host.status()
  return { town, run, output: dispatcher.runs.output(run?.trackingId ?? ''), memory: host?.memory ?? 0 }
}

const isAlive = (pid: number): boolean =>
  existsSync(`/proc/${pid}/stat`) && !readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ')

test('an order that hangs is ended with all that it started, whatever that left it for', async () => {
  const { town, run } = await runOrder(
    "sleep 300 & echo $! > a.pid; setsid sh -c 'echo $$ > b.pid; exec sleep 300' & echo begun; sleep 300",
    'timeout = "1s"',
  )
  await using _ = town
  expect(run).toMatchObject({ outcome: 'failed', error: 'context deadline exceeded; output: begun' })
  for (const name of ['a.pid', 'b.pid'])
    expect(isAlive(Number(readFileSync(join(town.path, name), 'utf8')))).toBe(false)
})

test('keeps the last 64 KB of each stream of an order that prints 1 GB, in bounded memory', async () => {
  const { town, run, output, memory } = await runOrder(
    "head -c 1000000000 /dev/zero | tr '\\0' x; echo; echo end; echo why >&2",
    'timeout = "55s"',
  )
  await using _ = town
  expect(run).toMatchObject({ outcome: 'success', exitCode: 0 })
  expect(output?.stdout).toHaveLength(64 * 1024)
  expect(output?.stdout).toEndWith('xxx\nend\n')
  expect(output).toMatchObject({ stderr: 'why\n', truncated: true })
  expect(memory).toBeLessThan(400 << 20)
}, 90_000)

test('the output of a running order can be followed', async () => {
  await using town = testTown()
  const gate = join(town.path, 'go')
  writeOrders(town.path, {
    orders: { job: order(`echo one; while [ ! -e ${gate} ]; do sleep 0.02; done; echo two; exit 3`) },
  })
  const { orderDispatcher: dispatcher } = await town.open()
  await until(() => dispatcher.runs.latest('job') !== undefined)
  const shown: string[] = []
  for await (const progress of dispatcher.follow(
    dispatcher.runs.latest('job')?.trackingId ?? '',
    new AbortController().signal,
  )) {
    shown.push(progress.kind === 'output' ? progress.text : `${progress.run.outcome} ${progress.output?.stdout}`)
    if (progress.kind === 'output') await Bun.write(gate, '')
  }
  expect(shown).toEqual(['one\n', 'two\n', 'failed one\ntwo\n'])
})

test('an order continues when the supervisor is killed, and the next records the result of it', async () => {
  await using world = await World.open()
  const path = world.folder.at('mill')
  mkdirSync(path)
  writeOrders(path, {
    orders: { job: order('echo $$ >> pids; while [ ! -e go ]; do sleep 0.02; done; echo done') },
  })
  const city = await register(world, 'mill', '')
  await until(() => existsSync(join(path, 'pids')))
  await world.kill()
  const [pid = ''] = readFileSync(join(path, 'pids'), 'utf8').split('\n')
  expect(isAlive(Number(pid))).toBe(true)
  await world.start()
  await Bun.write(join(path, 'go'), '')
  const fired = await eventually(
    'the order is over',
    20_000,
    async () => (await city.call('GET ~/events?limit=100')).body.items?.map(({ type }: { type: string }) => type),
    (types: string[] = []) => types.includes('order.completed'),
  )
  expect(fired?.filter((type: string) => type === 'order.fired')).toHaveLength(1)
  expect(readFileSync(join(path, 'pids'), 'utf8')).toBe(`${pid}\n`)
  expect(isAlive(Number(pid))).toBe(false)
})
