import { expect, test } from 'bun:test'
import { chmodSync } from 'node:fs'
import { missingPrograms, readCityFiles } from '../../../src/config/offline/city-composition.ts'
import { cityFiles } from '../city-files.ts'

test('the program of an agent is found where its provider has it, else on the PATH of the agent, the provider or the shell', () => {
  const agent = (name: string, more = '') => `[[agent]]\nname = "${name}"\nprovider = "${name}"\n${more}`
  using city = cityFiles({
    'city.toml': [
      agent('claude'),
      agent('codex'),
      agent('mine'),
      agent('own'),
      '[providers.claude]\ncommand = "opt/claude --fast"\n',
      '[providers.mine]\ncommand = "tool run"\n[providers.mine.env]\nPATH = "/nowhere"\n',
      '[providers.own]\ncommand = "wrapper"\npath_check = "tool"\n',
    ].join('\n'),
    'opt/claude': '#!/bin/sh\n',
    'bin/tool': '#!/bin/sh\n',
  })
  for (const program of ['opt/claude', 'bin/tool']) chmodSync(`${city.path}/${program}`, 0o755)
  const files = readCityFiles(city.path, city.path)
  const missing = missingPrograms(files, `${city.path}/bin`)
  expect(files.programs.map(({ provider }) => provider)).toEqual(['claude', 'codex', 'mine', 'own'])
  expect(missing.map(({ provider, command }) => [provider, command])).toEqual([
    ['codex', 'codex'],
    ['mine', 'tool'],
  ])
})
