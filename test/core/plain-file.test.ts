import { expect, test } from 'bun:test'
import { symlinkSync, writeFileSync } from 'node:fs'
import { readPlainFile } from '../../src/core/plain-file.ts'
import { tempFolder } from '../support/folder.ts'

test.skipIf(process.platform === 'win32')(
  'replacements of a small file cause no wait, are not followed and are not read without a limit',
  () => {
    using folder = tempFolder()
    writeFileSync(folder.at('file'), 'text')
    symlinkSync(folder.at('file'), folder.at('link'))
    symlinkSync('/dev/zero', folder.at('endless'))
    Bun.spawnSync(['mkfifo', folder.at('pipe')])
    const read = (name: string) => readPlainFile(folder.at(name), 4)?.toString()
    expect(['file', 'link', 'endless', 'pipe', 'absent', '.'].map(read)).toEqual([
      'text',
      ...Array.from({ length: 5 }, () => undefined),
    ])
    expect(readPlainFile('/dev/zero', 4)).toBeUndefined()
    expect(readPlainFile(folder.at('file'), 3)).toBeUndefined()
  },
)
