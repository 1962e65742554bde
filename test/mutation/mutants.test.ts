import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import equivalent from './equivalent.json'
import { mutantsOf, mutated } from './mutants.ts'

const SOURCE = `type One = 1 | true
export function fits(a: number, b?: string): boolean {
  if (!b || a < 1) return true
  note(a, b)
  return b.startsWith('x')
}
const FIRST = 'SELECT id FROM beads WHERE a IS NULL AND b > ? ORDER BY id'
`

test('a source has mutants of its conditions, operators, values, calls and SQL, and none of its types', () => {
  const mutants = mutantsOf('a.ts', SOURCE)
  expect(mutants.map(({ key }) => key.split(' | ').slice(2).join(' | '))).toEqual([
    '!b → b',
    '!b || a < 1 → true',
    '!b || a < 1 → false',
    '|| → &&',
    '< → <=',
    '1 → 0',
    'true → false',
    'note(a, b) → nothing',
    'startsWith → endsWith',
    'IS NULL → IS NOT NULL',
    'AND → OR',
    '> → >=',
  ])
  expect(mutants.map((mutant) => mutated(SOURCE, mutant))).not.toContain(SOURCE)
})

test('the name of a mutant does not depend on the lines before it', () => {
  const keys = (source: string) => mutantsOf('a.ts', source).map(({ key }) => key)
  expect(keys(`\n\n${SOURCE}`)).toEqual(keys(SOURCE))
  expect(new Set(keys(SOURCE + SOURCE.replace('fits', 'fit'))).size).toBe(24)
})

test('every mutant that is listed as equivalent is one of a source', () => {
  const listed = Object.keys(equivalent)
  const files = new Set(listed.map((key) => key.split(' | ', 1)[0] ?? ''))
  const known = new Set([...files].flatMap((file) => mutantsOf(file, readFileSync(file, 'utf8')).map(({ key }) => key)))
  expect(listed.filter((key) => !known.has(key))).toEqual([])
})
