import { describe, expect, test } from 'bun:test'
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { Config } from '../../../src/config/compose/config.ts'
import { createCity, readCityName } from '../../../src/config/offline/create-city.ts'
import { tempFolder } from '../../support/folder.ts'

describe('a new city', () => {
  test('is a folder that opens, with a city.toml for newcomers and a private .gc', async () => {
    using folder = tempFolder()
    expect(await createCity(folder.at('deep', 'My Town'), { provider: 'claude' })).toBe('My-Town')
    const { current, composition } = await Config.open(folder.at('deep', 'My Town'))
    expect(current).toMatchObject({ name: 'My-Town', workspace: { provider: 'claude' } })
    expect(composition.allWarnings).toEqual([])
    expect(statSync(folder.at('deep', 'My Town', '.gc')).mode & 0o777).toBe(0o700)
    for (const name of ['.gc/cache', '.gc/runtime', '.gc/system', 'agents']) {
      expect(existsSync(folder.at('deep', 'My Town', name))).toBe(true)
    }
    expect(readFileSync(folder.at('deep', 'My Town', 'city.toml'), 'utf8')).toStartWith('# A city')
  })

  test('keeps its given name in site.toml', async () => {
    using folder = tempFolder()
    expect(await createCity(folder.path, { name: 'harbour', startCommand: './run "it"' })).toBe('harbour')
    expect(readFileSync(folder.at('.gc', 'site.toml'), 'utf8')).toBe('workspace_name = "harbour"\n')
    expect(readCityName(folder.path)).toBe('harbour')
    expect((await Config.open(folder.path)).current.workspace.startCommand).toBe('./run "it"')
  })

  test('takes a folder that has other things in it', async () => {
    using folder = tempFolder()
    writeFileSync(folder.at('notes.md'), 'mine')
    await createCity(folder.path)
    expect(readFileSync(folder.at('notes.md'), 'utf8')).toBe('mine')
  })

  test('does not take a folder that has a city already', async () => {
    using folder = tempFolder()
    await createCity(folder.path)
    const text = readFileSync(folder.at('city.toml'), 'utf8')
    const again = createCity(folder.path, { provider: 'codex' })
    await expect(again).rejects.toMatchObject({
      code: 'conflict-wrong-state',
      message: `conflict: city already initialized at ${folder.path}`,
    })
    expect(readFileSync(folder.at('city.toml'), 'utf8')).toBe(text)
  })

  test('is not created over a file, inside a file, or with unknown options', async () => {
    using folder = tempFolder()
    writeFileSync(folder.at('file'), '')
    mkdirSync(folder.at('city'))
    const expectInvalid = (path: string, options = {}) =>
      expect(createCity(path, options)).rejects.toMatchObject({ status: 422 })
    await expectInvalid(folder.at('file'))
    await expectInvalid(folder.at('file', 'city'))
    await expectInvalid(folder.at('city'), { provider: 'cluade' })
    await expectInvalid(folder.at('city'), { provider: 'claude', startCommand: 'x' })
    await expectInvalid(folder.at('city'), { name: 'a/b' })
    await expect(createCity(folder.at('city'), { provider: 'cluade' })).rejects.toThrow('did you mean "claude"?')
    expect(existsSync(folder.at('city', 'city.toml'))).toBe(false)
  })
})
