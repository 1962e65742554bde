import { expect, test } from 'bun:test'
import { resolve } from 'node:path'
import { showFolder } from '../../../src/config/offline/explain.ts'
import { cityFiles } from '../city-files.ts'

test('shows the composed configuration of a city with the place of each value, from its files alone', () => {
  using home = cityFiles({})
  const city = resolve(import.meta.dir, '../../support/cities/derived')
  const { fields, packFolders, errors } = showFolder(city, home.path)
  expect(errors).toEqual([])
  expect(packFolders.map((folder) => folder.slice(city.length))).toEqual(['/packs/base', '/packs/derived', ''])
  const limit = fields.find(({ name, key }) => name === 'yard/crew.builder' && key === 'max_active_sessions')
  expect([limit?.value, limit?.file, limit?.section]).toEqual([4, 'city.toml', '[[rigs.overrides]]'])
})
