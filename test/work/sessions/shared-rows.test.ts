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
