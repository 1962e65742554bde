import { expect, test } from 'bun:test'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { gitSettings } from '../../../src/host/confine/start/git-settings.ts'
import { tempFolder } from '../../support/folder.ts'

test('files that a person includes in settings of git are found, also by a link in home, and by no link elsewhere', () => {
  using folder = tempFolder()
  const home = folder.at('home')
  for (const path of ['home/dotfiles', 'home/project', 'elsewhere']) mkdirSync(folder.at(path), { recursive: true })
  writeFileSync(folder.at('elsewhere/key'), 'secret')
  writeFileSync(folder.at('home/dotfiles/work'), '')
  writeFileSync(folder.at('home/project/shared'), '')
  symlinkSync('dotfiles/work', folder.at('home/.gitconfig-work'))
  symlinkSync('project/planted', folder.at('home/.gitconfig-project'))
  symlinkSync(folder.at('elsewhere/key'), folder.at('home/project/planted'))
  symlinkSync(folder.at('elsewhere'), folder.at('home/project/folder'))
  const included = [
    '~/.gitconfig-work',
    '~/.gitconfig-project',
    'project/shared',
    '~/project/planted',
    'project/folder/key',
  ]
  writeFileSync(folder.at('home/.gitconfig'), included.map((path) => `[include]\n  path = ${path}\n`).join(''))
  const named = gitSettings(home).filter((path) => !path.includes('.config') && path !== `${home}/.gitconfig`)
  expect(named).toEqual([`${home}/.gitconfig-work`, `${home}/project/shared`])
})
