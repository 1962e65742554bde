import { expect, test } from 'bun:test'
import { ATTEMPTS, protocolMatrix, VERBS } from './matrix.ts'

test('every verb of the protocol runs in every mode of every program, and no attempt gets anything through', () => {
  const matrix = protocolMatrix()
  expect(Object.keys(ATTEMPTS)).toHaveLength(12)
  expect(matrix.map(({ program, mode }) => `${program} ${mode}`)).toEqual([
    ...['claude ask', 'claude auto-edit', 'claude full-auto', 'claude plan', 'codex suggest', 'codex auto-edit'],
    ...['gemini default', 'gemini auto-edit', 'gemini plan', 'opencode OPENCODE_PERMISSION', 'by ACP every'],
  ])
  expect(matrix.filter(({ plain }) => plain !== VERBS.length)).toEqual([])
  expect(matrix.filter(({ through }) => Object.values(through).some((verbs) => verbs > 0))).toEqual([])
})
