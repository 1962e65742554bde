import { describe, expect, test } from 'bun:test'
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { launchdAgent } from '../../cli/unit/launchd.ts'
import { systemdUnit } from '../../cli/unit/systemd.ts'
import { tempFolder } from '../support/folder.ts'
import { gc } from './shell.ts'

const SPECIAL = {
  words: ['/opt/a "b"/100%/gc', 'serve', '--log', '/home/me/$HOME & <co>/supervisor.log'],
  env: { PATH: '/opt/x y:/usr/bin:$HOME/bin', GC_HOME: '/home/me/50%\\"', GC_PORT: '8400' },
}

/** The sections of a unit; throws at a line that is none of systemd's. */
function sectionsOf(unit: string): Record<string, string[]> {
  const sections: Record<string, string[]> = {}
  let lines: string[] | undefined
  for (const line of unit.split('\n').filter(Boolean)) {
    const [, name] = /^\[(\w+)\]$/.exec(line) ?? []
    if (name !== undefined) {
      lines = []
      sections[name] = lines
    } else if (lines && /^[A-Z]\w+=./.test(line)) lines.push(line)
    else throw new Error(`not a line of a unit: ${line}`)
  }
  return sections
}

/** Verdict of systemd itself on a unit. */
function verify(unit: string): string {
  using folder = tempFolder()
  const file = folder.at('gc.service')
  writeFileSync(file, unit)
  const { exitCode, stdout, stderr } = Bun.spawnSync(['systemd-analyze', '--user', '--man=no', 'verify', file], {
    env: { PATH: process.env.PATH, HOME: folder.path, XDG_RUNTIME_DIR: folder.path },
  })
  return `${exitCode}\n${stdout}${stderr}`
}

type Plist = string | boolean | Plist[] | { [key: string]: Plist }

/** Reads a property list of the XML kind; throws at anything that is not well-formed. */
function readPlist(text: string): Plist {
  const tokens = text.match(/<[^>]*>|[^<]+/g)?.filter((token) => token.trim() !== '') ?? []
  const take = (expected?: RegExp): string => {
    const token = tokens.shift()?.trim() ?? ''
    if (expected && !expected.test(token)) throw new Error(`${token} where ${expected} belongs`)
    return token
  }
  const words = (end: string): string => {
    const raw = tokens[0]?.startsWith('<') ? '' : (tokens.shift() ?? '')
    if (/&(?!(amp|lt|gt|quot|apos);)/.test(raw)) throw new Error(`a bare & in ${raw}`)
    take(new RegExp(`^</${end}>$`))
    return raw.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&')
  }
  const value = (): Plist => {
    const tag = take(/^<(string|true\/|false\/|array|dict)>$/)
    if (tag === '<string>') return words('string')
    if (tag === '<array>') {
      const items: Plist[] = []
      while (tokens[0] !== '</array>') items.push(value())
      take()
      return items
    }
    if (tag !== '<dict>') return tag === '<true/>'
    const fields: { [key: string]: Plist } = {}
    while (tokens[0] !== '</dict>') {
      take(/^<key>$/)
      const key = words('key')
      if (key in fields) throw new Error(`${key} is there twice`)
      fields[key] = value()
    }
    take()
    return fields
  }
  take(/^<\?xml version="1.0" encoding="UTF-8"\?>$/)
  take(/^<!DOCTYPE plist PUBLIC /)
  take(/^<plist version="1.0">$/)
  const read = value()
  take(/^<\/plist>$/)
  if (tokens.length > 0) throw new Error(`more after the end: ${tokens[0]}`)
  return read
}

describe('the unit of systemd', () => {
  test('ends the supervisor alone, delegates its cgroup, and is started again after a failure, but not indefinitely', () => {
    const { Unit, Service, Install } = sectionsOf(systemdUnit({ words: ['/usr/bin/gc', 'serve'], env: {} }))
    expect(Unit).toEqual(expect.arrayContaining(['StartLimitIntervalSec=5min', 'StartLimitBurst=5']))
    expect(Service).toEqual([
      'ExecStart="/usr/bin/gc" "serve"',
      'Restart=on-failure',
      'RestartSec=5',
      'KillMode=process',
      'Delegate=yes',
    ])
    expect(Install).toEqual(['WantedBy=default.target'])
  })

  test('keeps every character of paths and of PATH', () => {
    expect(sectionsOf(systemdUnit(SPECIAL)).Service?.slice(0, 4)).toEqual([
      'ExecStart="/opt/a \\"b\\"/100%%/gc" "serve" "--log" "/home/me/$$HOME & <co>/supervisor.log"',
      'Environment="PATH=/opt/x y:/usr/bin:$HOME/bin"',
      'Environment="GC_HOME=/home/me/50%%\\\\\\""',
      'Environment="GC_PORT=8400"',
    ])
  })

  test('has nothing that systemd objects to', () => {
    const [, ...args] = SPECIAL.words
    const unit = systemdUnit({ ...SPECIAL, words: ['/bin/sh', ...args] })
    expect(verify(unit)).toBe('0\n')
    expect(verify(unit.replace('KillMode', 'KillMod'))).toContain('Unknown key')
    expect(verify(unit.replace('=on-failure', '=sometimes'))).toContain('Failed to parse')
  })
})

test('the agent of launchd says the same and keeps every character', () => {
  expect(readPlist(launchdAgent(SPECIAL))).toEqual({
    Label: 'gc.supervisor',
    ProgramArguments: SPECIAL.words,
    EnvironmentVariables: SPECIAL.env,
    RunAtLoad: true,
    KeepAlive: { SuccessfulExit: false },
    AbandonProcessGroup: true,
  })
})

describe('gc supervisor', () => {
  const home = () => {
    const folder = tempFolder()
    const env = {
      ...{ HOME: folder.path, GC_HOME: folder.at('gc'), PATH: '/usr/bin:/opt/agents' },
      ...{ GC_URL: 'http://127.0.0.1:9', USER: 'nobody-lingers' },
    }
    const run = (...args: string[]) => gc(['supervisor', ...args], { env })
    return {
      env,
      run,
      unit: folder.at('.config', 'systemd', 'user', 'gc.service'),
      [Symbol.dispose]: folder[Symbol.dispose],
    }
  }

  test('install writes the unit with the PATH, home and port of the shell, once, and says how to start it', async () => {
    using user = home()
    expect(await user.run('install')).toEqual({
      status: 0,
      out: `Wrote ${user.unit}.
Start it with \`systemctl --user daemon-reload && systemctl --user enable --now gc\`.
It stops when you log out; \`loginctl enable-linger\` starts it with the machine and keeps it running.
`,
      err: '',
    })
    const unit = readFileSync(user.unit, 'utf8')
    const { Service } = sectionsOf(unit)
    expect(Service).toEqual(
      expect.arrayContaining(['Environment="PATH=/usr/bin:/opt/agents"', `Environment="GC_HOME=${user.env.GC_HOME}"`]),
    )
    expect(Service?.[0]).toEndWith(`"serve" "--log" "${user.env.GC_HOME}/supervisor.log"`)
    expect(verify(unit)).toBe('0\n')
    expect(await user.run('install')).toMatchObject({
      status: 1,
      err: `gc: ${user.unit} exists; --force replaces it\n`,
    })
    await gc(['supervisor', 'install', '--force'], { env: { ...user.env, GC_PORT: '8400' } })
    expect(readFileSync(user.unit, 'utf8')).toContain('Environment="GC_PORT=8400"')
  })

  test('install --dry-run prints what install writes, and writes nothing', async () => {
    using user = home()
    const { out } = await user.run('install', '--dry-run')
    expect(existsSync(dirname(user.unit))).toBe(false)
    await user.run('install')
    expect(readFileSync(user.unit, 'utf8')).toBe(out)
  })

  test('install writes nothing without a PATH, with control characters, or for a session', async () => {
    using user = home()
    for (const [more, sentence] of [
      [{ PATH: '' }, 'PATH is empty'],
      [{ PATH: '/bin\nExecStartPre=/bin/evil' }, 'a unit cannot hold control characters'],
      [{ GC_SESSION_ID: 'to-1' }, 'a session may not'],
    ] as const) {
      const { status, err } = await gc(['supervisor', 'install'], { env: { ...user.env, ...more } })
      expect([status, err]).toEqual([1, expect.stringContaining(sentence)])
    }
    expect(existsSync(user.unit)).toBe(false)
  })

  test('status says whether a unit is there and enabled, and uninstall removes it with its link', async () => {
    using user = home()
    expect((await user.run('uninstall')).err).toBe(
      `gc: there is no ${user.unit}; \`gc supervisor install\` writes one\n`,
    )
    expect((await user.run('status')).out).toBe('No supervisor runs.\n')
    await user.run('install')
    expect((await user.run('status')).out).toContain(`${user.unit} is there, but not enabled`)
    const link = user.unit.replace('gc.service', 'default.target.wants/gc.service')
    mkdirSync(dirname(link))
    symlinkSync(user.unit, link)
    expect((await user.run('status')).out).toContain(`The system starts it at login: ${user.unit}.`)
    expect(JSON.parse((await user.run('status', '--json')).out)).toMatchObject({
      running: false,
      unit: { path: user.unit, enabled: true },
    })
    expect((await user.run('uninstall')).out).toStartWith(
      `Removed ${user.unit}.\nRemoved ${link}.\nLet systemd forget it`,
    )
    expect([existsSync(user.unit), existsSync(link)]).toEqual([false, false])
  })
})
