import { describe, expect, test } from 'bun:test'
import { compose } from '../../../../src/config/compose/compose.ts'
import type { Layer } from '../../../../src/config/compose/layers/layer.ts'
import { LAYERS } from '../../../../src/config/compose/layers/layers.ts'
import type { FieldOrigin } from '../../../../src/config/declare/origin.ts'
import { FileSnapshot } from '../../../../src/config/files/file-snapshot.ts'
import { cityFiles } from '../../city-files.ts'
import { importedAgents, withLowest } from './extra-layer.ts'

function composed(files: Record<string, string>, layers: readonly Layer[] = LAYERS) {
  using city = cityFiles(files)
  return compose(new FileSnapshot(city.path), { layers })
}

const placeOf = (origin: FieldOrigin | undefined): string | undefined =>
  origin && `${origin.block.file}:${origin.line} (${origin.block.layer.name})`

const CITY = `[workspace]
provider = "claude"
[agent_defaults]
default_sling_formula = "mol"
[[agent]]
name = "inline"
max_active_sessions = 2
[[agent]]
name = "own"
provider = "codex"
[[rigs]]
name = "shop"
path = "/srv/shop"
prefix = "sp"
`

describe('the origin of a field', () => {
  const { config } = composed({
    'city.toml': CITY,
    '.gc/site.toml': '[[rig]]\nname = "shop"\npath = "/home/me/shop"\n',
    'agents/folder/agent.toml': 'description = "x"\nstart_command = "./run"\n',
    'agents/prompted/prompt.md': 'go',
  })
  const originsOf = (name: string) => config.agents.find((agent) => agent.name === name)?.origins ?? {}

  test('is the line of its block in city.toml', () => {
    expect(placeOf(originsOf('inline').name)).toBe('city.toml:6 (city)')
    expect(placeOf(originsOf('inline').maxActive)).toBe('city.toml:7 (city)')
    expect(placeOf(originsOf('own').provider)).toBe('city.toml:10 (city)')
  })

  test('is the line of its file in a folder of its own', () => {
    expect(placeOf(originsOf('folder').startCommand)).toBe('agents/folder/agent.toml:2 (agents)')
    expect(placeOf(originsOf('prompted').promptFile)).toBe('agents/prompted/agent.toml:1 (agents)')
  })

  test('is where a default was declared: in the workspace or in agent_defaults', () => {
    expect(placeOf(originsOf('inline').provider)).toBe('city.toml:2 (city)')
    expect(originsOf('inline').provider?.block.section).toBe('[workspace]')
    expect(placeOf(originsOf('folder').defaultSlingFormula)).toBe('city.toml:4 (city)')
    expect(originsOf('folder').provider).toBeUndefined()
  })

  test('is agent_defaults before the workspace', () => {
    const defaults = CITY.replace('[agent_defaults]\n', '[agent_defaults]\nprovider = "gemini"\n')
    const [agent] = composed({ 'city.toml': defaults }).config.agents
    expect(agent?.provider).toBe('gemini')
    expect(agent?.origins.provider?.block.section).toBe('[agent_defaults]')
  })

  test('is site.toml for the folder of a rig, and city.toml for the rest of it', () => {
    expect(placeOf(config.rigs[0]?.origins.path)).toBe('.gc/site.toml:3 (site)')
    expect(placeOf(config.rigs[0]?.origins.prefix)).toBe('city.toml:14 (city)')
  })

  test('is not there for what no one declared', () => {
    expect(originsOf('inline').drainTimeout).toBeUndefined()
    expect(config.agents[0]?.drainTimeout).toBe(300_000)
  })

  test('is gc itself for a preset', () => {
    const { declarations } = composed({ 'city.toml': '' })
    expect(declarations.presets.get('claude')?.origins.command?.block.layer).toMatchObject({
      ...{ name: 'builtin', isEditable: false },
    })
  })
})

describe('a layer that is added', () => {
  test('declares agents with an origin of its own, and lower ones are listed last', () => {
    using pack = cityFiles({ 'pack.toml': '[[agent]]\nname = "packed"\nprovider = "codex"\n' })
    const { config } = composed({ 'city.toml': CITY }, withLowest(importedAgents(pack.path)))
    expect(config.agents.map(({ name }) => name)).toEqual(['inline', 'own', 'packed'])
    expect(placeOf(config.agents[2]?.origins.provider)).toBe(`${pack.path}/pack.toml:3 (pack)`)
  })

  test('is filled by the defaults of the city', () => {
    using pack = cityFiles({ 'pack.toml': '[[agent]]\nname = "packed"\n' })
    const { config } = composed({ 'city.toml': CITY }, withLowest(importedAgents(pack.path)))
    expect(config.agents[2]).toMatchObject({ name: 'packed', provider: 'claude' })
  })

  test('may change what lower layers declare, and names itself as the origin', () => {
    const patch = '[[patches.agent]]\nname = "own"\nsuspended = true\n'
    const { config, declarations } = composed({ 'city.toml': `${CITY}${patch}` })
    expect(config.agents.map(({ suspended }) => suspended)).toEqual([false, true])
    expect(config.agents[1]?.origins.suspended?.block.section).toBe('[[patches.agent]]')
    expect(declarations.patches.agents).toHaveLength(1)
  })

  test('is judged with everything else', () => {
    using pack = cityFiles({ 'pack.toml': '\n[[agent]]\nname = "own"\n' })
    const { errors } = composed({ 'city.toml': CITY }, withLowest(importedAgents(pack.path)))
    expect(errors.map(({ file, message }) => [file, message])).toEqual([
      [`${pack.path}/pack.toml`, 'agent "own" is declared at city.toml:8 already'],
    ])
  })
})
