import { describe, expect, test } from 'bun:test'
import { human, workTown } from '../../../work/world.ts'
import { openOrders } from './world.ts'

const LINE = `formula = "line"
version = 2
contract = "graph.v2"
[requires]
formula_compiler = ">=2.0.0"
[[steps]]
id = "first"
title = "First"
[[steps]]
id = "second"
title = "Second"
needs = ["first"]
`
const TICK = `formula = "tick"
phase = "vapor"
description = "tick"
[[steps]]
id = "one"
title = "One"
`
const LAPS = `formula = "laps"
[[steps]]
id = "one"
title = "One"
`

describe('a formula order', () => {
  test('makes the beads of its formula for its pool, and is over once they are there', async () => {
    await using work = await openOrders({
      orders: { line: 'trigger = "manual"\nformula = "line"\npool = "clerk"' },
      formulas: { line: LINE },
    })
    work.recorded()
    const id = await work.run('line')
    const run = work.dispatcher.runs.find(id)
    const root = work.beadRepository.get(run?.rootId ?? '')
    expect(run).toMatchObject({ state: 'done', outcome: 'success', rootOpen: true })
    expect(root).toMatchObject({ status: 'open', labels: ['order-run:line'] })
    expect(root.metadata).toMatchObject({ 'gc.routed_to': 'clerk', 'gc.scope_kind': 'city', 'gc.scope_ref': 'mill' })
    expect(work.beadRepository.get(id).labels).toEqual(['order-run:line', 'order-tracking', 'wisp'])
    const events = work.recorded()
    expect(events.slice(0, 2)).toEqual([`bead.created ${id}`, 'order.fired line'])
    expect(events).toContain('order.completed line')
    expect(work.runs.get(root.id).status).toBe('pending')
  })

  test('is not started again while what it made is open', async () => {
    await using work = await openOrders({
      orders: { tick: 'trigger = "cooldown"\ninterval = "1m"\nformula = "tick"\npool = "clerk"' },
      formulas: { tick: TICK },
    })
    const first = work.dispatcher.runs.latest('tick')
    await work.pass(180_000)
    expect(work.dispatcher.runs.latest('tick')?.trackingId).toBe(first?.trackingId ?? '')
    await work.beads.close(human, first?.rootId ?? '')
    await work.settled()
    expect(work.dispatcher.runs.latest('tick')?.trackingId).not.toBe(first?.trackingId ?? '')
  })

  test('that waits for events is labelled with what it covers, and what it made does not start it', async () => {
    await using work = await openOrders({
      orders: { line: 'trigger = "event"\non = "bead.closed"\nformula = "tick"\npool = "clerk"' },
      formulas: { tick: TICK },
    })
    await work.beads.close(human, (await work.add({ title: 'one' })).id)
    await work.settled()
    const run = work.dispatcher.runs.latest('line')
    expect(work.beadRepository.get(run?.rootId ?? '').labels).toEqual([
      ...['order-run:line', 'order:line', `seq:${run?.seq}`],
    ])
    await work.beads.close(human, run?.rootId ?? '')
    await work.pass(5000)
    expect(work.dispatcher.runs.latest('line')?.trackingId).toBe(run?.trackingId ?? '')
  })

  test('fails without leaving anything when its formula cannot run', async () => {
    await using work = await openOrders({ orders: { lost: 'trigger = "manual"\nformula = "no-such"' } })
    work.recorded()
    const id = await work.run('lost')
    expect(work.recorded()).toEqual([
      ...[`bead.created ${id}`, 'order.fired lost', `bead.updated ${id}`, `bead.closed ${id}`, 'order.failed lost'],
    ])
    expect(work.last()?.message).toContain('no-such')
    expect(work.beadRepository.get(id).labels).toEqual(['order-run:lost', 'order-tracking', 'wisp', 'wisp-failed'])
  })

  test('sends a molecule to a pool with a warning, and leaves a name that no one has unchanged', async () => {
    await using work = await openOrders({
      toml: '[[agent]]\nname = "many"\nstart_command = "true"\nmax_active_sessions = 3\n',
      orders: {
        laps: 'trigger = "manual"\nformula = "laps"\npool = "many"',
        nobody: 'trigger = "manual"\nformula = "tick"\npool = "somebody"',
      },
      formulas: { laps: LAPS, tick: TICK },
    })
    const root = (id: string) => work.beadRepository.get(work.dispatcher.runs.find(id)?.rootId ?? '')
    expect(root(await work.run('laps'))).toMatchObject({ issue_type: 'molecule', metadata: { 'gc.routed_to': 'many' } })
    expect(work.errors.join('\n')).toContain('order laps: the root of formula laps is a molecule')
    const { rootId: laps } = work.dispatcher.runs.latest('laps') ?? {}
    expect(work.attention.list().items).toMatchObject([
      { id: `run:${laps}`, kind: 'run', asks: expect.stringContaining('no session of the pool many is offered') },
    ])
    await work.runs.cancel(human, laps ?? '')
    expect(work.attention.list().items).toEqual([])
    expect(root(await work.run('nobody')).metadata).toMatchObject({ 'gc.routed_to': 'somebody' })
  })

  test('that was begun when the city closed is made by the next', async () => {
    const town = workTown()
    const first = await openOrders({
      ...{ town, orders: { tick: 'trigger = "manual"\nformula = "tick"\npool = "clerk"' }, formulas: { tick: TICK } },
    })
    const order = first.order('tick')
    const begun = first.dispatcher.run(order, { vars: {}, cause: 'run', actor: { kind: 'human', name: 'human' } })
    const { trackingId } = await begun
    await first[Symbol.asyncDispose]()
    await using work = await openOrders({ town })
    expect(work.dispatcher.runs.find(trackingId)).toMatchObject({ state: 'done', outcome: 'success' })
    await work[Symbol.asyncDispose]()
    await town[Symbol.asyncDispose]()
  })
})
