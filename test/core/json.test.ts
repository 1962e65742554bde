import { expect, test } from 'bun:test'
import { isObject, parseJson } from '../../src/core/json.ts'

test('neither null nor a list is an object', () => {
  const values = [{}, { a: 1 }, null, [], undefined, 'text', 1, () => {}]
  expect(values.map(isObject)).toEqual([true, true, false, false, false, false, false, false])
})

test('a text that is not JSON has no value, and null is one', () => {
  expect([parseJson('{"a":1}'), parseJson('null'), parseJson('{'), parseJson('')]).toEqual([
    { a: 1 },
    null,
    undefined,
    undefined,
  ])
})
