import { expect, test } from 'bun:test'
import { UsageDays } from '../../../src/agents/usage/days.ts'
import { scriptedTown } from '../../support/city.ts'

test('a day distinguishes thirty models of an agent, however many names a program makes up, and loses no use', async () => {
  await using town = scriptedTown()
  const { store } = await town.open()
  const days = new UsageDays(store)
  const use = { day: '2026-01-02', rig: '', agent: 'worker', invocations: 1, tokens: 10, cost: 0.5, unpriced: 0 }
  for (let n = 0; n < 100; n++) await store.write((tx) => days.add(tx, { ...use, model: `model-${n}` }))
  await store.write((tx) => days.add(tx, { ...use, model: 'model-7' }))
  await store.write((tx) => days.add(tx, { ...use, agent: 'other', model: 'model-99' }))
  const rows = days.since('2026-01-01')
  const ofWorker = rows.filter(({ agent }) => agent === 'worker')
  expect(ofWorker).toHaveLength(31)
  expect(ofWorker.reduce((sum, { invocations }) => sum + invocations, 0)).toBe(101)
  expect(ofWorker.find(({ model }) => model === 'other models')).toMatchObject({
    invocations: 70,
    tokens: 700,
    cost: 35,
  })
  expect(ofWorker.find(({ model }) => model === 'model-7')).toMatchObject({ invocations: 2 })
  expect(rows.filter(({ agent }) => agent === 'other')).toMatchObject([{ model: 'model-99' }])
})
