import { describe, expect, test } from 'bun:test'
import { Printer } from '../../cli/bd/print.ts'
import { recorder } from './shell.ts'

const printed = (value: object, env: Record<string, string> = {}): string => {
  const { io, output } = recorder({ env })
  new Printer(io, true).value(value)
  return output.out
}

describe('the two JSON formats of bd', () => {
  test('flat: an object has the schema version among its sorted keys; a list has none', () => {
    expect(printed({ count: 2 })).toBe('{\n  "count": 2,\n  "schema_version": 1\n}\n')
    expect(Object.keys(JSON.parse(printed({ title: 'x', id: 'mp-1' })))).toEqual(['id', 'schema_version', 'title'])
    expect(printed([])).toBe('[]\n')
    expect(printed([{ b: 1, a: [{ d: 1, c: 2 }] }])).toBe(
      `${JSON.stringify([{ a: [{ c: 2, d: 1 }], b: 1 }], null, 2)}\n`,
    )
  })

  test('envelope: every value is in `data`', () => {
    const env = { BD_JSON_ENVELOPE: '1' }
    expect(JSON.parse(printed({ count: 2 }, env))).toEqual({ data: { count: 2 }, schema_version: 1 })
    expect(JSON.parse(printed([1], env))).toEqual({ data: [1], schema_version: 1 })
  })
})
