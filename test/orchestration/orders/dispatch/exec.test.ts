import { describe, expect, test } from 'bun:test'
import { hashToken } from '../../../../src/core/text/credentials.ts'
import { actorOf } from '../../../../src/http/actor-of.ts'
import { human, workTown } from '../../../work/world.ts'
import { openOrders } from './world.ts'

const TIDY = 'trigger = "cooldown"\ninterval = "5m"\nexec = "tidy"\ntimeout = "2m"\n'
const MINUTE = 60_000

describe('an order whose interval has passed', () => {
  test('runs its command with a tracking bead, and ends with what that printed', async () => {
    await using work = await openOrders({ orders: { tidy: TIDY } })
    const [run] = work.dispatcher.runs.live()
    const id = run?.trackingId ?? ''
    expect(run).toMatchObject({ scopedName: 'tidy', kind: 'exec', cause: 'cooldown', state: 'running' })
    expect(work.beadRepository.get(id)).toMatchObject({
      ...{ title: 'order:tidy', status: 'open', no_history: true, labels: ['order-run:tidy', 'order-tracking'] },
    })
    const began = work.log.after(0, 100).filter(({ type }) => /^(bead|order)\./.test(type))
    expect(began.map(({ type, subject }) => `${type} ${subject}`)).toEqual([`bead.created ${id}`, 'order.fired tidy'])
    await work.end('tidy', 0, ['tidied'], 'warn')
    expect(work.recorded()).toEqual([`bead.updated ${id}`, `bead.closed ${id}`, 'order.completed tidy'])
    expect(work.beadRepository.get(id)).toMatchObject({
      ...{ status: 'closed', labels: ['order-run:tidy', 'order-tracking', 'exec'] },
      metadata: {
        close_reason: 'order dispatch completed: tracking bead lifecycle finished',
        'convergence.gate_stdout': 'tidied',
        'convergence.gate_stderr': 'warn',
        'convergence.gate_exit_code': '0',
        'convergence.gate_duration_ms': '0',
        'convergence.gate_truncated': 'false',
      },
    })
    expect(work.dispatcher.runs.find(id)).toMatchObject({
      state: 'done',
      outcome: 'success',
      exitCode: 0,
      tokenHash: null,
    })
    expect(work.dispatcher.runs.output(id)).toMatchObject({ stdout: 'tidied', stderr: 'warn', truncated: false })
  })

  test('runs again when the interval has passed since it began, and not while it runs', async () => {
    await using work = await openOrders({ orders: { tidy: TIDY } })
    await work.end('tidy')
    await work.pass(5 * MINUTE - 1)
    expect(work.running()).toEqual([])
    await work.pass(1)
    expect(work.running()).toEqual(['tidy'])
    work.recorded()
    await work.pass(MINUTE)
    expect(work.recorded()).toEqual([])
  })

  test('that runs over its timeout is ended, and has failed', async () => {
    await using work = await openOrders({ orders: { tidy: TIDY } })
    work.recorded()
    await work.pass(2 * MINUTE)
    expect(work.running()).toEqual([])
    expect(work.recorded().at(-1)).toBe('order.failed tidy')
    expect(work.last()?.message).toBe('context deadline exceeded')
    expect(work.dispatcher.runs.latest('tidy')).toMatchObject({ outcome: 'failed', exitCode: null })
  })

  test('that fails says so with the end of what it printed', async () => {
    await using work = await openOrders({ orders: { tidy: TIDY } })
    await work.end('tidy', 7, ['one'], 'two\n')
    expect(work.last()).toMatchObject({ type: 'order.failed', message: 'exit status 7; output: one\ntwo', payload: {} })
    expect(work.beadRepository.get(work.dispatcher.runs.latest('tidy')?.trackingId ?? '').labels).toEqual([
      ...['order-run:tidy', 'order-tracking', 'exec-failed'],
    ])
  })

  test('that fails three times in a row needs attention until it succeeds', async () => {
    await using work = await openOrders({ orders: { tidy: 'trigger = "manual"\nexec = "tidy"' } })
    const failing = async () => {
      await work.pass(1_000)
      await work.attention.whenIdle()
      return work.attention.list().items.filter(({ kind }) => kind === 'order')
    }
    for (const expected of [0, 0, 1]) {
      await work.run('tidy')
      await work.end('tidy', 2, [], 'no room\n')
      expect(await failing()).toHaveLength(expected)
    }
    expect(await failing()).toMatchObject([
      {
        id: 'order-failing:tidy',
        asks: 'The last 3 runs of order tidy failed: exit status 2; output: no room',
        to_do: 'fix the cause and run gc order run tidy, or gc order disable tidy',
      },
    ])
    await work.run('tidy')
    await work.end('tidy')
    expect(await failing()).toEqual([])
  })

  test('waits for its interval again when the clock was set back, and runs once when it was set ahead', async () => {
    await using work = await openOrders({ orders: { tidy: TIDY } })
    await work.end('tidy')
    work.clock.step(-86_400_000)
    await work.pass(5 * MINUTE + 1000)
    expect(work.running()).toEqual(['tidy'])
    await work.end('tidy')
    work.clock.step(86_400_000)
    await work.pass(MINUTE)
    expect(work.running()).toEqual(['tidy'])
    await work.end('tidy')
    await work.pass(4 * MINUTE)
    expect(work.running()).toEqual([])
  })
})

describe('the command of an order', () => {
  const orders = {
    ship: `trigger = "manual"
exec = "ship"
env = { WHERE = "here" }
[order.params.ref]
required = true`,
  }

  test('finds where it is, its own variables and its arguments in its environment', async () => {
    await using work = await openOrders({ orders })
    await work.run('ship', { ref: 'it\'s\n$(x) "y"', 'other-one': '2' })
    const { env, cwd, argv } = work.startOf('ship') ?? {}
    expect({ cwd, argv }).toEqual({ cwd: work.town.path, argv: ['/bin/sh', '-c', 'ship'] })
    expect(env).toMatchObject({
      ...{ WHERE: 'here', GC_WEBHOOK_ARG_REF: 'it\'s\n$(x) "y"', GC_WEBHOOK_ARG_OTHER_ONE: '2' },
      ...{ ORDER_DIR: `${work.town.path}/orders`, PACK_DIR: work.town.path, GC_STORE_ROOT: work.town.path },
      ...{ GC_STORE_SCOPE: 'city', GC_BEADS_PREFIX: 'mi', BEADS_ACTOR: 'order:ship', GC_CITY: work.town.path },
      ...{ BEADS_DIR: `${work.town.path}/.beads`, GC_CITY_NAME: 'mill', GC_API_BASE_URL: env?.GC_URL },
    })
    expect(env?.GC_URL).toStartWith('http')
  })

  test('has a token of its own, which is the order to the event log and ends with it', async () => {
    await using work = await openOrders({ orders })
    await work.run('ship', { ref: 'main' })
    const hash = hashToken(work.startOf('ship')?.env.GC_TOKEN ?? '')
    const caller = work.tokens.caller(hash)
    if (caller === undefined || caller === 'ended') throw new Error('its token is not good')
    expect(caller).toMatchObject({ kind: 'process', name: 'order:ship' })
    await work.beads.create(caller, { title: 'shipped' })
    expect(work.last()).toMatchObject({ type: 'bead.created', actor: 'order:ship' })
    await work.end('ship')
    expect(work.tokens.caller(hash)).toBeUndefined()
  })

  test('is not started without an argument that it needs, and nothing is recorded', async () => {
    await using work = await openOrders({ orders })
    work.recorded()
    const without: Record<string, string>[] = [{}, { ref: '' }]
    for (const vars of without) {
      await expect(work.run('ship', vars)).rejects.toThrow(
        'order ship needs the argument ref: gc order run ship --var ref=<value>',
      )
    }
    await expect(work.run('ship', { ref: 'a\0b' })).rejects.toThrow('NUL')
    expect(work.recorded()).toEqual([])
  })

  test('that cannot be started has failed with the reason', async () => {
    const town = workTown()
    await using work = await openOrders({ town, orders: { ship: 'trigger = "manual"\nexec = "ship"' } })
    const start = town.host.start
    town.host.start = async () => {
      throw new Error('the folder is gone')
    }
    const id = await work.run('ship')
    town.host.start = start
    expect(work.last()).toMatchObject({ type: 'order.failed', message: 'the folder is gone' })
    expect(work.dispatcher.runs.find(id)).toMatchObject({ state: 'done', outcome: 'failed' })
    await work[Symbol.asyncDispose]()
    await town[Symbol.asyncDispose]()
  })

  test('continues over a restart of the city, and its exit is recorded by the next', async () => {
    const town = workTown()
    const first = await openOrders({ town, orders: { ship: 'trigger = "manual"\nexec = "ship"' } })
    const id = await first.run('ship')
    const hash = hashToken(first.startOf('ship')?.env.GC_TOKEN ?? '')
    await first[Symbol.asyncDispose]()
    await using work = await openOrders({ town })
    expect(work.tokens.caller(hash)).toMatchObject({ name: 'order:ship' })
    expect(work.host.starts.filter(({ argv }) => argv[2] === 'ship')).toHaveLength(1)
    await work.end('ship', 0, ['done'])
    expect(work.dispatcher.runs.find(id)).toMatchObject({ state: 'done', outcome: 'success' })
    await work[Symbol.asyncDispose]()
    await town[Symbol.asyncDispose]()
  })

  test('is interrupted, and not started again, when its host was lost', async () => {
    await using work = await openOrders({ orders: { ship: 'trigger = "manual"\nexec = "ship"' } })
    await work.run('ship')
    await work.host.lose(work.keyOf('ship'))
    await work.settled()
    expect(work.running()).toEqual([])
    expect(work.last()).toMatchObject({ type: 'order.failed', message: 'interrupted: its session host was lost' })
  })
})

test('a run that is asked for starts whatever else of its order runs', async () => {
  await using work = await openOrders({ orders: { tidy: TIDY } })
  await work.run('tidy')
  expect(work.running()).toEqual(['tidy', 'tidy'])
})

test('many orders that are due together all run once, sixteen at a time', async () => {
  const names = Array.from({ length: 60 }, (_, n) => `o${n}`)
  const orders = Object.fromEntries(
    names.map((name) => [name, `trigger = "cooldown"\ninterval = "1h"\nexec = "${name}"`]),
  )
  await using work = await openOrders({ orders })
  const ran: string[] = []
  for (let running = work.running(); running.length > 0; running = work.running()) {
    expect(running.length).toBeLessThanOrEqual(16)
    ran.push(...running)
    for (const line of running) await work.host.exit(work.keyOf(line))
    await work.settled()
  }
  expect(ran.sort()).toEqual(names.sort())
})

test('orders started by webhooks run eight at a time, each once, without delaying due orders', async () => {
  const hook = 'trigger = "webhook"\nexec = "hook"\n[order.params.n]\n'
  await using work = await openOrders({ orders: { hook, tidy: TIDY } })
  await work.end('tidy')
  await work.pass(5 * MINUTE - 1)
  const request = { vars: {}, cause: 'webhook', actor: actorOf(human) } as const
  for (let n = 0; n < 30; n++) await work.dispatcher.run(work.order('hook'), request)
  await work.pass(1)
  expect(work.running().toSorted()).toEqual([...Array<string>(8).fill('hook'), 'tidy'])
  let ran = 0
  for (; work.running().includes('hook'); ran++) await work.end('hook')
  expect(ran).toBe(30)
  expect(work.dispatcher.runs.live().map(({ scopedName }) => scopedName)).toEqual(['tidy'])
})

test('in a suspended city or rig no order starts, and what is due starts when it is resumed', async () => {
  await using work = await openOrders({ orders: { tidy: TIDY } })
  await work.end('tidy')
  await work.store.write((tx) => void work.suspensions.set(tx, 'city', '', true, false))
  await work.pass(6 * MINUTE)
  expect(work.running()).toEqual([])
  await work.store.write((tx) => void work.suspensions.set(tx, 'city', '', false, false))
  await work.settled()
  expect(work.running()).toEqual(['tidy'])
})
