import { expect, test } from 'bun:test'
import { parseConstraint, parseVersion, satisfies } from '../../../src/config/packs/version.ts'

const COMMIT = 'f895c0ff47d6ee9334ed282a416387eb5b084d24'
const locked = (version: string) => ({ version, commit: COMMIT })

test.each([
  ['^1.2', ['1.2.0', '1.9.9', 'v1.2.1'], ['1.1.9', '2.0.0']],
  ['^0.3', ['0.3.0', '0.3.9'], ['0.4.0', '0.2.9', '1.0.0']],
  ['^0.3.2', ['0.3.2', '0.3.3'], ['0.3.1', '0.4.0']],
  ['~1.2.3', ['1.2.3', '1.2.9'], ['1.2.2', '1.3.0']],
  ['>=1.2', ['1.2.0', '3.0.0'], ['1.1.9']],
  ['>1.2', ['1.2.1'], ['1.2.0']],
  ['<2', [], ['1.0.0']],
  ['<2.0', ['1.9.9'], ['2.0.0']],
  ['<=2.0', ['2.0.0'], ['2.0.1']],
  ['=1.2', ['1.2.0'], ['1.2.1']],
  ['1.2.3', ['1.2.3'], ['1.2.4']],
  ['>=1.2, <1.5', ['1.4.9'], ['1.5.0', '1.1.0']],
  [`sha:${COMMIT}`, [`sha:${COMMIT}`, '1.0.0'], []],
  ['sha:f895c0ff47', [`sha:${COMMIT}`], []],
  ['sha:0000000', [], [`sha:${COMMIT}`]],
])('%s takes what it says', (constraint, taken, refused) => {
  for (const version of taken) expect([version, satisfies(constraint, locked(version))]).toEqual([version, true])
  for (const version of refused) expect([version, satisfies(constraint, locked(version))]).toEqual([version, false])
})

test('an import without a version takes anything that is locked', () => {
  expect(satisfies(undefined, locked('1.0.0'))).toBe(true)
  expect(satisfies('', locked(`sha:${COMMIT}`))).toBe(true)
})

test('versions have two or three numbers and nothing else', () => {
  expect(parseVersion('v1.2')).toEqual([1, 2, 0])
  expect(parseVersion('1.2.3')).toEqual([1, 2, 3])
  for (const text of ['1', '1.2.3.4', '1.2.3-rc.1', 'main', '', '1.x', '99999999999.0']) {
    expect([text, parseVersion(text)]).toEqual([text, undefined])
  }
})

test('a branch is not a version', () => {
  for (const text of ['main', 'sha:main', 'sha:12', '^', '>=1.2,', '^1.2 || ^2.0']) {
    expect([text, parseConstraint(text)]).toEqual([text, undefined])
  }
})
