import { describe, expect, test } from 'bun:test'
import { terminalProfileOf } from '../../../src/agents/launch/terminal-profiles.ts'
import { LifeSigns } from '../../../src/agents/lifecycle/act/life-signs.ts'
import type { RunningSession } from '../../../src/work/sessions/running.ts'
import { TestClock } from '../../support/clock.ts'
import { sessionRow } from './rows.ts'

const CLAUDE = terminalProfileOf({ ancestor: 'claude', readyPromptPrefix: '❯ ' })
const UNKNOWN = terminalProfileOf()
const MINUTE = 60_000

/** A session of a pool on a screen of the test's, whose program uses the processor as the test says. */
function lookAt(lines: string[], { profile = UNKNOWN, asksByProtocol = 0, isAcp = false } = {}) {
  const clock = new TestClock()
  const used = { ms: 500 }
  const cursor = { x: 0, y: lines.length }
  const size = { cols: 80, rows: 24, offset: 0, alternate: false, bracketedPaste: true, title: '' }
  const signs = new LifeSigns(
    { clock },
    {
      host: { screen: async () => ({ ...size, lines, cursor }) },
      launchPlanner: { program: () => ({ profile }), startupTimeout: () => 10 * MINUTE },
      conversations: { usesAcp: () => isAcp, questions: () => Array(asksByProtocol).fill({}) },
      cpuTime: async () => used.ms,
    },
  )
  const patience = (over: Partial<RunningSession> = {}, reason = 'no-wake-reason') =>
    signs.patience({ ...sessionRow(), hostKey: 'k1', pid: 10, wokeAt: clock.now() - MINUTE, ...over }, reason)
  return { clock, used, patience }
}

describe('a session that seems idle', () => {
  test('is left alone for a minute at a time while its program waits for a person, whatever session it is', async () => {
    const { patience } = lookAt(['Do you trust the files in this folder?', '❯ 1. Yes'], { profile: CLAUDE })
    expect(await patience()).toBe(MINUTE)
    expect(await patience({ origin: 'manual', worked: true })).toBe(MINUTE)
    expect(await patience({ wokeAt: 0 })).toBe(MINUTE)
    expect(await patience({}, 'config-drift')).toBe(MINUTE)
    expect(await lookAt([], { isAcp: true, asksByProtocol: 1 }).patience()).toBe(MINUTE)
    expect(await lookAt([], { isAcp: true }).patience()).toBe(0)
  })

  test('is left alone while its program waits until a limit ends', async () => {
    const rule = '─'.repeat(80)
    const notice = [
      '  ⚠ Usage limit reached · limit resets 8:40am',
      '    Continuing automatically at 8:40am · Esc to cancel',
    ]
    expect(await lookAt([rule, '❯ ', rule, ...notice], { profile: CLAUDE }).patience({}, 'idle')).toBe(MINUTE)
    expect(await lookAt([...notice, rule, '❯ ', rule], { profile: CLAUDE }).patience({}, 'idle')).toBe(0)
  })

  test('is left alone while its screen is not ready, until its startup_timeout is over', async () => {
    const screens = [
      { lines: ['Updating…'], profile: CLAUDE },
      { lines: ['Thinking (esc to interrupt)', '❯ '], profile: CLAUDE },
      { lines: ['', ''], profile: UNKNOWN },
    ]
    for (const { lines, profile } of screens) {
      const { patience, clock } = lookAt(lines, { profile })
      expect(await patience()).toBe(MINUTE)
      expect(await patience({ worked: true })).toBe(0)
      expect(await patience({}, 'config-drift')).toBe(0)
      expect(await patience({ origin: 'manual' })).toBe(0)
      expect(await patience({ wokeAt: clock.now() - 10 * MINUTE })).toBe(0)
    }
  })

  test('is idle at an empty input line', async () => {
    expect(await lookAt(['Welcome', '❯ '], { profile: CLAUDE }).patience()).toBe(0)
  })

  test('is judged by its use of the processor when its screen does not tell', async () => {
    const { clock, used, patience } = lookAt(['loading'])
    expect(await patience()).toBe(10_000)
    await clock.advance(10_000)
    used.ms += 100
    expect(await patience()).toBe(MINUTE)
    await clock.advance(MINUTE)
    used.ms += 599
    expect(await patience({ wokeAt: clock.now() - MINUTE })).toBe(0)
  })
})
