import { expect, test } from 'bun:test'
import { Markup } from '../../../src/http/html.ts'
import { RenderedTexts } from '../../../src/social/html/rendered-texts.ts'

const BOUNDS = { bytes: 100_000, entries: 100 }
const text = (length: number) => new Markup('x'.repeat(length))

test('rendered texts are kept within a number of entries and of bytes', () => {
  const texts = new RenderedTexts(BOUNDS)
  for (let at = 0; at < 1_000; at++) {
    texts.add(`${at}`, text((at * 37) % 5_000), `visitor ${at % 7}`)
    expect(texts.size.entries).toBeLessThanOrEqual(BOUNDS.entries)
    expect(texts.size.bytes).toBeLessThanOrEqual(BOUNDS.bytes)
  }
  expect(texts.get('999')).toBeDefined()
  texts.add('huge', text(1_000_000), 'visitor 1')
  expect(texts.get('huge')).toBeUndefined()
  expect(texts.size.bytes).toBeLessThanOrEqual(BOUNDS.bytes)
})

test('the least recently used text of a visitor goes first', () => {
  const texts = new RenderedTexts({ ...BOUNDS, entries: 3 })
  for (const key of ['a', 'b', 'c']) texts.add(key, text(1), 'ada')
  expect(texts.get('a')).toBeDefined()
  texts.add('d', text(1), 'ada')
  expect(['a', 'b', 'c', 'd'].map((key) => texts.get(key) !== undefined)).toEqual([true, false, true, true])
})

test('a visitor who goes through all pages pushes out only what they had rendered themselves', () => {
  const texts = new RenderedTexts(BOUNDS)
  const others = Array.from({ length: 40 }, (_, at) => `of others ${at}`)
  for (const [at, key] of others.entries()) texts.add(key, text(300), `reader ${at % 10}`)
  for (let at = 0; at < 5_000; at++) texts.add(`${at}`, text(at % 2 ? 50 : 3_000), 'crawler')
  expect(others.filter((key) => texts.get(key) === undefined)).toEqual([])
})

test('the same text is kept once', () => {
  const texts = new RenderedTexts(BOUNDS)
  for (const visitor of ['ada', 'bob', 'ada']) texts.add('a', text(10), visitor)
  expect(texts.size.entries).toBe(1)
})
