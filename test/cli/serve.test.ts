import { expect, test } from 'bun:test'
import { chmodSync, existsSync, readdirSync, statSync } from 'node:fs'
import { tempFolder } from '../support/folder.ts'
import { gc } from './shell.ts'

test.each([
  [['--help']],
  [['--version']],
  [['extra']],
  [['--wrong']],
  [['--prot', '8372']],
  [['--port', 'x']],
  [['--log']],
  [['--json', '--wrong']],
  [['--only', 'nothing']],
])('gc serve %j prints on its own what it prints among all commands', async (args) => {
  const alone = await gc(['serve', ...args])
  const among = await gc(['--no-autostart', 'serve', ...args])
  expect(alone).toEqual(among)
  expect(alone.out + alone.err).not.toBe('')
})

test('gc serve changes no folder that others use', async () => {
  using folder = tempFolder()
  chmodSync(folder.path, 0o1777)
  for (const only of [[], ['--only', 'social']]) {
    const { status, err } = await gc(['serve', '--port', '0', '--home', folder.path, ...only])
    expect([status, err]).toEqual([1, expect.stringContaining(`${folder.path} is a folder that others use`)])
    expect(readdirSync(folder.path)).toEqual([])
    expect(statSync(folder.path).mode & 0o7777).toBe(0o1777)
  }
})

test('gc serve takes an empty GC_HOME for none', async () => {
  using folder = tempFolder()
  const leaving = new AbortController()
  const { status, err } = await gc(['serve', '--port', '0'], {
    env: { GC_HOME: '', HOME: folder.path },
    signal: leaving.signal,
    onOutput: (out) => out.includes('answers at') && setTimeout(() => leaving.abort()),
  })
  expect([status, err]).toEqual([0, expect.not.stringContaining('gc:')])
  expect(existsSync(folder.at('.gc', 'supervisor.db'))).toBe(true)
})
