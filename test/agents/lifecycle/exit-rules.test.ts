import { describe, expect, test } from 'bun:test'
import { decideOutcome, type ExitedSession, type ProcessExit } from '../../../src/agents/lifecycle/plan/exit-rules.ts'
import { agentBackoff, backoff, QUARANTINE } from '../../../src/agents/lifecycle/plan/limits.ts'

const NOW = 10_000_000

describe('an exit', () => {
  const session: ExitedSession = {
    state: 'active',
    reason: '',
    origin: 'manual',
    wokeAt: NOW - 10_000,
    failures: 0,
    churn: 0,
    wakeRequested: false,
    work: [],
    worked: false,
    createdFor: undefined,
    leftUnclaimed: false,
    fromScaleCheck: false,
    resumed: false,
    limitedUntil: 0,
    answered: false,
    crashHoldUntil: 0,
  }
  const crash: ProcessExit = { how: 'exited', code: 1 }
  const after = (over: Partial<ExitedSession>, exit: ProcessExit = crash) =>
    decideOutcome({ ...session, ...over }, exit, NOW)

  test('after the clock was set back does not count as early', () => {
    const back = { wokeAt: NOW + 3_600_000, failures: 4, churn: 2 }
    expect(after(back)).toMatchObject({ state: 'asleep', failures: 0, churn: 0, retryAt: NOW + 1000 })
    expect(after({ ...back, resumed: true })).toMatchObject({ state: 'asleep', dropsConversation: false })
  })

  test('soon after the start backs off longer each time, then quarantines the session', () => {
    expect(after({})).toMatchObject({ state: 'asleep', failures: 1, restart: true, retryAt: NOW + 1000, crashed: true })
    expect(after({ failures: 3 })).toMatchObject({ state: 'asleep', failures: 4, retryAt: NOW + 8000 })
    expect(after({ failures: 4 })).toMatchObject({
      state: 'quarantined',
      failures: 0,
      quarantinedUntil: NOW + QUARANTINE,
    })
    expect(after({ churn: 2, wokeAt: NOW - 60_000 })).toMatchObject({ state: 'quarantined', reason: 'context-churn' })
    expect(after({ failures: 4, wokeAt: NOW - 600_000 })).toMatchObject({ state: 'asleep', failures: 0, churn: 0 })
  })

  test('that is one too many holds the session until the hold is over', () => {
    const crashHoldUntil = NOW + 3_000_000
    expect(after({ crashHoldUntil })).toMatchObject({
      state: 'quarantined',
      reason: 'quarantine',
      quarantinedUntil: crashHoldUntil,
    })
    expect(after({ crashHoldUntil, wokeAt: NOW - 600_000 })).toMatchObject({ state: 'quarantined', crashed: true })
    expect(after({ crashHoldUntil: NOW + 1, failures: 4 })).toMatchObject({ quarantinedUntil: NOW + QUARANTINE })
    expect(after({ crashHoldUntil }, { how: 'exited', code: 0 })).toMatchObject({
      state: 'asleep',
      quarantinedUntil: 0,
    })
    expect(after({ crashHoldUntil }, { how: 'lost' })).toMatchObject({ state: 'asleep', quarantinedUntil: 0 })
  })

  test('that is one too many closes a pool session, so that another takes its place', () => {
    const pooled = { origin: 'ephemeral', failures: 4 } as const
    expect(after(pooled)).toMatchObject({ state: 'closed', reason: 'quarantine', crashed: true, quarantinedUntil: 0 })
    expect(after({ ...pooled, failures: 0, crashHoldUntil: NOW + 3_000_000 })).toMatchObject({ state: 'closed' })
  })

  test('counts against the work in progress, or against the start of a session that claimed nothing', () => {
    expect(after({ work: ['w-1'], createdFor: 'w-2' })).toMatchObject({ blamedBeads: ['w-1'], blamesAgent: false })
    const unclaimed = { createdFor: 'w-2', leftUnclaimed: true }
    expect(after(unclaimed)).toMatchObject({ blamedBeads: ['w-2'], blamesAgent: true })
    expect(after({ ...unclaimed, wokeAt: NOW - 600_000 })).toMatchObject({ blamedBeads: ['w-2'], blamesAgent: true })
    expect(after({ ...unclaimed, worked: true })).toMatchObject({ blamedBeads: ['w-2'], blamesAgent: false })
    expect(after({})).toMatchObject({ blamedBeads: [], blamesAgent: true })
    expect(after({ wokeAt: NOW - 600_000 })).toMatchObject({ blamedBeads: [], blamesAgent: false })
    expect(after({ worked: true, createdFor: 'w-2' })).toMatchObject({ blamedBeads: [], blamesAgent: false })
    expect(after({ work: ['w-1'] }, { how: 'lost' })).toMatchObject({
      blamedBeads: [],
      blamesAgent: false,
      failures: 0,
    })
  })

  test.each([
    ['a signal of KILL', { how: 'signalled', signal: 'SIGKILL' }],
    ['a signal of TERM', { how: 'signalled', signal: 'SIGTERM' }],
    ['a shell whose program was killed', { how: 'exited', code: 137 }],
  ] as const)(
    'by %s from outside counts for the session, and is distinguished from a failure of its bead',
    (_, kill) => {
      const killed = { crashed: true, killed: true, blamesAgent: false, state: 'asleep' }
      expect(after({}, kill)).toMatchObject({ ...killed, blamedBeads: [], failures: 1, retryAt: NOW + 1000 })
      expect(after({ failures: 4 }, kill)).toMatchObject({ ...killed, failures: 5, retryAt: NOW + 16_000 })
      expect(after({ work: ['w-1'] }, kill)).toMatchObject({ ...killed, blamedBeads: ['w-1'] })
      expect(after({ createdFor: 'w-1', leftUnclaimed: true }, kill)).toMatchObject({ ...killed, blamedBeads: [] })
      expect(after({ crashHoldUntil: NOW + 3_000_000 }, kill)).toMatchObject({ ...killed, quarantinedUntil: 0 })
    },
  )

  test.each(['share', 'machine'] as const)(
    'by the kernel, which had no memory left of its %s, is recorded as a kill from outside',
    (lack) => {
      const kill = { how: 'signalled', signal: 'SIGKILL', memoryLack: lack } as const
      const killed = { crashed: true, killed: true, blamesAgent: false, reason: 'out-of-memory', state: 'asleep' }
      expect(after({}, kill)).toMatchObject({ ...killed, blamedBeads: [] })
      expect(after({ createdFor: 'w-1', leftUnclaimed: true }, kill)).toMatchObject({ ...killed, blamedBeads: [] })
      expect(after({}, { how: 'signalled', signal: 'SIGKILL' })).toMatchObject({ reason: 'runtime-missing' })
    },
  )

  test('by a signal that a program raises by its own mistake is its failure', () => {
    expect(after({}, { how: 'signalled', signal: 'SIGSEGV' })).toMatchObject({ killed: false, blamesAgent: true })
  })

  test('of a session that a scale check asked for is a failed start only if it was let go without having worked', () => {
    const draining = { origin: 'ephemeral', state: 'draining', fromScaleCheck: true } as const
    expect(after({ ...draining, reason: 'no-wake-reason' })).toMatchObject({ state: 'closed', blamesAgent: true })
    expect(after({ ...draining, reason: 'no-wake-reason', worked: true })).toMatchObject({ blamesAgent: false })
    expect(after({ ...draining, reason: 'drained' })).toMatchObject({ state: 'closed', blamesAgent: false })
  })

  test('without an error closes a pool session and puts a person’s to sleep', () => {
    const clean: ProcessExit = { how: 'exited', code: 0 }
    expect(after({ origin: 'ephemeral' }, clean)).toMatchObject({ state: 'closed', crashed: false, blamesAgent: false })
    expect(after({}, clean)).toMatchObject({ state: 'asleep', restart: false })
    const never = { origin: 'ephemeral', createdFor: 'w-1', leftUnclaimed: true } as const
    expect(after(never, clean)).toMatchObject({ state: 'closed', blamesAgent: true, blamedBeads: ['w-1'] })
    expect(after({ ...never, state: 'draining', reason: 'drained' })).toMatchObject({
      state: 'closed',
      blamesAgent: true,
    })
    expect(after({ state: 'draining', reason: 'idle-timeout' })).toMatchObject({ state: 'asleep', restart: true })
    expect(after({ state: 'suspended', reason: 'user-hold' })).toMatchObject({
      state: 'suspended',
      reason: 'user-hold',
    })
  })

  test('before the session was up fails a person’s session immediately, while a pool tries again', () => {
    const notStarted: ProcessExit = { how: 'not-started' }
    const first = { state: 'creating', wokeAt: 0 } as const
    expect(after(first, notStarted)).toMatchObject({ state: 'failed-create', blamesAgent: true })
    expect(after({ ...first, origin: 'ephemeral' }, notStarted)).toMatchObject({
      state: 'start-pending',
      retryAt: NOW + 1000,
    })
    expect(after({ ...first, origin: 'ephemeral', failures: 4 }, notStarted)).toMatchObject({ state: 'failed-create' })
    expect(after({ state: 'creating' }, notStarted)).toMatchObject({ state: 'asleep', restart: true })
    const kill = { how: 'signalled', signal: 'SIGKILL' } as const
    expect(after({ ...first, origin: 'ephemeral' }, kill)).toMatchObject({ failures: 1, blamesAgent: false })
    expect(after(first, { how: 'lost' })).toMatchObject({ state: 'start-pending', failures: 0 })
  })

  test('backoffs double up to a maximum', () => {
    expect([0, 1, 2, 5, 50].map(backoff)).toEqual([0, 1000, 2000, 16_000, 300_000])
    expect([0, 2, 3, 4, 50].map(agentBackoff)).toEqual([0, 0, 30_000, 60_000, 300_000])
  })
})
