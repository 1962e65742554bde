import { expect, test } from 'bun:test'
import { mkdirSync } from 'node:fs'
import { resolve } from 'node:path'
import { tempFolder } from '../support/folder.ts'

const BINARY = resolve(process.env.GC_BINARY ?? 'dist/gc')

/** A shell in a disk of two megabytes, which ends with it. */
const SMALL = ['unshare', '-rm', 'sh', '-c', 'mount -t tmpfs -o size=2m tmpfs "$0" && cd "$0" && exec sh -c "$1"']

test('on a full disk a new city is told at once why it could not be opened', async () => {
  using folder = tempFolder()
  const disk = folder.at('disk')
  mkdirSync(disk)
  const env = { PATH: process.env.PATH ?? '', HOME: disk, GC_HOME: `${disk}/home`, GC: BINARY }
  const script = '"$GC" up --port 0; "$GC" init city; echo "status $?"; "$GC" down'
  const shell = Bun.spawn([...SMALL, disk, script], { env, stdout: 'pipe', stderr: 'pipe', timeout: 60_000 })
  const [out, err] = await Promise.all([new Response(shell.stdout).text(), new Response(shell.stderr).text()])
  expect(out).toContain('status 1\nEverything has stopped.\n')
  expect(err).toMatch(/^gc: city could not be opened: .* disk is full$/m)
}, 90_000)
