import { describe, expect, test } from 'bun:test'
import {
  cursorAfter,
  cursorAfterKey,
  cursorAfterSeq,
  parseBoundaryCursor,
  parseKeyCursor,
  parseSeqCursor,
} from '../../src/http/respond/cursor.ts'

const pack = (text: string) => `v1:${Buffer.from(text).toString('base64url')}`

describe('cursors', () => {
  test('decode to the row they were created from', () => {
    const row = { createdAt: '2026-01-05T09:00:00.123456789Z', id: 'mp-7' }
    expect(parseBoundaryCursor(cursorAfter(row))).toEqual(row)
    expect(parseBoundaryCursor(cursorAfter({ id: 'mp-7' }))).toEqual({ id: 'mp-7' })
    expect(parseSeqCursor(cursorAfterSeq(42))).toBe(42)
  })

  test('are encoded as v1 and the unpadded base64url of their JSON', () => {
    expect(cursorAfterSeq(7)).toBe(pack('{"k":"sq","s":7}'))
    expect(cursorAfter({ createdAt: '2026-01-05T09:00:00Z', id: 'a' })).toBe(
      pack('{"k":"cb","ca":"2026-01-05T09:00:00Z","id":"a"}'),
    )
  })

  test('are optional', () => {
    expect(parseBoundaryCursor(undefined)).toBeUndefined()
    expect(parseBoundaryCursor('')).toBeUndefined()
    expect(parseSeqCursor(undefined)).toBeUndefined()
  })

  const invalid: [string, string][] = [
    ['a legacy offset', '100'],
    ['no version', pack('{"k":"cb","id":"a"}').slice(3)],
    ['another version', pack('{"k":"cb","id":"a"}').replace('v1', 'v2')],
    ['invalid base64', 'v1:***'],
    ['padding', 'v1:e30='],
    ['invalid JSON', pack('nonsense')],
    ['a non-object', pack('7')],
    ['null', pack('null')],
    ['another kind', pack('{"k":"xx"}')],
    ['no id', pack('{"k":"cb","ca":"2026-01-05T09:00:00Z"}')],
    ['an empty id', pack('{"k":"cb","id":""}')],
    ['an invalid time', pack('{"k":"cb","ca":"soon","id":"a"}')],
    ['event number 0', pack('{"k":"sq","s":0}')],
    ['a fractional event number', pack('{"k":"sq","s":1.5}')],
    ['an event number as a string', pack('{"k":"sq","s":"7"}')],
  ]
  test.each(invalid)('with %s are rejected', (_, cursor) => {
    expect(() => parseBoundaryCursor(cursor)).toThrow(expect.objectContaining({ code: 'invalid-cursor', status: 400 }))
    expect(() => parseSeqCursor(cursor)).toThrow(expect.objectContaining({ code: 'invalid-cursor', status: 400 }))
  })

  test('of one kind of list are rejected by the other', () => {
    expect(() => parseSeqCursor(cursorAfter({ id: 'a' }))).toThrow(expect.objectContaining({ code: 'invalid-cursor' }))
    expect(() => parseBoundaryCursor(cursorAfterSeq(3))).toThrow(expect.objectContaining({ code: 'invalid-cursor' }))
  })
})

test('a numeric cursor is valid only for the list it names', () => {
  const cursor = cursorAfterKey('posts.hot', [12.25, 1_700_000_000_000, 7])
  expect(parseKeyCursor(cursor, 'posts.hot', 3)).toEqual([12.25, 1_700_000_000_000, 7])
  expect(parseKeyCursor(undefined, 'posts.hot', 3)).toBeUndefined()
  for (const wrong of ['posts.new', 'posts'])
    expect(() => parseKeyCursor(cursor, wrong, 3)).toThrow('not one of this list')
  expect(() => parseKeyCursor(cursor, 'posts.hot', 2)).toThrow('not one of this list')
  expect(() => parseKeyCursor('junk', 'posts.hot', 3)).toThrow('not one of this list')
})
