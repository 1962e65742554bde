import { expect, test } from 'bun:test'
import { hashToken } from '../../../src/core/text/credentials.ts'
import { SessionTokens } from '../../../src/work/sessions/tokens.ts'
import { openWork } from '../world.ts'

const MIRROR = { issued: () => {}, ended: () => {} }

test('a token is good from its issue until it is revoked, and stays good when that is undone', async () => {
  await using city = await openWork()
  const { id } = await city.session('crew')
  const { store, clock } = city
  const tokens = new SessionTokens(store, clock, MIRROR)
  const undoneIssue = store.write((tx) => {
    const token = tokens.issue(tx, id, 7)
    expect(tokens.find(hashToken(token))).toEqual({ session: id, generation: 7 })
    throw new Error(token)
  })
  const unissued = await undoneIssue.then(String, ({ message }: Error) => message)
  expect(tokens.find(hashToken(unissued))).toBeUndefined()
  const hash = hashToken(await store.write((tx) => tokens.issue(tx, id, 8)))
  expect(tokens.find(hash)).toEqual({ session: id, generation: 8 })
  const undone = store.write((tx) => {
    tokens.revoke(tx, id)
    expect(tokens.find(hash)).toBe('ended')
    throw new Error('given up')
  })
  await expect(undone).rejects.toThrow('given up')
  expect(tokens.find(hash)).toEqual({ session: id, generation: 8 })
  await store.write((tx) => tokens.revoke(tx, id))
  expect(tokens.find(hash)).toBe('ended')
})
