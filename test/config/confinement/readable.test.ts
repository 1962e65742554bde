import { expect, test } from 'bun:test'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { readableEntries } from '../../../src/config/confinement/readable.ts'
import { tempFolder } from '../../support/folder.ts'

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
  const ofPack = [folder.at('pack/skills'), folder.at('pack/assets')]
  const ofOther = [folder.at('other/commands')]
  const reader = { configDir: pack, linked }
  expect(readableEntries(reader, config)).toEqual([...ofPack, ...ofOther, ...ofCity, folder.at('pack/skills')])
  expect(readableEntries({ ...reader, dir: 'shop', linked: [] }, config)).toEqual([...ofPack, ...ofOther])
})
