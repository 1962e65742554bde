import { afterAll, describe, expect, test } from 'bun:test'
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { tempFolder } from '../support/folder.ts'

const binary = resolve(process.env.GC_BINARY ?? 'dist/gc')
const folder = tempFolder()
const env = { PATH: process.env.PATH ?? '', HOME: folder.path, GC_HOME: folder.at('home') }

function gc(args: readonly string[], more: Record<string, string> = {}): { status: number; out: string; err: string } {
  const { exitCode, stdout, stderr } = Bun.spawnSync([binary, ...args], {
    env: { ...env, ...more },
    cwd: folder.path,
    timeout: 30_000,
  })
  return { status: exitCode, out: stdout.toString(), err: stderr.toString() }
}

const STARTED = 'gc: started the supervisor; `gc down` ends it and its agents\n'

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

afterAll(() => {
  gc(['down'])
  folder[Symbol.dispose]()
})

describe('a supervisor in the background', () => {
  test('outlives the command that started it, writes a log, and is ended by gc down alone', () => {
    const started = gc(['supervisor', 'start', '--port', '0'])
    expect([started.status, started.out]).toEqual([0, expect.stringContaining('The supervisor is up at http://')])
    const { pid } = JSON.parse(readFileSync(folder.at('home', 'supervisor.json'), 'utf8'))
    expect(isAlive(pid)).toBe(true)
    expect(gc(['supervisor', 'start']).out).toContain('A supervisor runs at')
    expect(JSON.parse(gc(['supervisor', 'status', '--json']).out)).toMatchObject({ ok: true, running: true, pid })

    const city = folder.at('city')
    mkdirSync(city)
    writeFileSync(
      join(city, 'city.toml'),
      '[[agent]]\nname = "clerk"\nstart_command = "exec sleep 600"\nmin_active_sessions = 1\n',
    )
    expect(gc(['start', city]).out).toBe(`City city is up at ${city}.\n`)
    expect(gc(['stop']).out).toStartWith('City city is stopped')
    expect(isAlive(pid)).toBe(true)
    expect(gc(['restart', 'city']).out).toBe(`City city is up at ${city}.\n`)
    expect(gc(['supervisor', 'logs']).out).toContain('Stop a city')
    expect(gc(['logs']).out).toMatch(/^supervisor +\S+Z .*Stop a city/m)
    expect(gc(['logs', '--host', '--since', '10m']).out).toMatch(/^host +\S+Z host \S+ is up \(pid \d+\)$/m)
    expect(gc(['logs', '--since', '2040-01-01']).err).toBe('gc: nothing was logged since then\n')

    const session = { GC_SESSION_ID: 'to-1', GC_TOKEN: 'gcs_none' }
    for (const args of [['down'], ['stop', 'city'], ['supervisor', 'stop']]) {
      expect([args, gc(args, session).status === 0]).toEqual([args, false])
    }
    expect(isAlive(pid)).toBe(true)
    expect(gc(['down']).out).toContain('Everything has stopped.')
    expect(gc(['supervisor', 'status']).status).toBe(1)
  }, 60_000)

  test('is started by the first command that needs one, unless told otherwise', () => {
    const city = folder.at('first')
    mkdirSync(city)
    writeFileSync(join(city, 'city.toml'), '')
    for (const [args, more] of [
      [['--no-autostart', 'status'], {}],
      [['status'], { GC_NO_AUTOSTART: '1' }],
    ] as const) {
      expect([args, gc(args, { GC_PORT: '0', ...more }).status]).toEqual([args, expect.any(Number)])
      expect([more, gc(['supervisor', 'status']).status]).toEqual([more, 1])
    }
    const cities = gc(['status'], { GC_PORT: '0' })
    expect(cities.err).toContain('gc: started the supervisor; `gc down` ends it and its agents')
    expect(gc(['up']).out).toContain('A supervisor runs at')
    expect(gc(['down']).out).toContain('Everything has stopped.')
  }, 60_000)

  test.each([
    'cities',
    'city list',
    'register first',
    'readiness',
    'openapi',
    'events --all',
    'social doctor',
    'restart first',
  ])(
    'is started by gc %s',
    (words) => {
      const { status, err } = gc(words.split(' '), { GC_PORT: '0' })
      expect([status, err]).toEqual([0, words.startsWith('restart') ? '' : STARTED])
      expect(gc(['down']).out).toContain('Everything has stopped.')
    },
    60_000,
  )

  test('is started by no command that must not, which then changes nothing', () => {
    for (const words of ['init never', 'init never --name other', 'start first', 'restart first', 'cities'])
      for (const [args, more] of [
        [['--no-autostart'], {}],
        [[], { GC_NO_AUTOSTART: '1' }],
      ] as const) {
        const { status, err } = gc([...args, ...words.split(' ')], { GC_PORT: '9', ...more })
        expect([words, status, err]).toEqual([words, 1, expect.stringContaining('; start one with `gc up`\n')])
      }
    expect(existsSync(folder.at('never'))).toBe(false)
    expect(gc(['stop']).err).toContain('gc: nothing to stop: no supervisor answers at ')
  }, 60_000)

  test('says of a city that it has already where to look', () => {
    gc(['up', '--port', '0'])
    expect(gc(['register', 'first']).err).toBe(
      `gc: ${folder.at('first')} is already registered; \`gc cities\` shows its state\n`,
    )
    gc(['down'])
  }, 60_000)

  test('continues where its log takes nothing, as on a full disk', () => {
    mkdirSync(folder.at('mute'))
    symlinkSync('/dev/full', folder.at('mute', 'supervisor.log'))
    const home = { GC_HOME: folder.at('mute') }
    expect(gc(['up', '--port', '0'], home).out).toContain('The supervisor is up at ')
    expect(gc(['init', 'unlogged'], home).out).toContain('City unlogged is up at ')
    expect(gc(['down'], home).out).toContain('Everything has stopped.')
  }, 60_000)

  test('that ends at once says why', () => {
    mkdirSync(folder.at('broken'))
    writeFileSync(folder.at('broken', 'supervisor.toml'), '[confine\n')
    const { status, err } = gc(['up', '--port', '0'], { GC_HOME: folder.at('broken') })
    expect([status, err]).toEqual([
      1,
      expect.stringMatching(/^gc: the supervisor could not start: supervisor.toml:1: /),
    ])
  }, 60_000)

  test('is not started where GC_URL says that another is', () => {
    const elsewhere = gc(['start'], { GC_URL: 'http://127.0.0.1:9' })
    expect([elsewhere.status, elsewhere.err]).toEqual([1, expect.stringContaining('http://127.0.0.1:9')])
  }, 60_000)
})
