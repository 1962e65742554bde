import { expect, test } from 'bun:test'
import { mkdirSync } from 'node:fs'
import { trustsRig } from '../../src/agents/confinement/accepted-dialogs.ts'
import { recordsOf } from './recorded.ts'
import type { Shell } from './shell.ts'
import { shareTown, type Town } from './town.ts'

let town: Town
shareTown((opened) => {
  town = opened
})

const add = (name: string, flags: readonly string[], shell: Shell = {}) => {
  mkdirSync(town.at(name))
  if (flags.includes('--land')) Bun.spawnSync(['git', 'init', '-q', town.at(name)])
  return town.gc(['rig', 'add', town.at(name), ...flags], shell)
}

const isTrusted = (name: string) => trustsRig(town.city, { rig: name, workDir: town.at(name) }, town.at(name))

test('gc rig add has programs trust a rig as its flag or a person on a terminal says, and asks no script', async () => {
  const person = { interactive: true, width: 100 }
  const question = 'Trust it? Programs ask in each session otherwise. [y/N] '
  const before = (await recordsOf(town, 'town')).length
  expect(await add('plain', [])).toMatchObject({ status: 0, err: '', out: 'Rig plain was added to town.\n' })
  expect((await add('flag', ['--trust'])).out).toBe('Rig flag was added to town, and programs trust it.\n')
  expect((await add('asked', ['--land', 'off'], { ...person, stdin: 'y\n' })).err).toContain(question)
  expect((await add('denied', ['--land', 'off'], { ...person, stdin: '\n' })).err).toContain(question)
  expect((await add('unasked', ['--no-trust', '--land', 'off'], person)).err).not.toContain(question)
  expect((await add('no-repository', [], person)).err).toBe('')
  const names = ['plain', 'flag', 'asked', 'denied', 'unasked']
  expect(names.filter(isTrusted)).toEqual(['flag', 'asked'])
  const types = (await recordsOf(town, 'town')).slice(before)
  expect(types.filter((type) => type.startsWith('rig.'))).toEqual(['rig.trusted', 'rig.trusted'])
})

test('gc rig trust changes it later', async () => {
  await add('later', [])
  expect((await town.gc(['rig', 'trust', 'later'])).out).toBe('Programs trust rig later.\n')
  expect(isTrusted('later')).toBe(true)
  expect((await town.gc(['rig', 'trust', 'later', '--revoke'])).out).toBe('Programs ask about rig later.\n')
  expect(isTrusted('later')).toBe(false)
  expect((await town.gc(['rig', 'trust', 'nowhere'])).status).toBe(1)
})
