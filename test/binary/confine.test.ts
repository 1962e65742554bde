import { describe, expect, test } from 'bun:test'
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { type TempFolder, tempFolder } from '../support/folder.ts'

const binary = resolve(process.env.GC_BINARY ?? 'dist/gc')

interface Outcome {
  code: number
  out: string
  err: string
}

/** Runs a command with `gc confine` in a folder `work` beside one that is not its own. */
async function confined(folder: TempFolder, argv: string[], options: string[] = []): Promise<Outcome> {
  mkdirSync(folder.at('work'), { recursive: true })
  const child = Bun.spawn([binary, 'confine', ...options, '--', ...argv], {
    cwd: folder.at('work'),
    env: { PATH: process.env.PATH, HOME: folder.path, GC_HOME: folder.at('home') },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 20_000,
  })
  const [out, err] = await Promise.all([child.stdout.text(), child.stderr.text()])
  return { code: await child.exited, out, err }
}

const shell = (script: string): string[] => ['/bin/sh', '-c', script]

/** A program of bun that connects to a port of this machine and prints the result of it. */
const dial = (port: number): string[] => [
  process.execPath,
  '-e',
  `Bun.connect({ hostname: '127.0.0.1', port: ${port}, socket: { data() {}, open(s) { console.log('connected'); s.end() } } })
    .catch((error) => console.log(error.code))`,
]

describe('gc confine', () => {
  test('runs a command in its folder, with its output and its exit code', async () => {
    using folder = tempFolder()
    const { code, out, err } = await confined(folder, shell('echo hello > note; cat note; exit 7'))
    expect({ code, out, err }).toEqual({ code: 7, out: 'hello\n', err: '' })
    expect(readFileSync(folder.at('work/note'), 'utf8')).toBe('hello\n')
  })

  test('refuses to read and to change what is not the command’s', async () => {
    using folder = tempFolder()
    writeFileSync(folder.at('key'), 'secret')
    const { code, out } = await confined(folder, shell('cat ../key; echo x > ../key; ln ../key own; ls ..; echo end'))
    expect({ code, out }).toEqual({ code: 0, out: 'end\n' })
    expect(readFileSync(folder.at('key'), 'utf8')).toBe('secret')
    expect(existsSync(folder.at('work/own'))).toBe(false)
  })

  test('lets a command read and change what an option names', async () => {
    using folder = tempFolder()
    mkdirSync(folder.at('more'))
    writeFileSync(folder.at('book'), 'text')
    const options = ['--read', folder.at('book'), '--write', folder.at('more')]
    const { out } = await confined(
      folder,
      shell('cat ../book; echo x > ../book; echo y > ../more/y; cat ../more/y'),
      options,
    )
    expect(out).toBe('texty\n')
    expect(readFileSync(folder.at('book'), 'utf8')).toBe('text')
  })

  test('changes modes of the command’s own files only, and says what it denied', async () => {
    using folder = tempFolder()
    writeFileSync(folder.at('theirs'), '', { mode: 0o644 })
    mkdirSync(folder.at('work'))
    writeFileSync(folder.at('work/own'), '', { mode: 0o644 })
    const { err } = await confined(
      folder,
      shell('chmod 700 own; chmod 666 ../theirs; ln -s ../theirs link; chmod 666 link'),
    )
    expect(statSync(folder.at('work/own')).mode & 0o777).toBe(0o700)
    expect(statSync(folder.at('theirs')).mode & 0o777).toBe(0o644)
    expect(err).toContain(
      `gc confine: denied fchmodat ${folder.at('theirs')}; --write ${folder.at('theirs')} allows it`,
    )
  })

  test('reaches no port of this machine but its own and those that an option names', async () => {
    using folder = tempFolder()
    using server = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } })
    expect((await confined(folder, dial(server.port))).out).toBe('ECONNREFUSED\n')
    expect((await confined(folder, dial(server.port), ['--port', String(server.port)])).out).toBe('connected\n')
    const own = `const s = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response('ok') })
      console.log(await (await fetch(s.url)).text()); s.stop(true)`
    expect((await confined(folder, [process.execPath, '-e', own])).out).toBe('ok\n')
  })

  test('gives a command a folder for what is temporary and takes it away in the end', async () => {
    using folder = tempFolder()
    const { out } = await confined(folder, shell('echo x > "$TMPDIR/x"; test -d "$CODEX_HOME" && echo "$TMPDIR"'))
    expect(out).toMatch(/^\/.*\/tmp\n$/)
    expect(existsSync(out.trim())).toBe(false)
  })

  test('leaves no right to come by: no capability, no new rights, no open file', async () => {
    using folder = tempFolder()
    const { out } = await confined(folder, shell("grep -E '^(CapEff|NoNewPrivs)' /proc/self/status; ls /proc/$$/fd"))
    expect(out).toBe('CapEff:\t0000000000000000\nNoNewPrivs:\t1\n0\n1\n2\n')
  })

  test('says what it cannot start', async () => {
    using folder = tempFolder()
    const { code, err } = await confined(folder, ['no-such-command'])
    expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining('no-such-command') })
  })
})

test('a program is not started at all when it cannot be confined', async () => {
  const child = Bun.spawn([binary, '__confine', '{"read":[]}', '/bin/echo', 'echo', 'started'], { stderr: 'pipe' })
  expect(await child.stdout.text()).toBe('')
  expect(await child.stderr.text()).toContain('was not started')
  expect(await child.exited).toBe(126)
})

test('reaches hosts that are named by a proxy that asks for a password, and no others', async () => {
  using folder = tempFolder()
  const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response('hello') })
  const host = `127.0.0.1:${server.port}`
  const get = (options: string) => `curl -sS --noproxy '' ${options} http://${host}/; echo`
  const guess = `-x http://gc:gcp_guess@127.0.0.1:$(echo $HTTP_PROXY | sed 's/.*://')`
  const named = await confined(folder, shell(`${get('')}; ${get('-p')}; ${get(guess)}`), ['--host', host])
  expect(named).toMatchObject({ out: expect.stringMatching(/^hello\nhello\ngc: this proxy .* password\n/) })
  const other = await confined(folder, shell(get('')))
  expect(other.out).toBe(`gc: ${host} is not allowed: --host ${host} allows it\n\n`)
  expect(other.err).toBe(`gc confine: denied connect ${host}; --host ${host} allows it\n`)
  const none = await confined(folder, shell('env | grep -i proxy'), ['--network', 'session'])
  expect(none.out).toBe('')
  const wrong = await confined(folder, shell('true'), ['--host', 'http://x'])
  expect(wrong).toMatchObject({ code: 1, err: expect.stringContaining('http://x is not a host such as example.com') })
  await server.stop(true)
})
