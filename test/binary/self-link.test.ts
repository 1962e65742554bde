import { expect, test } from 'bun:test'
import { copyFileSync, lstatSync, mkdirSync, readlinkSync, realpathSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { tempFolder } from '../support/folder.ts'

const binary = resolve(process.env.GC_BINARY ?? 'dist/gc')

test('a program that lies in the bin folder of its home serves from there again and again', async () => {
  await using folder = tempFolder()
  const home = folder.at('home')
  const own = folder.at('home', 'bin', 'gc')
  mkdirSync(folder.at('home', 'bin'), { recursive: true, mode: 0o700 })
  copyFileSync(binary, own)
  const { size } = statSync(own)
  const env = { PATH: process.env.PATH, HOME: folder.path, GC_HOME: home }
  for (const program of [own, own, binary, own]) {
    const server = Bun.spawn([program, 'serve', '--port', '0'], {
      env,
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: 'pipe',
    })
    await server.stdout.getReader().read()
    const isOther = program === binary || realpathSync(own) === realpathSync(binary)
    expect([lstatSync(own).isSymbolicLink(), statSync(own).size]).toEqual([isOther, size])
    expect(readlinkSync(folder.at('home', 'bin', 'bd'))).toBe(isOther ? realpathSync(binary) : realpathSync(own))
    expect(Bun.spawnSync([folder.at('home', 'bin', 'bd'), '--help'], { env }).exitCode).toBe(0)
    server.kill('SIGTERM')
    expect(await server.exited).toBe(0)
  }
}, 60_000)
