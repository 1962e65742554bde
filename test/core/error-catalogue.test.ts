import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { constants } from 'node:os'
import { Glob } from 'bun'
import { ApiError } from '../../src/client/errors.ts'
import {
  ATTENTION_KINDS,
  DOCTOR_CHECKS,
  ERRORS,
  fixHint,
  IMPORT_PROBLEMS,
  REQUEST_FAILURES,
} from '../../src/core/error-catalogue.ts'
import { errorMessage } from '../../src/core/errors.ts'
import { errorMessage as sentenceOnDashboard } from '../../tui/data/errors.ts'

/** Every part of the catalogue. */
const PARTS = [ERRORS, REQUEST_FAILURES, IMPORT_PROBLEMS, ATTENTION_KINDS, DOCTOR_CHECKS]

const CATALOGUE = 'src/core/error-catalogue.ts'

/** The strings of a code's form in the sources. */
function literals(folder: string): Set<string> {
  const files = [...new Glob(`${folder}/**/*.ts`).scanSync('.')].filter((path) => path !== CATALOGUE)
  return new Set(
    files.flatMap((path) => [...readFileSync(path, 'utf8').matchAll(/'([\w-]+)'/g)].map(([, word = '']) => word)),
  )
}

/** The codes that commander gives a wrong command line; the others end a command without an error. */
function commanderCodes(): string[] {
  const source = readFileSync('node_modules/commander/lib/command.js', 'utf8')
  const codes = [...source.matchAll(/'commander\.(\w+)'/g)].map(([, code = '']) => code)
  const isSuccess = /^(?:error|executeSubCommandAsync|help|helpDisplayed|version)$/
  return [...new Set(codes)]
    .filter((code) => !isSuccess.test(code))
    .map((code) => code.replace(/[A-Z]/g, (a) => `-${a.toLowerCase()}`))
}

describe('the catalogue of errors', () => {
  test('has every code that the sources and commander use, and no other', () => {
    const used = new Set([...literals('src'), ...literals('cli'), ...commanderCodes()])
    const isSystem = (code: string) => Object.hasOwn(constants.errno, code.toUpperCase())
    expect(Object.keys(ERRORS).filter((code) => !used.has(code) && !isSystem(code))).toEqual([])
    const missing = [...used].filter((word) => /^[a-z-]+-not-found$/.test(word) && !Object.hasOwn(ERRORS, word))
    expect(missing).toEqual([])
    expect(commanderCodes().filter((code) => !Object.hasOwn(ERRORS, code))).toEqual([])
  })

  test('has no kind, check or code of requests and imports that the sources do not use', () => {
    const sources = ['src', 'cli', 'client'].flatMap((folder) =>
      [...new Glob(`${folder}/**/*.ts`).scanSync('.')].filter((path) => path !== CATALOGUE),
    )
    const text = sources.map((path) => readFileSync(path, 'utf8')).join('\n')
    const names = PARTS.slice(1).flatMap((part) => Object.keys(part))
    expect(names.length).toBeGreaterThan(60)
    expect(names.filter((name) => !text.includes(`'${name}'`))).toEqual([])
  })

  test('states each problem and fix as a clause without a full stop', () => {
    const clauses = PARTS.flatMap((part) => Object.values(part)).flatMap(({ sentence, fix }) => [sentence, fix])
    expect(clauses.filter((clause) => !/^(?:[a-z`]|Codex)/.test(clause) || /\.$|\n/.test(clause))).toEqual([])
  })

  test('adds a command to a message that names none', () => {
    expect(fixHint('bead-not-found', 'there is no bead x')).toBe('; `gc bead list` lists valid names')
    expect(fixHint('bead-not-found', 'there is no bead x; see gc ready')).toBe('')
    expect(fixHint('validation-failed', 'validation failed')).toBe('')
    expect(fixHint('of-another-version', 'no')).toBe('')
  })

  test('gives the dashboard the command that helps, except for names, which it lists itself', () => {
    const internal = new ApiError(500, 'internal', 'internal server error')
    expect(sentenceOnDashboard(internal)).toStartWith('internal server error; `gc logs` shows the cause')
    expect(sentenceOnDashboard(new ApiError(404, 'bead-not-found', 'there is no bead x'))).toBe('there is no bead x')
  })

  test('gives errors of the operating system their words', () => {
    expect(() => readFileSync('/nowhere/file')).toThrow('ENOENT')
    try {
      readFileSync('/nowhere/file')
    } catch (error) {
      expect(errorMessage(error)).toBe('/nowhere/file: it does not exist')
    }
  })
})
