import { expect, test } from 'bun:test'
import { statSync, writeFileSync } from 'node:fs'
import { createFolder } from '../../src/core/folders.ts'
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
