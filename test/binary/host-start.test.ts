import { expect, test } from 'bun:test'
import { mkdirSync } from 'node:fs'
import { resolve } from 'node:path'
import { tempFolder } from '../support/folder.ts'

const binary = resolve(process.env.GC_BINARY ?? 'dist/gc')

test('a session host whose supervisor was killed while it started ends on its own', async () => {
  using folder = tempFolder()
  mkdirSync(folder.at('home'), { mode: 0o700 })
  const host = Bun.spawn([binary, 'host'], {
    env: { PATH: process.env.PATH, HOME: folder.path, GC_HOME: folder.at('home'), GC_HOST_IDLE_TIMEOUT: '500ms' },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'ignore',
  })
  await host.stdout.cancel()
  const status = await Promise.race([host.exited, Bun.sleep(20_000).then(() => 'it stays')])
  if (status === 'it stays') host.kill('SIGKILL')
  expect(status).toBe(0)
}, 30_000)
