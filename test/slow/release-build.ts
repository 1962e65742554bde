import { once } from 'node:events'
import { cpSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { createServer } from 'node:net'
import { dirname, join } from 'node:path'
import { Glob } from 'bun'
import type { TempFolder } from '../support/folder.ts'

const ROOT = join(import.meta.dir, '../..')

/** A person without settings of git, and a fixed date: equal files make the same commit. */
const GIT = {
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_AUTHOR_NAME: 'a',
  GIT_AUTHOR_EMAIL: 'a@example.com',
  GIT_COMMITTER_NAME: 'a',
  GIT_COMMITTER_EMAIL: 'a@example.com',
  GIT_AUTHOR_DATE: '2026-01-02T03:04:05Z',
  GIT_COMMITTER_DATE: '2026-01-02T03:04:05Z',
}

export interface Outcome {
  readonly status: number
  readonly out: string
  readonly err: string
}

export async function run(argv: string[], cwd: string, env: Record<string, string> = {}): Promise<Outcome> {
  const child = Bun.spawn(argv, {
    cwd,
    env: { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '', ...env },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [out, err, status] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  return { status, out, err }
}

export async function runWell(argv: string[], cwd: string, env?: Record<string, string>): Promise<string> {
  const { status, out, err } = await run(argv, cwd, env)
  if (status !== 0) throw new Error(`${argv.join(' ')} exited with ${status}:\n${out}${err}`)
  return out
}

/** A repository of one commit with the files of this project as they are now, without its tests. */
export async function checkout(folder: TempFolder, name: string): Promise<string> {
  const path = folder.at(name)
  for (const file of new Glob('**/*').scanSync({ cwd: ROOT, dot: true })) {
    if (/^(?:\.git|dist|node_modules|test)(?:\/|$)/.test(file)) continue
    mkdirSync(dirname(join(path, file)), { recursive: true })
    cpSync(join(ROOT, file), join(path, file))
  }
  symlinkSync(join(ROOT, 'node_modules'), join(path, 'node_modules'))
  for (const words of [
    ['init', '-q'],
    ['add', '-A'],
    ['commit', '-qm', 'all'],
  ])
    await runWell(['git', ...words], path, GIT)
  return path
}

export const release = (path: string, ...words: string[]): Promise<Outcome> =>
  run([process.execPath, 'scripts/release/release.ts', '--quick', ...words], path)

export const read = (...parts: string[]): string => readFileSync(join(...parts), 'utf8')

/** The files of a release on loopback. Responses to names that `cut` matches end in the middle. */
export async function releaseServer(files: ReadonlyMap<string, Buffer | string>, cut?: RegExp) {
  const asked: string[] = []
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', (bytes) => {
      const name = /^GET \/v9\/(\S+)/.exec(bytes.toString())?.[1] ?? ''
      asked.push(name)
      const content = files.get(name)
      const body = Buffer.from(content ?? 'not found')
      const status = content === undefined ? '404 Not Found' : '200 OK'
      socket.write(`HTTP/1.1 ${status}\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n`)
      socket.end(cut?.test(name) ? body.subarray(0, body.length / 2) : body)
    })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  return { url: `http://127.0.0.1:${port}/v9`, asked, [Symbol.dispose]: () => void server.close() }
}
