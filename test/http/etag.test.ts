import { expect, test } from 'bun:test'
import { etagOf, hasTag } from '../../src/http/respond/etag.ts'

test('a tag changes with the text', () => {
  expect(etagOf('one')).toBe(etagOf('one'))
  expect(etagOf('one')).not.toBe(etagOf('two'))
  expect(etagOf('')).toMatch(/^W\/"[0-9a-z]+"$/)
})

test('a reader has what one of its tags names, weak or not', () => {
  const etag = etagOf('one')
  const strong = etag.slice(2)
  for (const header of [etag, strong, `"other", ${etag}`, '*']) expect(hasTag(header, etag)).toBe(true)
  for (const header of [null, '', '"other"', strong.slice(1)]) expect(hasTag(header, etag)).toBe(false)
})
