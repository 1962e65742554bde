import { describe, expect, test } from 'bun:test'
import { existsSync, mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { HeldFolder } from '../../src/core/store/held-folder.ts'
import { tempFolder } from '../support/folder.ts'

describe('a folder that is held', () => {
  test.skipIf(process.platform !== 'linux')('stays the same one when a link takes its place', () => {
    using folder = tempFolder()
    for (const name of ['project/.claude', 'home']) mkdirSync(folder.at(name), { recursive: true })
    using held = HeldFolder.find(folder.at('project/.claude'))
    renameSync(folder.at('project/.claude'), folder.at('project/moved'))
    symlinkSync(folder.at('home'), folder.at('project/.claude'))
    writeFileSync(held?.at('settings.json') ?? '', 'kept')
    expect(readFileSync(folder.at('project/moved/settings.json'), 'utf8')).toBe('kept')
    expect(existsSync(folder.at('home/settings.json'))).toBe(false)
  })

  test.skipIf(process.platform === 'win32')('is reached through no link, and made through none', () => {
    using folder = tempFolder()
    for (const name of ['project', 'home/.claude']) mkdirSync(folder.at(name), { recursive: true })
    symlinkSync(folder.at('home'), folder.at('project/linked'))
    using project = HeldFolder.find(folder.at('project'))
    expect(HeldFolder.find(folder.at('project/linked/.claude'))).toBeUndefined()
    expect(project?.below('linked/.codex', { make: true })).toBeUndefined()
    expect(existsSync(folder.at('home/.codex'))).toBe(false)
    project?.below('made/there', { make: true })?.[Symbol.dispose]()
    expect(existsSync(folder.at('project/made/there'))).toBe(true)
  })

  test.skipIf(process.platform === 'win32')('is below itself, as a folder of its own that is let go alone', () => {
    using folder = tempFolder()
    using held = HeldFolder.find(folder.path)
    const same = held?.below('.')
    writeFileSync(same?.at('note') ?? '', 'kept')
    same?.[Symbol.dispose]()
    expect(readFileSync(held?.at('note') ?? '', 'utf8')).toBe('kept')
  })
})
