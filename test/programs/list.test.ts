import { expect, test } from 'bun:test'
import { PROGRAMS } from '../../src/programs/list.ts'
import { PRESETS } from '../../src/programs/presets.ts'
import { runtimeOf } from '../../src/programs/runtimes.ts'
import { profileOf } from '../../src/programs/screens.ts'

test('programs have names of their own, and a preset each', () => {
  const names = PROGRAMS.map(({ name }) => name)
  expect([...PRESETS.keys()]).toEqual(names)
  expect(new Set(names).size).toBe(names.length)
})

test('programs that share the variable of a home share its folder', () => {
  const folders = new Map<string, Set<string>>()
  for (const { home } of PROGRAMS)
    if (home) folders.set(home.variable, (folders.get(home.variable) ?? new Set()).add(home.folder))
  expect([...folders.values()].filter(({ size }) => size > 1)).toEqual([])
})

test('a program whose log gc reads keeps it when a confined session ends', () => {
  const forgotten = PROGRAMS.filter(({ name, home }) => runtimeOf(name).log && (home?.logs ?? []).length === 0)
  expect(forgotten.map(({ name }) => name)).toEqual([])
})

test('an unknown program is driven like any other, and nothing is read of it', () => {
  expect(profileOf({ name: 'constructor' }).dialogs).toEqual([])
  expect(runtimeOf('constructor')).toEqual({})
  expect(runtimeOf(undefined)).toEqual({})
})
