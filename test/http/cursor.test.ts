import { describe, expect, test } from 'bun:test'
import {
  cursorAfter,
  cursorAfterKey,
  cursorAfterSeq,
  parseBoundaryCursor,
  parseKeyCursor,
  parseSeqCursor,
} from '../../src/http/cursor.ts'

const pack = (text: string) => `v1:${Buffer.from(text).toString('base64url')}`

describe('cursors', () => {
  test('lead back to the row they were made of', () => {
    const row = { createdAt: '2026-01-05T09:00:00.123456789Z', id: 'mp-7' }
    expect(parseBoundaryCursor(cursorAfter(row))).toEqual(row)
    expect(parseBoundaryCursor(cursorAfter({ id: 'mp-7' }))).toEqual({ id: 'mp-7' })
    expect(parseSeqCursor(cursorAfterSeq(42))).toBe(42)
  })

  test('are written as v1 and unpadded base64url of their JSON', () => {
    expect(cursorAfterSeq(7)).toBe(pack('{"k":"sq","s":7}'))
    expect(cursorAfter({ createdAt: '2026-01-05T09:00:00Z', id: 'a' })).toBe(
      pack('{"k":"cb","ca":"2026-01-05T09:00:00Z","id":"a"}'),
    )
  })

  test('may be absent', () => {
    expect(parseBoundaryCursor(undefined)).toBeUndefined()
    expect(parseBoundaryCursor('')).toBeUndefined()
    expect(parseSeqCursor(undefined)).toBeUndefined()
  })

  const strange: [string, string][] = [
    ['an offset of old', '100'],
    ['no version', pack('{"k":"cb","id":"a"}').slice(3)],
    ['another version', pack('{"k":"cb","id":"a"}').replace('v1', 'v2')],
    ['no base64', 'v1:***'],
    ['padding', 'v1:e30='],
    ['no JSON', pack('nonsense')],
    ['no object', pack('7')],
    ['null', pack('null')],
    ['another kind', pack('{"k":"xx"}')],
    ['no id', pack('{"k":"cb","ca":"2026-01-05T09:00:00Z"}')],
    ['an empty id', pack('{"k":"cb","id":""}')],
    ['no time where one is named', pack('{"k":"cb","ca":"soon","id":"a"}')],
    ['event 0', pack('{"k":"sq","s":0}')],
    ['half an event', pack('{"k":"sq","s":1.5}')],
    ['an event in words', pack('{"k":"sq","s":"7"}')],
  ]
  test.each(strange)('with %s are turned down', (_, cursor) => {
    expect(() => parseBoundaryCursor(cursor)).toThrow(expect.objectContaining({ code: 'invalid-cursor', status: 400 }))
    expect(() => parseSeqCursor(cursor)).toThrow(expect.objectContaining({ code: 'invalid-cursor', status: 400 }))
  })

  test('of one kind of list are turned down by the other', () => {
    expect(() => parseSeqCursor(cursorAfter({ id: 'a' }))).toThrow(expect.objectContaining({ code: 'invalid-cursor' }))
    expect(() => parseBoundaryCursor(cursorAfterSeq(3))).toThrow(expect.objectContaining({ code: 'invalid-cursor' }))
  })
})

test('a cursor by numbers names its list, and is no other list’s', () => {
  const cursor = cursorAfterKey('posts.hot', [12.25, 1_700_000_000_000, 7])
  expect(parseKeyCursor(cursor, 'posts.hot', 3)).toEqual([12.25, 1_700_000_000_000, 7])
  expect(parseKeyCursor(undefined, 'posts.hot', 3)).toBeUndefined()
  for (const wrong of ['posts.new', 'posts'])
    expect(() => parseKeyCursor(cursor, wrong, 3)).toThrow('not one of this list')
  expect(() => parseKeyCursor(cursor, 'posts.hot', 2)).toThrow('not one of this list')
  expect(() => parseKeyCursor('junk', 'posts.hot', 3)).toThrow('not one of this list')
})
