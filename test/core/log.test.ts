import { describe, expect, test } from 'bun:test'
import { createSecret } from '../../src/core/ids.ts'
import { Log, type LogOptions } from '../../src/core/log.ts'
import { Redactor } from '../../src/core/redact.ts'
import { TestClock } from '../support/clock.ts'

function logging(options: Partial<LogOptions> = {}) {
  const lines: string[] = []
  const log = new Log({ to: { write: (line) => lines.push(line) }, clock: new TestClock(), ...options })
  return { log, lines }
}

describe('a line', () => {
  test('of text has its moment, level, sentence and fields', () => {
    const { log, lines } = logging()
    log.with({ city: 'alpha' }).info('it started', { ms: 12, path: '/a b', why: undefined, error: new Error('no') })
    expect(lines).toEqual(['2026-01-05T09:00:00.000Z info  it started city=alpha ms=12 path="/a b" error="no"\n'])
  })

  test('of JSON is one object', () => {
    const { log, lines } = logging({ format: 'json' })
    log.with({ city: 'alpha' }).error('it failed', { error: new Error('no'), bytes: 12n })
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      {
        city: 'alpha',
        error: 'no',
        bytes: '12',
        ts: '2026-01-05T09:00:00.000Z',
        level: 'error',
        message: 'it failed',
      },
    ])
  })

  test('stays one line and moves no terminal, whatever it tells', () => {
    const { log, lines } = logging()
    log.warn('a\nb\u001b[2Jc\u009b', { text: 'x\ny\u001b[0m' })
    expect(lines).toEqual(['2026-01-05T09:00:00.000Z warn  a\\nb\\x1b[2Jc\\x9b text="x\\ny\\u001b[0m"\n'])
  })

  test('holds no secret, wherever it stood', () => {
    const secrets = new Redactor(['gcs_', 'gco_', 'moltbook_'])
    const { log, lines } = logging({ redact: (line) => secrets.redact(line) })
    const token = createSecret('gcs_')
    log
      .with({ header: `Bearer ${token}` })
      .info(`got ${token}`, { list: [createSecret('gco_'), createSecret('moltbook_')] })
    expect(lines).toEqual([
      '2026-01-05T09:00:00.000Z info  got gcs_*** header="Bearer gcs_***" list=["gco_***","moltbook_***"]\n',
    ])
  })

  test('below the least level is not written', () => {
    const { log, lines } = logging({ minLevel: 'warn' })
    log.debug('a')
    log.info('b')
    log.warn('c')
    expect(lines).toHaveLength(1)
  })

  test('that cannot be told or written harms nobody', () => {
    const loop: Record<string, unknown> = {}
    loop.self = loop
    const { log, lines } = logging()
    log.info('round', { loop })
    expect(lines[0]).toContain('not written')
    const broken = new Log({
      to: {
        write() {
          throw new Error('EPIPE')
        },
      },
      clock: new TestClock(),
    })
    broken.info('nobody hears')
  })
})
