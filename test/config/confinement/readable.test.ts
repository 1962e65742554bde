import { expect, test } from 'bun:test'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { readableEntries } from '../../../src/config/confinement/readable.ts'
import { tempFolder } from '../../support/folder.ts'

test('agents of the city read the same of each pack in it, and not what declares its agents, where keys can be', () => {
  using folder = tempFolder()
  const packs = ['city/packs/mill', 'city/packs/mill/packs/inner', 'city/packs/.hidden']
  for (const pack of packs)
    for (const name of ['assets', 'agents/smith', 'lib', 'mcp']) mkdirSync(folder.at(pack, name), { recursive: true })
  for (const name of ['mill/pack.toml', 'mill/agents/smith/agent.toml', 'mill/README.md', 'notes.md'])
    writeFileSync(folder.at('city/packs', name), 'env = { KEY = "secret" }')
  mkdirSync(folder.at('elsewhere/assets'), { recursive: true })
  symlinkSync(folder.at('elsewhere'), folder.at('city/packs/linked'))
  const config = { path: folder.at('city'), rigs: [], packs: [] }
  expect(readableEntries({ configDir: folder.at('city'), linked: [] }, config).sort()).toEqual(
    ['mill/README.md', 'mill/assets', 'mill/packs/inner/assets'].map((name) => folder.at('city/packs', name)),
  )
})

test('agents read what a city and their pack keep for them, and no links, rigs and files that could hold keys', () => {
  using folder = tempFolder()
  const [city, pack] = [folder.at('city'), folder.at('pack')]
  for (const name of [
    'city/formulas',
    'city/docs',
    'city/agents',
    'city/.gc',
    'pack/skills',
    'pack/assets',
    'pack/schemas',
    'other/commands',
    'other/.git',
    'secret',
  ])
    mkdirSync(folder.at(name), { recursive: true })
  for (const name of ['city/city.toml', 'city/.env', 'city/AGENTS.md', 'pack/pack.toml'])
    writeFileSync(folder.at(name), '')
  symlinkSync(folder.at('secret'), folder.at('city/scripts'))
  symlinkSync(folder.at('secret'), folder.at('pack/linked'))
  const config = {
    path: city,
    rigs: [{ path: folder.at('city/docs') }],
    packs: [{ folder: folder.at('other') }, { folder: city }],
  }
  const linked = [folder.at('pack/skills'), folder.at('pack/linked')]
  const ofCity = [folder.at('city/formulas'), folder.at('city/AGENTS.md')]
  const ofPack = ['skills', 'assets', 'schemas'].map((name) => folder.at('pack', name))
  const ofOther = [folder.at('other/commands')]
  const reader = { configDir: pack, linked }
  expect(readableEntries(reader, config)).toEqual([...ofPack, ...ofOther, ...ofCity, folder.at('pack/skills')])
  expect(readableEntries({ ...reader, dir: 'shop', linked: [] }, config)).toEqual([...ofPack, ...ofOther])
})

test('agents run what lies beside the MCP servers that reach them, and do not read the declarations', () => {
  using folder = tempFolder()
  const mcp = folder.at('pack/mcp')
  mkdirSync(folder.at('pack/mcp/lib'), { recursive: true })
  for (const name of ['search.toml', 'server.sh', '.env']) writeFileSync(folder.at('pack/mcp', name), 'KEY')
  symlinkSync('/etc/passwd', folder.at('pack/mcp/leaving'))
  symlinkSync(mcp, folder.at('linked'))
  const reader = { dir: 'shop', configDir: folder.at('none'), linked: [] }
  const read = (...folders: string[]) =>
    readableEntries({ ...reader, mcp: folders }, { path: folder.at('city'), rigs: [], packs: [] })
  expect(read(mcp, folder.at('linked'), folder.at('pack/none')).sort()).toEqual([
    ...[folder.at('pack/mcp/lib'), folder.at('pack/mcp/server.sh')],
  ])
  expect(readableEntries(reader, { path: folder.at('city'), rigs: [], packs: [] })).toEqual([])
})
