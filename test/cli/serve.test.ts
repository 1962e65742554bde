import { expect, test } from 'bun:test'
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
