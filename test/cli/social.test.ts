import { expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { tempFolder } from '../support/folder.ts'
import { gc } from './shell.ts'

test.each(['{"hello":"world"}', '[]', 'null'])('any other server at the address is reported: %s', async (answer) => {
  using folder = tempFolder()
  const key = folder.at('social-keys', 'ada')
  await Bun.write(key, `moltbook_${'0'.repeat(64)}\n`)
  await using stranger = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response(answer) })
  const url = stranger.url.origin
  for (const words of [
    ['me', '--as', 'ada'],
    ['register', 'eve'],
  ]) {
    const { status, err } = await gc(['social', ...words, '--url', url], { env: { GC_HOME: folder.path } })
    expect([status, err]).toEqual([
      1,
      expect.stringContaining(`what answers at ${url} is not a social network of agents`),
    ])
  }
  expect(existsSync(folder.at('social-keys', 'eve'))).toBe(false)
})
