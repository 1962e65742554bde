import { expect, test } from 'bun:test'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { makePolicy } from '../../../src/host/confine/start/default-policy.ts'
import { tempFolder } from '../../support/folder.ts'

test('a program that is a link lets what it leads to be read, unless agents can have made the link', () => {
  using folder = tempFolder()
  for (const name of ['rig/bin', 'home/modules/node_modules/tool', 'home/bin'])
    mkdirSync(folder.at(name), { recursive: true })
  const tool = folder.at('home/modules/node_modules/tool/main')
  writeFileSync(tool, '')
  for (const name of ['rig/run', 'rig/bin/run', 'home/bin/run']) symlinkSync(tool, folder.at(name))
  symlinkSync(folder.at('rig'), folder.at('shortcut'))
  symlinkSync(folder.at('home/bin'), folder.at('rig/linked'))
  const readable = (program: string, more: { read?: string[]; write: string[] }) =>
    makePolicy({ home: '/nonexistent', program: folder.at(program), ...more }).read.filter((path) =>
      path.startsWith(folder.path),
    )
  const own = { write: [folder.at('rig')] }
  expect(readable('home/bin/run', own)).toEqual([tool, folder.at('home/modules/node_modules')])
  for (const program of ['rig/run', 'rig/bin/run', 'rig/linked/run', 'shortcut/run', 'shortcut/linked/run'])
    expect(readable(program, own)).toEqual([])
  const reads = { read: [folder.at('rig')], write: [] }
  expect(readable('rig/run', reads)).toEqual([folder.at('rig')])
})

test('a policy has the places that are asked for as they are written: no link is followed once they were judged', () => {
  using folder = tempFolder()
  mkdirSync(folder.at('secret'))
  symlinkSync(folder.at('secret'), folder.at('swapped'))
  const { read, write } = makePolicy({
    ...{ home: '/nonexistent', program: '/bin/sh' },
    ...{ read: [folder.at('swapped')], write: [folder.at('swapped')] },
  })
  for (const list of [read, write]) {
    expect(list).toContain(folder.at('swapped'))
    expect(list).not.toContain(folder.at('secret'))
  }
})
