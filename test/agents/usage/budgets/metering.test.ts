import { describe, expect, test } from 'bun:test'
import type { City } from '../../../../src/city/city.ts'
import { command } from '../../../../src/core/store/index.ts'
import { human } from '../../../../src/http/guard.ts'
import { type ScriptedTown, scriptedTown } from '../../../support/city.ts'
import { until } from '../../../support/until.ts'

const agent = (name: string, more: string) => `[[agent]]\nname = "${name}"\nmax_active_sessions = 1\n${more}\n`
const TOML = `[providers.mine]
base = "builtin:claude"
command = "cat"
path_check = "cat"
prompt_mode = "none"
${agent('script', 'start_command = "cat"')}
${agent('free', 'start_command = "cat"\ncost = "none"')}
${agent('counted', 'provider = "mine"')}
${agent('protocol', 'start_command = "cat"\nsession = "acp"')}
${agent('resting', 'start_command = "cat"\nsuspended = true')}
`
const BUDGET = { scope: 'city', unit: 'usd', per: 'day', limit: 5 } as const

async function sling(city: City, ...agents: string[]): Promise<void> {
  for (const to of agents) await city.beads.create(human, { title: 'oil', metadata: { 'gc.routed_to': to } })
  await city.reconciler.settle()
}

/** The agents that were started at any time: sessions without work are let go. */
const started = ({ host }: ScriptedTown) => [...new Set(host.starts.map(({ env }) => env.GC_TEMPLATE ?? ''))].sort()

const held = (city: City) =>
  city.attention
    .list()
    .items.filter(({ kind }) => kind === 'budget')
    .map(({ id }) => id)

describe('an agent whose program does not report what it uses', () => {
  test('gets no turn under a budget and waits for a person, unless it is declared to cost nothing', async () => {
    await using town = scriptedTown(TOML)
    const city = await town.open()
    await city.budgets.set(human, BUDGET)
    await sling(city, 'script', 'free', 'counted')
    for (let hour = 0; hour < 3; hour++) {
      await town.clock.advance(3_600_000)
      await city.reconciler.settle()
    }
    expect(started(town)).toEqual(['counted', 'free'])
    expect(held(city)).toEqual(['uncounted:script'])
    expect(city.budgets.list()).toMatchObject({ strict: true, uncounted: [{ agent: 'script' }] })
    expect(city.attention.list().items.find(({ id }) => id === 'uncounted:script')).toMatchObject({
      agent: 'script',
      asks: 'script gets no turn: its program does not report what it uses, which the budget of the city in dollars a day has to count.',
      to_do: 'declare cost = "none" on the agent if it costs nothing, or remove the budget',
    })
    await city.budgets.remove(human, BUDGET)
    await town.clock.advance(1000)
    await city.reconciler.settle()
    expect(started(town)).toEqual(['counted', 'free', 'script'])
    expect(held(city)).toEqual([])
    const types = city.log.after(0, 5000).map(({ type }) => type)
    expect(types.filter((type) => type.startsWith('budget.'))).toEqual(['budget.set', 'budget.removed'])
  })

  test('by protocol is held from the end of its first turn on, until it reports', async () => {
    await using town = scriptedTown(TOML)
    const city = await town.open()
    await city.budgets.set(human, { ...BUDGET, scope: 'agent', name: 'protocol' })
    await sling(city, 'protocol')
    const [key = ''] = town.host.running
    await town.host.failTurn(key, 'no connection')
    await town.host.beginTurn(key)
    await town.clock.advance(1000)
    expect(held(city)).toEqual([])
    await town.host.finishTurn(key)
    await until(() => held(city).length === 1)
    const [session] = city.sessionRepository.live()
    await city.store.write((tx) => city.sessionRecords.queue.add(tx, session?.id ?? '', 'Go on.'))
    await town.clock.advance(30_000)
    await city.reconciler.settle()
    expect(town.host.prompts).toEqual([])
    expect(city.budgets.blocks({ qualified: 'protocol' })).toContain('its program does not report what it uses')
    await town.host.beginTurn(key)
    const update = { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'Done.' } }
    await town.host.report(key, { type: 'update', update })
    await town.host.finishTurn(key, { inputTokens: 10, model_usage: [{ model: 'claude-opus-4-5' }] })
    await until(() => held(city).length === 0)
    await town.clock.advance(1000)
    await until(() => town.host.prompts.length === 1)
  })

  test('by protocol is held over a reload and a restart, until its program is another', async () => {
    await using town = scriptedTown(TOML)
    const before = await town.open()
    await before.budgets.set(human, { ...BUDGET, scope: 'agent', name: 'protocol' })
    await sling(before, 'protocol')
    await town.host.finishTurn(town.host.running[0] ?? '')
    await until(() => held(before).length === 1)
    town.declare(`${TOML}\n[daemon]\npatrol_interval = "1m"\n`)
    await before.config.reload()
    expect(held(before)).toEqual(['uncounted:protocol'])
    await before.close({ endSessions: true })
    const city = await town.open()
    expect(held(city)).toEqual(['uncounted:protocol'])
    town.declare(TOML.replace('start_command = "cat"\nsession', 'start_command = "cat -u"\nsession'))
    await city.config.reload()
    expect(held(city)).toEqual([])
  })

  test('works on uncounted in a city that an earlier gc had open, and is listed, until budgets are made strict', async () => {
    await using town = scriptedTown(TOML)
    const before = await town.open()
    await before.store.write((tx) => void tx.run(command('INSERT INTO lenient_budgets (since) VALUES (0)')))
    await before.close({ endSessions: true })
    const city = await town.open()
    await city.budgets.set(human, BUDGET)
    await sling(city, 'script')
    expect(started(town)).toEqual(['script'])
    expect(city.budgets.list()).toMatchObject({ strict: false, uncounted: [{ agent: 'script' }] })
    expect(city.attention.list().items.find(({ id }) => id === 'uncounted:script')).toMatchObject({
      asks: 'script works uncounted: its program does not report what it uses, which the budget of the city in dollars a day has to count.',
      to_do: 'declare cost = "none" on the agent if it costs nothing, or give it no turn until then: gc budget strict',
    })
    const { head } = city.log
    for (const _ of ['once', 'again']) expect((await city.budgets.makeStrict(human)).strict).toBe(true)
    const types = city.log.after(head, 5000).map(({ type }) => type)
    expect(types.filter((type) => type.startsWith('budget.'))).toEqual(['budget.strict'])
    expect(city.budgets.blocks({ qualified: 'script' })).toContain('its program does not report what it uses')
    await city.close({ endSessions: true })
    const after = await town.open()
    expect(after.budgets.list()).toMatchObject({ strict: true, uncounted: [{ agent: 'script' }] })
    expect(after.attention.list().items.find(({ id }) => id === 'uncounted:script')?.asks).toStartWith(
      'script gets no turn',
    )
  })
})
