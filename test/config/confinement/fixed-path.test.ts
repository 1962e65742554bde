import { describe, expect, test } from 'bun:test'
import { mkdirSync, symlinkSync } from 'node:fs'
import { findFixed, fixedPath } from '../../../src/config/confinement/fixed-path.ts'
import { tempFolder } from '../../support/folder.ts'

describe('the target of a path', () => {
  test('is what a person’s links say, and not what agents put into the folders that they write', () => {
    using folder = tempFolder()
    for (const name of ['data/rig/sub', 'home/.ssh']) mkdirSync(folder.at(name), { recursive: true })
    symlinkSync(folder.at('data'), folder.at('linked'))
    symlinkSync('../../home/.ssh', folder.at('data/rig/out'))
    const written = [folder.at('linked/rig')]
    expect(fixedPath(folder.at('linked/rig/sub'), written)).toBe(folder.at('data/rig/sub'))
    expect(fixedPath(folder.at('linked/rig/new/deep'), written)).toBe(folder.at('data/rig/new/deep'))
    expect(() => fixedPath(folder.at('linked/rig/out'), written)).toThrow(
      `${folder.at('data/rig/out')} is a link, which agents can change; put what it leads to there`,
    )
    expect(findFixed(folder.at('data/rig/out/id_ed25519'), written)).toBeUndefined()
  })

  test('is judged even where a link of a person leads through such a folder', () => {
    using folder = tempFolder()
    for (const name of ['rig', 'secret']) mkdirSync(folder.at(name))
    symlinkSync(folder.at('secret'), folder.at('rig/out'))
    symlinkSync(folder.at('rig/out'), folder.at('shortcut'))
    expect(findFixed(folder.at('shortcut'), [folder.at('rig')])).toBeUndefined()
    expect(findFixed(folder.at('shortcut'), [])).toBe(folder.at('secret'))
  })

  test('is nowhere when links lead in a circle', () => {
    using folder = tempFolder()
    symlinkSync(folder.at('b'), folder.at('a'))
    symlinkSync(folder.at('a'), folder.at('b'))
    expect(findFixed(folder.at('a'), [])).toBeUndefined()
  })
})
