import { describe, expect, test } from 'bun:test'
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { gc as inProcess, type Shell } from '../cli/shell.ts'
import { KEYS, Screen } from '../slow/screen.ts'
import { tempFolder } from '../support/folder.ts'

const binary = resolve(process.env.GC_BINARY ?? 'dist/gc')

/** A user of gc: a supervisor has run here with a city, a unit is installed, and fish completes. */
function openUser(city = 'town') {
  const folder = tempFolder()
  const home = folder.at('.gc')
  const env = { PATH: process.env.PATH ?? '', HOME: folder.path, GC_HOME: home }
  const gc = (...args: string[]) => {
    const { exitCode, stdout, stderr } = Bun.spawnSync([binary, ...args], { env, cwd: folder.path, timeout: 30_000 })
    return { status: exitCode, out: stdout.toString(), err: stderr.toString() }
  }
  const unit = folder.at('.config', 'systemd', 'user', 'gc.service')
  const fish = folder.at('.config', 'fish', 'completions', 'gc.fish')
  const links = ['gc', 'bd', 'gemini-policy.toml', 'claude-plugin'].map((name) => folder.at('.gc', 'bin', name))
  const agents = '[[agent]]\nname = "clerk"\nstart_command = "exec sleep 600"\nmin_active_sessions = 1\n'
  mkdirSync(folder.at(city), { recursive: true })
  writeFileSync(folder.at(city, 'city.toml'), agents)
  mkdirSync(dirname(fish), { recursive: true })
  writeFileSync(fish, gc('completion', 'fish').out)
  gc('supervisor', 'install')
  gc('supervisor', 'start', '--port', '0')
  gc('start', folder.at(city))
  return {
    ...{ folder, home, env, gc, unit, fish, links, city: folder.at(city) },
    /** The same in this process, where somebody can be asked. */
    asked: (stdin: string, shell: Shell = {}) => inProcess(['uninstall'], { env, interactive: true, stdin, ...shell }),
    there: () => [unit, fish, ...links, home].filter(existsSync),
    [Symbol.dispose]() {
      gc('down')
      folder[Symbol.dispose]()
    },
  }
}

describe('gc uninstall', () => {
  test('names what it removes, and removes it once a person agrees: unit, completion and links, no city', async () => {
    using user = openUser()
    const all = [user.unit, user.fish, ...user.links, user.home]
    expect(user.there()).toEqual(all)
    const running = user.gc('uninstall', '--yes')
    expect([running.status, running.err]).toEqual([1, expect.stringMatching(/pid \d+.*still runs; `gc down` ends it/)])
    user.gc('down')
    expect(user.gc('uninstall')).toMatchObject({
      status: 1,
      err: 'gc: there is no terminal to confirm; add --yes to remove it\n',
    })
    const named = `To be removed:\n${[user.unit, ...user.links, user.fish].map((path) => `  ${path}\n`).join('')}`
    expect(await user.asked('n')).toEqual({ status: 1, out: named, err: 'Remove it? [y/N] gc: nothing was removed\n' })
    expect(user.there()).toEqual(all)

    const { status, out } = await user.asked('y')
    expect([status, out]).toEqual([0, expect.stringContaining(`${named}All that is removed.\nLet systemd forget it`)])
    expect(user.there()).toEqual([user.home])
    expect(existsSync(`${user.city}/.gc/city.db`)).toBe(true)
    const again = user.gc('uninstall', '--yes')
    expect([again.status, again.out]).toEqual([0, 'There is nothing to remove.\n'])
  }, 60_000)

  test.each([
    ['y\r', 0],
    ['\r', 1],
    [KEYS.ctrlC, 130],
  ])('ends when a person on a terminal answers with %j', async (keys, status) => {
    using folder = tempFolder()
    const env = { PATH: process.env.PATH ?? '', HOME: folder.path, TERM: 'xterm-256color' }
    Bun.spawnSync([binary, 'supervisor', 'install'], { env })
    await using screen = new Screen([binary, 'uninstall'], { cols: 100, rows: 30, env })
    await screen.shows('Remove it? [y/N]')
    screen.press(keys)
    expect(await screen.exited).toBe(status)
    expect(existsSync(folder.at('.config', 'systemd', 'user', 'gc.service'))).toBe(status !== 0)
  })

  test('removes GC_HOME when it is named once more, and leaves cities and foreign files', () => {
    using user = openUser()
    user.gc('down')
    writeFileSync(user.fish, '# my own')
    expect(user.gc('uninstall', '--yes', '--home', user.folder.path).err).toBe(
      `gc: GC_HOME is ${user.home}, not ${user.folder.path}; name it to remove it\n`,
    )
    expect(user.there()).toHaveLength(7)
    const { status, out } = user.gc('uninstall', '--yes', '--home', '.gc')
    expect([status, out]).toEqual([0, expect.stringContaining(`  ${user.home}\nAll that is removed.\n`)])
    expect(out).toContain(
      `These cities are left as they are: ${user.city}.\nThis program is ${binary}; remove that file last.\n`,
    )
    expect(user.there()).toEqual([user.fish])
    expect(readdirSync(user.city).sort()).toEqual(expect.arrayContaining(['.gc', 'city.toml']))
  }, 60_000)

  test('removes nothing while agents run without a supervisor, or for a session', async () => {
    using user = openUser()
    const there = user.there()
    user.gc('down', '--keep-sessions')
    const { status, err } = user.gc('uninstall', '--yes', '--home', user.home)
    expect([status, err]).toEqual([1, expect.stringMatching(/gc host .*still runs; `gc down` ends it with the agents/)])
    user.gc('down')
    const session = await user.asked('y', { env: { ...user.env, GC_SESSION_ID: 'to-1' } })
    expect(session).toMatchObject({ status: 1, err: 'gc: a session may not uninstall gc; ask the operator\n' })
    expect(user.there()).toEqual(there)
  }, 60_000)

  test('removes nothing when a city, a repository or the home folder lies in GC_HOME, or it is not a home of gc', () => {
    using user = openUser('.gc/cities/town')
    user.gc('down')
    const there = user.there()
    const rejects = (sentence: string, home = user.home) => {
      const { exitCode, stderr } = Bun.spawnSync([binary, 'uninstall', '--yes', '--home', home], {
        env: { ...user.env, GC_HOME: home },
      })
      expect([exitCode, stderr.toString()]).toEqual([1, expect.stringContaining(sentence)])
    }
    rejects(`${user.city} would be lost with ${user.home}`)
    mkdirSync(user.folder.at('.gc', 'mine', '.git'), { recursive: true })
    rejects(`${user.city}, ${user.folder.at('.gc', 'mine')} would be lost`)
    rejects('is not a folder of a supervisor', user.folder.at('.config'))
    rejects('there is no', user.folder.at('nowhere'))
    writeFileSync(user.folder.at('supervisor.db'), '')
    rejects('cannot be read', user.folder.path)
    rmSync(user.folder.at('supervisor.db'))
    writeFileSync(user.folder.at('supervisor.lock'), '')
    rejects(`${user.folder.path} holds your home folder`, user.folder.path)
    expect(user.there()).toEqual(there)
  }, 60_000)
})
