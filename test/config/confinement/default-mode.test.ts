import { describe, expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { compose } from '../../../src/config/compose/compose.ts'
import {
  keepUnconfined,
  readDefaultMode,
  readSaidMode,
  writeDefaultMode,
} from '../../../src/config/confinement/default-mode.ts'
import { FileSnapshot } from '../../../src/config/files/file-snapshot.ts'
import { tempFolder } from '../../support/folder.ts'
import { cityFiles } from '../city-files.ts'

describe('how agents are confined of which no line says it', () => {
  test('is "default" in a home that says nothing', () => {
    using folder = tempFolder()
    expect(readDefaultMode(folder.path)).toBe('default')
    writeFileSync(folder.at('supervisor.toml'), '# nothing yet\n')
    expect(readDefaultMode(folder.path)).toBe('default')
  })

  test('is kept as it was until a person decides', () => {
    using folder = tempFolder()
    keepUnconfined(folder.path)
    expect(readSaidMode(folder.path)).toEqual({ mode: 'off', isKept: true })
    writeDefaultMode(folder.path, 'off')
    expect(readSaidMode(folder.path)).toEqual({ mode: 'off', isKept: false })
    expect(readFileSync(folder.at('supervisor.toml'), 'utf8')).toBe('[confine]\ndefault = "off"\n')
  })

  test('is written into the file of the supervisor, whose other lines stay', () => {
    using folder = tempFolder()
    const file = folder.at('supervisor.toml')
    writeFileSync(file, '# mine\n')
    writeDefaultMode(folder.path, 'default')
    expect(readFileSync(file, 'utf8')).toBe('# mine\n\n[confine]\ndefault = "default"\n')
    writeDefaultMode(folder.path, 'network')
    expect(readFileSync(file, 'utf8')).toBe('# mine\n\n[confine]\ndefault = "network"\n')
    expect(readDefaultMode(folder.path)).toBe('network')
  })

  test.each([
    ['[confine]\ndefault = "on"\n', 'supervisor.toml:2: [confine] default: must be default or network or off'],
    ['[confine]\ndefaults = "off"\n', 'supervisor.toml:2: [confine] defaults'],
    ['[confined]\n', 'supervisor.toml:1: confined'],
    ['[confine\n', 'supervisor.toml:1: '],
  ])('is an error with its line where the file is wrong: %s', (text, sentence) => {
    using folder = tempFolder()
    writeFileSync(folder.at('supervisor.toml'), text)
    expect(() => readDefaultMode(folder.path)).toThrow(sentence)
  })

  test('goes for agents of packs, too, which can only be let out by the city', () => {
    const pack = (name: string) => `[pack]\nname = "${name}"\nschema = 2\n`
    using city = cityFiles({
      'city.toml': '[[patches.agent]]\nname = "one.freed"\nconfine = "off"\n',
      'agents/a/agent.toml': 'start_command = "x"\n',
      'agents/b/agent.toml': 'start_command = "x"\nconfine = "off"\n',
      'pack.toml': `${pack('town')}[imports.one]\nsource = "packs/one"\n`,
      'packs/one/pack.toml': pack('one'),
      'packs/one/agents/w/agent.toml': 'start_command = "x"\nscope = "city"\nconfine = "off"\n',
      'packs/one/agents/freed/agent.toml': 'start_command = "x"\nscope = "city"\nconfine = "off"\n',
    })
    const { config, errors, warnings } = compose(new FileSnapshot(city.path), { defaultConfine: 'default' })
    expect(errors).toEqual([])
    expect(Object.fromEntries(config.agents.map(({ qualified, confine }) => [qualified, confine]))).toEqual({
      ...{ a: 'default', b: 'off', 'one.w': 'default', 'one.freed': 'off' },
    })
    expect(warnings.map(({ message }) => message)).toContain(
      '"off" is what pack one asks for and is NOT in force: only this city allows it, by confine = { mode = "off" } in a [[patches.agent]] of "one.w"',
    )
  })
})
