import { expect, test } from 'bun:test'
import { IdleBackoff } from '../../../src/agents/lifecycle/plan/idle-backoff.ts'
import type { SessionRow } from '../../../src/work/sessions/table.ts'
import { TestClock } from '../../support/clock.ts'

const over = (clock: TestClock, more: Partial<SessionRow> = {}): SessionRow => {
  const row = {
    template: 'worker',
    origin: 'ephemeral',
    work: null,
    wokeAt: clock.now() - 1000,
    reason: 'no-wake-reason',
  }
  return { ...row, ...more } as SessionRow
}

test('each session that exits immediately delays the next for longer, at most a minute', async () => {
  const clock = new TestClock()
  const lulls = new IdleBackoff(() => clock.now())
  expect(lulls.until('worker')).toBe(0)
  const waits: number[] = []
  for (let n = 0; n < 8; n++) {
    lulls.recordStop(over(clock), 'exited gracefully')
    waits.push((lulls.until('worker') - clock.now()) / 1000)
  }
  expect(waits).toEqual([1, 2, 4, 8, 16, 32, 60, 60])
  lulls.recordStop(over(clock, { wokeAt: clock.now() - 60_000 }), 'drain acknowledged')
  expect(lulls.until('worker')).toBe(0)
  lulls.recordStop(over(clock), 'exited gracefully')
  lulls.clear()
  expect(lulls.until('worker')).toBe(0)
})

test('sessions that were created for work, started by a person, or stopped by others do not count', () => {
  const clock = new TestClock()
  const lulls = new IdleBackoff(() => clock.now())
  for (const more of [{ work: 'w-1' }, { origin: 'manual' }, { wokeAt: null }] as const) {
    lulls.recordStop(over(clock, more), 'exited gracefully')
  }
  lulls.recordStop(over(clock), 'stopped')
  expect(lulls.until('worker')).toBe(0)
})
