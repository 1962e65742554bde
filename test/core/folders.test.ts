import { expect, test } from 'bun:test'
import { chmodSync, statSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname } from 'node:path'
import { createFolder, makePrivate } from '../../src/core/folders.ts'
import { tempFolder } from '../support/folder.ts'

test('creating a folder creates its parents with owner-only access and leaves an existing one unchanged', () => {
  using folder = tempFolder()
  createFolder(folder.at('a', 'b', 'c'))
  for (const names of [['a'], ['a', 'b'], ['a', 'b', 'c']])
    expect(statSync(folder.at(...names)).mode & 0o777).toBe(0o700)
  writeFileSync(folder.at('a', 'b', 'c', 'file'), 'x')
  createFolder(folder.at('a', 'b', 'c'))
  expect(statSync(folder.at('a', 'b', 'c', 'file')).size).toBe(1)
})

test('making a folder private lets only its owner enter it, and never one that others use', () => {
  using folder = tempFolder()
  const modeOf = (path: string) => statSync(path).mode & 0o7777
  createFolder(folder.at('own'))
  chmodSync(folder.at('own'), 0o755)
  makePrivate(folder.at('own'))
  expect(modeOf(folder.at('own'))).toBe(0o700)
  createFolder(folder.at('everyone'))
  chmodSync(folder.at('everyone'), 0o1777)
  const around = dirname(homedir())
  for (const path of ['/', around, folder.at('everyone')]) {
    const before = modeOf(path)
    expect(() => makePrivate(path)).toThrow(`${path} is a folder that others use`)
    expect(modeOf(path)).toBe(before)
  }
})
