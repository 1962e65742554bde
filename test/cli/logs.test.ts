import { describe, expect, test } from 'bun:test'
import {
  appendFileSync,
  closeSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { START_FLAGS } from '../../cli/context/launch-supervisor.ts'
import { logFile, trimStart } from '../../cli/logs/log-file.ts'
import { followSupervisorLog } from '../../cli/logs/merged-logs.ts'
import { rememberLog } from '../../cli/logs/sources.ts'
import { tempFolder } from '../support/folder.ts'
import { gc, type Shell } from './shell.ts'

/** A home whose supervisor and session host have logged. */
function openHome() {
  const folder = tempFolder()
  const host = folder.at('host', 'b1')
  mkdirSync(host, { recursive: true })
  writeFileSync(join(host, 'lock'), '')
  const log = folder.at('supervisor.log')
  const hostLog = join(host, 'log')
  writeFileSync(log, line(1, 'up') + line(3, 'unexpected error: x\n    at y.ts') + line(5, 'request \x1b[31mred'))
  writeFileSync(hostLog, line(2, 'host b1 is up') + line(4, 'session ended'))
  return {
    ...{ log, hostLog, folder },
    gc: (args: string[], shell: Shell = {}) => gc(args, { ...shell, env: { GC_HOME: folder.path } }),
    [Symbol.dispose]: folder[Symbol.dispose],
  }
}

const time = (minute: number): string => `2030-01-01T00:0${minute}:00.000Z`
const line = (minute: number, text: string): string => `${time(minute)} ${text}\n`

/** Runs `gc … --follow`, takes each step once the output before it is there, and interrupts it after the last. */
async function follow(home: ReturnType<typeof openHome>, args: string[], steps: readonly [string, () => void][]) {
  const interrupted = new AbortController()
  const left = [...steps]
  const onOutput = (out: string) => {
    while (left[0] && out.includes(left[0][0])) left.shift()?.[1]()
    if (left.length === 0) interrupted.abort()
  }
  const signal = AbortSignal.any([interrupted.signal, AbortSignal.timeout(10_000)])
  const { out } = await home.gc([...args, '--follow'], { signal, onOutput })
  return out.trimEnd().split('\n')
}

const nothing = () => {}

describe('gc logs', () => {
  test('shows each line of the supervisor and the host by time, with whose it is, and no control characters', async () => {
    using home = openHome()
    const { status, out } = await home.gc(['logs'])
    expect(status).toBe(0)
    expect(out.split('\n')).toEqual([
      `supervisor  ${time(1)} up`,
      `host        ${time(2)} host b1 is up`,
      `supervisor  ${time(3)} unexpected error: x`,
      'supervisor      at y.ts',
      `host        ${time(4)} session ended`,
      `supervisor  ${time(5)} request red`,
      '',
    ])
  })

  test('shows the last lines, those since a time, or those of the host', async () => {
    using home = openHome()
    expect((await home.gc(['logs', '--lines', '2'])).out).toBe(
      `host        ${time(4)} session ended\nsupervisor  ${time(5)} request red\n`,
    )
    expect((await home.gc(['logs', '-n', '0'])).out).toBe('')
    expect((await home.gc(['logs', '--since', time(3)])).out.split('\n')).toHaveLength(5)
    expect((await home.gc(['logs', '--since', time(3), '-n', '1'])).out).toBe(`supervisor  ${time(5)} request red\n`)
    expect((await home.gc(['logs', '--host'])).out).toBe(
      `host        ${time(2)} host b1 is up\nhost        ${time(4)} session ended\n`,
    )
    expect((await home.gc(['supervisor', 'logs', '-n', '1'])).out).toBe(`${time(5)} request red\n`)
  })

  test('says that nothing was logged since a time, and rejects what is not a time', async () => {
    using home = openHome()
    expect(await home.gc(['logs', '--since', time(9)])).toEqual({
      ...{ status: 0, out: '', err: 'gc: nothing was logged since then\n' },
    })
    expect((await home.gc(['logs', '--since', 'yesterday'])).status).toBe(2)
    expect((await home.gc(['logs', '--lines', '-1'])).status).toBe(2)
  })

  test('shows what was rotated as well, and names the builds when several hosts have logged', async () => {
    using home = openHome()
    renameSync(home.log, `${home.log}.old`)
    writeFileSync(home.log, line(6, 'rotated'))
    mkdirSync(home.folder.at('host', 'b2'))
    writeFileSync(home.folder.at('host', 'b2', 'lock'), '')
    writeFileSync(home.folder.at('host', 'b2', 'log'), line(7, 'host b2 is up'))
    const { out } = await home.gc(['logs'])
    expect(out).toStartWith(`supervisor  ${time(1)} up\nhost b1     ${time(2)} host b1 is up\n`)
    expect(out).toEndWith(`supervisor  ${time(6)} rotated\nhost b2     ${time(7)} host b2 is up\n`)
  })

  test('shows the log that a supervisor was given, until one logs in its home again', async () => {
    using home = openHome()
    const log = home.folder.at('elsewhere.log')
    writeFileSync(log, line(6, 'elsewhere'))
    rememberLog(home.folder.path, log)
    expect((await home.gc(['logs', '-n', '2'])).out).toBe(
      `supervisor  ${time(5)} request red\nsupervisor  ${time(6)} elsewhere\n`,
    )
    rememberLog(home.folder.path, undefined)
    expect((await home.gc(['supervisor', 'logs', '-n', '1'])).out).toBe(`${time(5)} request red\n`)
  })

  test('says how there will be a log where there is none', async () => {
    using folder = tempFolder()
    for (const [args, sentence] of [
      [['logs'], 'a supervisor writes one when'],
      [['logs', '--follow'], 'the session host writes one'],
      [['logs', '--host'], 'the session host writes one'],
      [['supervisor', 'logs'], 'a supervisor writes one when'],
    ] as const) {
      const { status, out, err } = await gc(args, { env: { GC_HOME: folder.path } })
      expect([args, status, out, err]).toEqual([args, 1, '', expect.stringContaining(sentence)])
      expect(err).toStartWith(`gc: there is no log in ${folder.path}: `)
    }
  })
})

describe('gc logs --follow', () => {
  test('continues with whole lines, each once, also when a log is renamed or truncated for its size', async () => {
    using home = openHome()
    const shown = await follow(
      home,
      ['logs', '-n', '1'],
      [
        ['request red', () => appendFileSync(home.log, `${line(6, 'six')}${time(7)} se`)],
        [
          'six',
          () => {
            appendFileSync(home.log, `ven\n${line(7, 'last of the old')}`)
            renameSync(home.log, `${home.log}.old`)
            writeFileSync(home.log, line(8, 'first of the new'))
            appendFileSync(home.hostLog, line(8, 'host before'))
            copyFileSync(home.hostLog, `${home.hostLog}.1`)
            truncateSync(home.hostLog)
            appendFileSync(home.hostLog, line(9, 'host after'))
          },
        ],
        ['host after', nothing],
      ],
    )
    expect(shown).toEqual([
      `supervisor  ${time(5)} request red`,
      `supervisor  ${time(6)} six`,
      `supervisor  ${time(7)} seven`,
      `supervisor  ${time(7)} last of the old`,
      `supervisor  ${time(8)} first of the new`,
      `host        ${time(8)} host before`,
      `host        ${time(9)} host after`,
    ])
  })

  test('shows the log of a host that starts later', async () => {
    using home = openHome()
    const start = () => {
      mkdirSync(home.folder.at('host', 'b2'))
      writeFileSync(home.folder.at('host', 'b2', 'log'), line(6, 'host b2 is up'))
      writeFileSync(home.folder.at('host', 'b2', 'lock'), '')
    }
    const shown = await follow(
      home,
      ['logs', '-n', '1'],
      [
        ['request red', start],
        ['host b2 is up', nothing],
      ],
    )
    expect(shown.at(-1)).toBe(`host b2     ${time(6)} host b2 is up`)
  })
})

test('empties the supervisor’s output file above one megabyte, and continues', () => {
  using folder = tempFolder()
  const log = folder.at('supervisor.log')
  const path = `${log}.start`
  trimStart(log)
  expect(existsSync(path)).toBe(false)
  const output = openSync(path, START_FLAGS, 0o600)
  try {
    writeSync(output, 'x'.repeat(1024 * 1024))
    trimStart(log)
    expect(statSync(path).size).toBe(1024 * 1024)
    writeSync(output, 'y')
    trimStart(log)
    expect(statSync(path).size).toBe(0)
    writeSync(output, 'later')
    expect(readFileSync(path, 'utf8')).toBe('later')
  } finally {
    closeSync(output)
  }
})

test('a log that cannot be written keeps no one from going on, and says what it lost once it can be', () => {
  using folder = tempFolder()
  const log = logFile(folder.at('later', 'log'))
  log('lost\n')
  log('lost too\n')
  mkdirSync(folder.at('later'))
  log('kept\n')
  log('kept too\n')
  expect(readFileSync(folder.at('later', 'log'), 'utf8')).toMatch(
    /^\S+Z 2 messages before this could not be written\nkept\nkept too\n$/,
  )
})

describe('the log of the supervisor on the dashboard', () => {
  test('begins with the last complete lines and continues with new ones, even in a log that does not exist yet', async () => {
    using home = openHome()
    writeFileSync(`${home.log}.old`, line(0, 'old'))
    writeFileSync(home.log, `${'é'.repeat(200 * 1024)}\n${line(1, 'up')}`)
    const ended = new AbortController()
    const batches = followSupervisorLog(home.folder.path, ended.signal)
    expect((await batches.next()).value).toEqual([`${time(1)} up`])
    appendFileSync(home.log, line(2, 'added'))
    expect((await batches.next()).value).toEqual([`${time(2)} added`])
    ended.abort()
    expect((await batches.next()).done).toBe(true)

    using empty = tempFolder()
    const later = followSupervisorLog(empty.path, AbortSignal.timeout(10_000))
    expect((await later.next()).value).toEqual([])
    writeFileSync(empty.at('supervisor.log'), line(3, 'first'))
    expect((await later.next()).value).toEqual([`${time(3)} first`])
  })
})
