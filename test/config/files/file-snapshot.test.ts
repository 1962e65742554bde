import { describe, expect, test } from 'bun:test'
import { mkdirSync, rmSync } from 'node:fs'
import { FileSnapshot } from '../../../src/config/files/file-snapshot.ts'
import { cityFiles } from '../city-files.ts'

describe('a snapshot of files', () => {
  test('reads each file once, in as many roots as are asked for', () => {
    using city = cityFiles({ 'city.toml': 'a = 1\n' })
    using pack = cityFiles({ 'pack.toml': 'b = 1\n', 'agents/w/agent.toml': '' })
    const files = new FileSnapshot(city.path)
    expect(files.city.text('city.toml')).toBe('a = 1\n')
    expect(files.root(pack.path).text('pack.toml')).toBe('b = 1\n')
    expect(files.root(pack.path).folders('agents')).toEqual(['w'])
    pack.put('pack.toml', 'b = 2\n')
    expect(files.root(pack.path).text('pack.toml')).toBe('b = 1\n')
    expect(files.roots.map(({ path }) => path)).toEqual([city.path, pack.path])
    expect(files.root(city.path)).toBe(files.city)
  })

  test('differs from another when a file of any root does', () => {
    using city = cityFiles({ 'city.toml': '' })
    using pack = cityFiles({ 'pack.toml': '1' })
    const read = () => {
      const files = new FileSnapshot(city.path)
      files.city.text('city.toml')
      files.root(pack.path).text('pack.toml')
      return files
    }
    const before = read()
    expect(read().equals(before)).toBe(true)
    pack.put('pack.toml', '2')
    expect(read().equals(before)).toBe(false)
  })

  test('is the same as the next one after a root is not read any more, however they were compared', () => {
    using city = cityFiles({ 'city.toml': '' })
    using pack = cityFiles({ 'pack.toml': '1' })
    const read = (...roots: string[]) => {
      const files = new FileSnapshot(city.path)
      files.city.text('city.toml')
      for (const root of roots) files.root(root).text('pack.toml')
      return files
    }
    const [before, after] = [read(pack.path), read()]
    expect([after.equals(before), before.equals(after)]).toEqual([false, false])
    expect(after.differences(before)).toHaveLength(1)
    expect([read().equals(after), after.equals(read())]).toEqual([true, true])
  })

  test('lets drafts replace files of the city', () => {
    const kept = { 'agents/c/agent.toml': '', 'agents/c/notes.md': '' }
    using city = cityFiles({ 'city.toml': 'old', 'agents/a/agent.toml': '', ...kept })
    const drafts = new Map([
      ['city.toml', 'new'],
      ['agents/b/agent.toml', ''],
      ['agents/a/agent.toml', undefined],
      ['agents/c/agent.toml', undefined],
    ])
    const { city: root } = new FileSnapshot(city.path, drafts)
    expect(root.text('city.toml')).toBe('new')
    expect(root.text('agents/a/agent.toml')).toBeUndefined()
    expect(root.folders('agents')).toEqual(['b', 'c'])
  })

  test('is read again as it was until a file, a folder or what can be read of them differs', () => {
    using city = cityFiles({ 'city.toml': 'a', 'agents/a/agent.toml': '' })
    const snapshot = new FileSnapshot(city.path)
    snapshot.city.text('city.toml')
    snapshot.city.text('agents/absent.toml')
    snapshot.city.folders('agents')
    const isSame = () => snapshot.readAgain()?.equals(snapshot) ?? false
    expect(isSame()).toBe(true)
    city.put('unread.toml', '')
    expect(isSame()).toBe(true)
    city.put('agents/absent.toml', '')
    expect(isSame()).toBe(false)
    rmSync(city.pathOf('agents/absent.toml'))
    expect(isSame()).toBe(true)
    mkdirSync(city.pathOf('agents/absent.toml'))
    expect(isSame()).toBe(false)
    rmSync(city.pathOf('agents/absent.toml'), { recursive: true })
    city.put('agents/b/agent.toml', '')
    expect(isSame()).toBe(false)
  })
})
