import { expect, test } from 'bun:test'
import { lockedPack, parseLock, renderLock } from '../../../src/config/packs/lock.ts'

const COMMIT = 'f895c0ff47d6ee9334ed282a416387eb5b084d24'
const SOURCE = 'https://example.com/packs.git//roles'

test('a lock is read as it was written, with its sources in order', () => {
  const lock = new Map([
    ['https://example.com/z.git', { version: `sha:${COMMIT}`, commit: COMMIT, fetched: '2026-01-02T03:04:05Z' }],
    [SOURCE, { version: '1.2.3', commit: COMMIT, fetched: '2026-01-02T03:04:05Z' }],
    ['a "b" \\c', { version: '1.0.0', commit: COMMIT, fetched: '' }],
  ])
  const text = renderLock(lock)
  expect(new Map(parseLock(text))).toEqual(lock)
  expect(text.indexOf(SOURCE)).toBeLessThan(text.indexOf('z.git'))
  expect(text).toStartWith('schema = 1\n\n[packs."a')
  expect(renderLock(parseLock(text))).toBe(text)
  expect(renderLock(new Map())).toBe('schema = 1\n')
})

test('a lock of an existing city is read: dates as dates or strings, versions left out', () => {
  const text = `schema = 1
[packs]
  [packs."${SOURCE}"]
    commit = "${COMMIT.toUpperCase()}"
    fetched = 2026-06-11T17:08:05Z
    note = "unknown keys do no harm"
`
  expect(parseLock(text).get(SOURCE)).toEqual({
    ...{ version: `sha:${COMMIT}`, commit: COMMIT, fetched: '2026-06-11T17:08:05Z' },
  })
})

test('a source is looked up as written, then as the repository it is in', () => {
  const lock = parseLock(`schema = 1\n[packs."https://example.com/packs.git"]\ncommit = "${COMMIT}"\n`)
  expect(lockedPack(lock, SOURCE, 'https://example.com/packs.git')?.commit).toBe(COMMIT)
  expect(lockedPack(lock, 'https://example.com/other.git', 'https://example.com/other.git')).toBeUndefined()
  expect(parseLock(undefined).size).toBe(0)
})

test.each([
  ['schema = 2', 1, 'this gc reads packs.lock of schema 1; write it again with `gc import upgrade`'],
  ['', 1, 'this gc reads packs.lock of schema 1; write it again with `gc import upgrade`'],
  ['schema = 1\npacks = 3', 2, 'packs must be a table'],
  ['schema = 1\n[packs]\na = 3', 3, 'the entry of a must be a table'],
  ['schema = 1\n[packs.a]\ncommit = "--upload-pack=x"', 2, 'the commit of a must be a whole commit id'],
  ['schema = 1\n[packs."a"\n', 2, 'is not TOML'],
])('says what is wrong with the lock %p', (text, line, message) => {
  try {
    parseLock(text)
    expect.unreachable()
  } catch (error) {
    expect(error).toMatchObject({ line, message: expect.stringContaining(message) })
  }
})
