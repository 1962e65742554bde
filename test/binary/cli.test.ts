import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, symlinkSync } from 'node:fs'
import { constants } from 'node:os'
import { resolve } from 'node:path'
import { writeDefaultMode } from '../../src/config/confinement/default-mode.ts'
import { tempFolder } from '../support/folder.ts'
import { eventually } from '../support/until.ts'

/** The compiled program. */
const binary = resolve(process.env.GC_BINARY ?? 'dist/gc')
const folder = tempFolder()
const env = { PATH: process.env.PATH ?? '', HOME: folder.path, GC_HOME: folder.at('home') }
let server: Bun.Subprocess<'ignore', 'pipe', 'inherit'>

function gc(...args: string[]): { status: number; out: string; err: string } {
  const { exitCode, stdout, stderr } = Bun.spawnSync([binary, ...args], { env, cwd: folder.path, timeout: 15_000 })
  return { status: exitCode, out: stdout.toString(), err: stderr.toString() }
}

/** Sets the clipboard and the title, prints to the printer, and shows its token in a link, in two colours and in two pieces. */
const LOUD = `#!/bin/sh
printf %s "$GC_TOKEN" > "$GC_HOME/loud.token"
while :; do
  printf '\\033]52;c;c3RvbGVu\\007\\033]0;owned\\007\\033[5iprinted\\033[4i'
  printf '\\033]8;;http://x/%s\\033\\\\link\\033]8;;\\033\\\\' "$GC_TOKEN"
  printf %.12s "$GC_TOKEN"; printf '\\033[31m'; sleep 0.1; printf '%s\\033[0m\\n' "$(printf %s "$GC_TOKEN" | cut -c13-)"
  echo round over
  sleep 0.2
done
`

const isRunning = async (session: string): Promise<boolean> => {
  const { status, out } = gc('session', 'show', session, '--json')
  return status === 0 && JSON.parse(out).running
}

/** A person's terminal on which the binary runs. */
function onTerminal(...args: string[]) {
  const decoder = new TextDecoder()
  let screen = ''
  const waiting = new Set<() => void>()
  const child = Bun.spawn([binary, ...args], {
    env: { ...env, TERM: 'xterm-256color' },
    cwd: folder.path,
    terminal: {
      cols: 90,
      rows: 30,
      data(_terminal, bytes) {
        screen += decoder.decode(bytes, { stream: true })
        for (const look of waiting) look()
      },
    },
  })
  const shows = (text: string): Promise<void> => {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const late = setTimeout(() => reject(new Error(`the screen never showed ${text}: ${screen}`)), 8000)
    const look = () => {
      if (!screen.includes(text)) return
      waiting.delete(look)
      clearTimeout(late)
      resolve()
    }
    waiting.add(look)
    look()
    return promise
  }
  return { child, shows, type: (text: string) => child.terminal?.write(text), screen: () => screen }
}

afterAll(() => folder[Symbol.dispose]())

describe('the binary', () => {
  beforeAll(async () => {
    writeDefaultMode(folder.at('home'), 'off')
    server = Bun.spawn([binary, 'serve', '--port', '0'], { env, stdin: 'ignore', stdout: 'pipe', stderr: 'inherit' })
    const reader = server.stdout.getReader()
    await reader.read()
    reader.releaseLock()
    mkdirSync(folder.at('shop'))
    await Bun.write(
      folder.at('echo.sh'),
      '#!/bin/sh\necho "I am here"\nwhile read -r line; do echo "heard $line"; done\n',
    )
    await Bun.write(folder.at('loud.sh'), LOUD)
    for (const name of ['echo.sh', 'loud.sh']) chmodSync(folder.at(name), 0o755)
    for (const args of [
      ['init', folder.at('town')],
      ['rig', 'add', folder.at('shop')],
      ['agent', 'add', 'shop/echo', '--command', folder.at('echo.sh')],
      ['sling', 'shop/echo', 'Listen'],
      ['agent', 'add', 'shop/loud', '--command', folder.at('loud.sh')],
      ['sling', 'shop/loud', 'Shout'],
    ]) {
      expect(gc(...args)).toMatchObject({ status: 0, err: '' })
    }
    for (const name of ['shop/echo', 'shop/loud'])
      await eventually(`${name} runs`, 20_000, () => isRunning(name), Boolean)
  }, 30_000)

  afterAll(async () => {
    if (server?.exitCode === null) {
      gc('down')
      await server.exited
    }
  })

  test('is bd when called by that name', () => {
    mkdirSync(folder.at('bin'))
    symlinkSync(binary, folder.at('bin', 'bd'))
    const { stdout } = Bun.spawnSync(['bd', 'version'], { env: { ...env, PATH: folder.at('bin') } })
    expect(stdout.toString()).toStartWith('bd version ')
    expect(existsSync(folder.at('home', 'bin', 'gc'))).toBe(true)
  })

  test('stores the operator’s token readable by its owner only', () => {
    expect(statSync(folder.at('home', 'token')).mode & 0o777).toBe(0o600)
    expect(statSync(folder.at('home')).mode & 0o777).toBe(0o700)
  })

  test('attaches to a session, types, and detaches with ctrl-]; the terminal is restored', async () => {
    const { child, shows, type, screen } = onTerminal('session', 'attach', 'shop/echo')
    await shows('I am here')
    type('hello there\r')
    await shows('heard hello there')
    type('\u001d')
    expect(await child.exited).toBe(0)
    expect(screen()).toContain('it continues')
    expect(screen()).toContain('\u001b[?1049l')
    child.terminal?.close()
    expect(gc('session', 'peek', 'shop/echo').out).toContain('heard hello there')
    expect(JSON.parse(gc('session', 'show', 'shop/echo', '--json').out)).toMatchObject({
      running: true,
      attached: false,
    })
  })

  test('shows a terminal read-only without its clipboard, title and printer, and without its token', async () => {
    const { child, shows, screen, type } = onTerminal('session', 'attach', 'shop/loud', '--read-only')
    await shows('round over')
    const before = screen().length
    while (screen().slice(before).split('round over').length < 4) await Bun.sleep(20)
    type('\u001d')
    await child.exited
    child.terminal?.close()
    for (const code of [']52;', ']0;owned', '[5i']) expect(screen()).not.toContain(`\u001b${code}`)
    const token = readFileSync(folder.at('home', 'loud.token'), 'utf8')
    expect(token).toHaveLength(68)
    const seen = [screen(), gc('session', 'peek', 'shop/loud').out, gc('session', 'transcript', 'shop/loud').out]
    for (const text of seen) {
      expect(text).toContain('round over')
      for (const shown of [text, Bun.stripANSI(text).replaceAll(/[\r\n]/g, '')])
        expect(shown).not.toContain(token.slice(12, 40))
    }
  })

  test('follows a resize of the terminal', async () => {
    const { child, shows, type } = onTerminal('session', 'attach', 'shop/echo', '--detach-key', 'ctrl-x')
    await shows('I am here')
    child.terminal?.resize(60, 20)
    type('sized\r')
    await shows('heard sized')
    type('\u0018')
    expect(await child.exited).toBe(0)
    child.terminal?.close()
  })

  test('restores the terminal when it is terminated', async () => {
    const { child, shows, screen } = onTerminal('session', 'attach', 'shop/echo')
    await shows('I am here')
    child.kill('SIGTERM')
    expect(await child.exited).toBe(128 + constants.signals.SIGTERM)
    expect(screen()).toContain('\u001b[?1049l')
    child.terminal?.close()
  })

  test('a followed stream ends with ctrl-c', async () => {
    const { child, shows } = onTerminal('events', '--follow', '--after', '0')
    await shows('controller.started')
    child.kill('SIGINT')
    expect(await child.exited).toBe(0)
    child.terminal?.close()
  })

  test('that reads standard input ends with ctrl-c', async () => {
    for (const words of ['sling worker --stdin', 'mail send human -', 'bead create --file -']) {
      const { child, type, shows } = onTerminal(...words.split(' '))
      type('half a line')
      await shows('half a line')
      child.kill('SIGINT')
      expect([words, await child.exited]).toEqual([words, 130])
      child.terminal?.close()
    }
  })

  test('shows and quits the dashboard', async () => {
    const { child, shows, type } = onTerminal('tui')
    await shows('town')
    type('q')
    expect(await child.exited).toBe(0)
    child.terminal?.close()
  })

  test('ends quietly when the reader of its output closes the pipe', () => {
    const { exitCode, stderr } = Bun.spawnSync(['sh', '-c', `"${binary}" openapi | head -c 10; exit 0`], { env })
    expect({ exitCode, stderr: stderr.toString() }).toEqual({ exitCode: 0, stderr: '' })
  })

  test('says in words when its output cannot be written', () => {
    for (const words of ['openapi', 'status --json', '--help', 'version']) {
      const { exitCode, stderr } = Bun.spawnSync(['sh', '-c', `"${binary}" ${words} > /dev/full`], { env })
      expect([words, exitCode, stderr.toString()]).toEqual([
        ...[words, 1, 'gc: not all of the output could be written: the disk is full; make room\n'],
      ])
    }
  })

  test('stop ends everything and reports it', async () => {
    expect(gc('host', 'status').out).toContain('PROCESS')
    expect(gc('down')).toMatchObject({ status: 0, out: 'Everything has stopped.\n', err: '' })
    expect(await server.exited).toBe(0)
    expect(gc('--no-autostart', 'city', 'list')).toMatchObject({ status: 1 })
  })
})
