import { expect, test } from 'bun:test'
import { until } from '../../support/until.ts'
import { openWork, workTown } from '../../work/world.ts'

const TOML = `
[daemon]
max_wakes_per_tick = 2
[providers.waiter]
command = "sh"
[[agent]]
name = "waiter"
provider = "waiter"
min_active_sessions = 9
`

/** A city whose host answers no start before two have been under way, and notes how many were at most. */
function slowTown() {
  const town = workTown(TOML)
  const { host } = town
  const start = host.start.bind(host)
  const starts = { underWay: 0, most: 0 }
  host.start = async (spec) => {
    starts.most = Math.max(starts.most, ++starts.underWay)
    await until(() => starts.most > 1)
    starts.underWay--
    return start(spec)
  }
  return { town, host, starts }
}

test('a session starts once another has started, and the city limits how many do at a time', async () => {
  const { town, host, starts } = slowTown()
  await using city = await openWork({ town })
  await using _ = town
  expect(city.sessionRepository.live().map(({ state }) => state)).toEqual(Array(9).fill('active'))
  expect([host.starts.length, starts.most]).toEqual([9, 2])
})

test('a start that fails leaves those that were planned after it to the next plan', async () => {
  const { town, host } = slowTown()
  host.startError = 'not yet'
  await using city = await openWork({ town })
  await using _ = town
  expect(host.starts.length).toBe(0)
  // The first failure leaves the others to the next plan, which waits as long as the agent has to.
  expect(city.sessionRepository.live().filter(({ failures }) => failures > 0).length).toBeLessThan(9)
})

test('the next start begins in the commit that records the last one', async () => {
  const agent = '[[agent]]\nname = "worker"\nsession = "acp"\nstart_command = "true"\nmax_active_sessions = 4\n'
  await using city = await openWork({ toml: `[daemon]\nmax_wakes_per_tick = 1\n${agent}` })
  const creating: number[] = []
  city.sessionRepository.onChange(() => {
    creating.push(city.sessionRepository.live().filter(({ state }) => state === 'creating').length)
  })
  for (const title of ['a', 'b', 'c', 'd']) await city.add({ title, metadata: { 'gc.routed_to': 'worker' } })
  await city.settled()
  expect(city.sessionRepository.live().map(({ state }) => state)).toEqual(Array(4).fill('active'))
  expect(creating.slice(creating.indexOf(1), creating.lastIndexOf(1) + 1).every((count) => count === 1)).toBe(true)
})

test('a start of many asks for no plan soon, and any other change does', async () => {
  await using town = workTown(TOML.replace('min_active_sessions = 9', 'min_active_sessions = 40'))
  const { host, clock } = town
  const start = host.start.bind(host)
  const list = host.list.bind(host)
  const gates: (() => void)[] = []
  let plans = 0
  let isOpen = false
  host.start = async (spec) => {
    if (!isOpen) await new Promise<void>((resolve) => gates.push(resolve))
    return start(spec)
  }
  host.list = () => {
    plans++
    return list()
  }
  const city = await town.open()
  const active = () => city.sessionRepository.live().filter(({ state }) => state === 'active').length
  await until(() => gates.length === 2)
  await clock.advance(1_000)
  city.reconciler.wake()
  await clock.advance(50)
  const before = plans
  gates.shift()?.()
  await until(() => active() === 1 && gates.length === 2)
  await clock.advance(100)
  const afterStart = plans
  city.reconciler.wake()
  await clock.advance(100)
  const afterWake = plans
  isOpen = true
  for (const open of gates) open()
  await city.reconciler.settle()
  expect([afterStart, afterWake]).toEqual([before, before + 1])
  expect(active()).toBe(40)
})
