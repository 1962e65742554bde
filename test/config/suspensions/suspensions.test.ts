import { expect, test } from 'bun:test'
import { query } from '../../../src/core/store/index.ts'
import { scriptedTown } from '../../support/city.ts'

test('a suspension is a row only while it differs from what is declared', async () => {
  await using town = scriptedTown()
  const { store, suspensions, log } = await town.open()
  const { head } = log
  let notified = 0
  suspensions.onChange(() => notified++)
  const set = (suspended: boolean, declared: boolean) =>
    store.write((tx) => suspensions.set(tx, 'agent', 'shop/w', suspended, declared))
  const rows = () => store.all(query<unknown>('SELECT kind, name, suspended FROM suspensions'))

  expect(suspensions.isSuspended('agent', 'shop/w', false)).toBe(false)
  expect(await set(true, false)).toBe(true)
  expect(await set(true, false)).toBe(false)
  expect(rows()).toEqual([{ kind: 'agent', name: 'shop/w', suspended: 1 }])
  expect(suspensions.isSuspended('agent', 'shop/w', false)).toBe(true)
  expect(suspensions.isSuspended('rig', 'shop/w', false)).toBe(false)
  expect(await set(false, false)).toBe(true)
  expect(rows()).toEqual([])

  expect(await set(false, true)).toBe(true)
  expect(suspensions.explicit('agent', 'shop/w')).toBe(false)
  await store.write((tx) => suspensions.delete(tx, 'agent', 'shop/w'))
  expect(suspensions.isSuspended('agent', 'shop/w', true)).toBe(true)
  expect(notified).toBe(4)
  const recorded = log.after(head, 10).map(({ type, subject }) => [type, subject])
  expect(recorded).toEqual([
    ['agent.suspended', 'shop/w'],
    ['agent.resumed', 'shop/w'],
    ['agent.resumed', 'shop/w'],
  ])
  await store.write((tx) => suspensions.set(tx, 'rig', 'shop', true, false))
  await store.write((tx) => suspensions.set(tx, 'rig', 'shop', false, false))
  expect(log.after(head + 3, 10).map(({ type, subject }) => [type, subject])).toEqual([
    ['rig.suspended', 'shop'],
    ['rig.resumed', 'shop'],
  ])
})
