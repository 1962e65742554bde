import { expect, test } from 'bun:test'
import { human, openWork } from '../world.ts'

test('a session is found as it is after each write, also within the write and after one that failed', async () => {
  await using city = await openWork()
  const { id } = await city.session('crew')
  const { sessionRepository: sessions, store } = city
  sessions.live()
  expect(sessions.find(id)?.reason).toBe('')
  await store.write((tx) => {
    sessions.update(tx, id, { reason: 'first' })
    expect(sessions.find(id)?.reason).toBe('first')
  })
  expect(sessions.find(id)?.reason).toBe('first')
  sessions.live()
  const failed = store.write((tx) => {
    sessions.update(tx, id, { reason: 'never' })
    expect(sessions.find(id)?.reason).toBe('never')
    throw new Error('given up')
  })
  await expect(failed).rejects.toThrow('given up')
  expect(sessions.find(id)?.reason).toBe('first')
  expect(sessions.live().find((row) => row.id === id)?.reason).toBe('first')
  await city.sessions.running.close(id, human)
  expect(sessions.live().some((row) => row.id === id)).toBe(false)
  expect(sessions.find(id)?.state).toBe('closed')
})

test('the live sessions are those on disk, in their order, whatever was written in whatever order', async () => {
  await using city = await openWork()
  const { sessionRepository: sessions, store } = city
  const first = (await city.session('crew')).id
  const stored = () => sessions.liveByTemplate('press/hand')
  expect(sessions.live()).toEqual(stored())
  const second = (await city.session('second')).id
  const third = (await city.session('third')).id
  expect(sessions.live().map(({ id }) => id)).toEqual([third, second, first])
  await store.write((tx) => {
    sessions.update(tx, second, { reason: 'changed' })
    sessions.remove(tx, third)
    expect(sessions.live().map(({ id, reason }) => [id, reason])).toEqual([
      [second, 'changed'],
      [first, ''],
    ])
  })
  expect(sessions.live()).toEqual(stored())
  const failed = store.write((tx) => {
    sessions.remove(tx, first)
    expect(sessions.live().map(({ id }) => id)).toEqual([second])
    throw new Error('given up')
  })
  await expect(failed).rejects.toThrow('given up')
  expect(sessions.live()).toEqual(stored())
  const before = sessions.find(first)
  await store.write((tx) => void sessions.update(tx, second, { reason: 'again' }))
  expect(sessions.live()).toEqual(stored())
  expect(sessions.live().find(({ id }) => id === first)).toBe(before)
})

test('the list of live sessions that somebody holds stays as it was', async () => {
  await using city = await openWork()
  const { sessionRepository: sessions, store } = city
  const ids = [await city.session('first'), await city.session('second'), await city.session('third')].map(
    ({ id }) => id,
  )
  const [first = '', second = ''] = ids
  const held = sessions.live()
  const copy = structuredClone(held)
  await store.write((tx) => {
    sessions.remove(tx, first)
    sessions.update(tx, second, { reason: 'changed' })
  })
  await city.session('fourth')
  expect(sessions.live()).toEqual(sessions.liveByTemplate('press/hand'))
  expect(sessions.live()).toHaveLength(3)
  expect(held).toEqual(copy)
})
