import { describe, expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { compose } from '../../../src/config/compose/compose.ts'
import {
  keepUnconfined,
  readDefaultMode,
  readSaidMode,
  readSupervisorToml,
  writeDefaultMode,
} from '../../../src/config/confinement/default-mode.ts'
import { FileSnapshot } from '../../../src/config/files/file-snapshot.ts'
import { tempFolder } from '../../support/folder.ts'
import { cityFiles } from '../city-files.ts'

describe('default confinement of agents without a setting', () => {
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
    ['[supervisor]\nport = 99999\n', 'supervisor.toml:2: [supervisor] port: must be 65535 or less'],
    ['supervisor = 1\n', 'supervisor.toml:1: supervisor: must be a table'],
    ['[confine\n', 'supervisor.toml:1: '],
  ])('is an error with its line where the file is wrong: %s', (text, sentence) => {
    using folder = tempFolder()
    writeFileSync(folder.at('supervisor.toml'), text)
    expect(() => readDefaultMode(folder.path)).toThrow(sentence)
  })

  test('stands beside what the known system has there, which is read or warned of', () => {
    using folder = tempFolder()
    expect(readSupervisorToml(folder.path)).toEqual({
      ...{ confine: { isKept: false }, listen: { allowHosts: [], allowOrigins: [] }, warnings: [] },
    })
    const lines = [
      '[supervisor]',
      'port = 18620',
      'bind = "0.0.0.0"',
      'patrol_interval = "10s"',
      'allow_mutations = true',
      'allowed_origins = ["https://desk.example"]',
      'allowed_hosts = ["mill.example"]',
      'later = 1',
      '[publication]',
      'provider = "hosted"',
      '[events.export]',
      'endpoint = "https://sink.example"',
      '[secrets]',
      '[confine]',
      'default = "network"',
    ]
    writeFileSync(folder.at('supervisor.toml'), lines.join('\n'))
    const { confine, listen, warnings } = readSupervisorToml(folder.path)
    expect(confine).toEqual({ mode: 'network', isKept: false })
    expect(listen).toEqual({
      ...{ port: 18620, host: '0.0.0.0', allowHosts: ['mill.example'], allowOrigins: ['https://desk.example'] },
    })
    expect(warnings.map((warning) => warning.split(' has no effect')[0])).toEqual([
      'supervisor.toml:4: [supervisor] patrol_interval:',
      'supervisor.toml:5: [supervisor] allow_mutations:',
      'supervisor.toml:8: [supervisor] later: is not a key of this section',
      'supervisor.toml:9: publication:',
      'supervisor.toml:11: events:',
      'supervisor.toml:13: secrets:',
    ])
    writeDefaultMode(folder.path, 'off')
    expect(readSupervisorToml(folder.path)).toEqual({ confine: { mode: 'off', isKept: false }, listen, warnings })
  })

  test('stands beside the address of the release index, which is read leniently', () => {
    using folder = tempFolder()
    writeFileSync(folder.at('supervisor.toml'), '[upgrade]\nindex = "https://example.com/release.json"\nlater = 1\n')
    const { upgradeIndex, warnings } = readSupervisorToml(folder.path)
    expect(upgradeIndex).toBe('https://example.com/release.json')
    expect(warnings).toEqual([expect.stringContaining('supervisor.toml:3: [upgrade] later')])
  })

  test('goes for agents of packs as well, which can only be let out by the city', () => {
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
      'pack one requests "off", which is NOT applied: only this city can allow it, with confine = { mode = "off" } in a [[patches.agent]] of "one.w"',
    )
  })
})
