import { expect, test } from 'bun:test'
import type { RunStatus } from '../../../src/orchestration/schema.ts'
import { openRuns } from '../engine/graph.ts'

/** Runs of these states, two of which begin at each moment; what they are made of is long gone. */
async function runsOf(states: readonly RunStatus[]) {
  const work = await openRuns()
  const { store, runRepository: runs, clock } = work
  for (const [at, state] of states.entries()) {
    const scope = { kind: '', ref: '' }
    const draft = { formula: 'line', contract: 'v1', origin: 'sling', target: 'clerk', scope } as const
    await store.write((tx) => runs.add(tx, { root: `r-${at}`, ...draft }, state))
    if (at % 2 === 1) await clock.advance(1)
  }
  return work
}

const STATES: readonly RunStatus[] = [
  'completed',
  'active',
  'failed',
  'waiting',
  'canceled',
  'pending',
  'failed',
  'skipped',
]

test('runs come page by page in the order of the list, each once, with how many there are', async () => {
  await using work = await runsOf([...STATES, ...STATES, ...STATES])
  const whole = work.runs.list(500).runs.map(({ run_id }) => run_id)
  for (const limit of [1, 5, 24, 100]) {
    const seen: string[] = []
    for (let cursor: string | undefined = ''; cursor !== undefined; ) {
      const page = work.runs.page({ limit, ...(cursor !== '' && { cursor }) })
      expect([page.runs.length <= limit, page.total]).toEqual([true, 24])
      seen.push(...page.runs.map(({ run_id }) => run_id))
      cursor = page.next_cursor
    }
    expect(seen).toEqual(whole)
  }
})

test('those that failed, and those that have ended, are lists of their own', async () => {
  await using work = await runsOf([...STATES, ...STATES])
  const all = (show: 'failed' | 'ended') => {
    const first = work.runs.page({ show, limit: 3 })
    const rest = work.runs.page({ show, limit: 100, cursor: first.next_cursor ?? '' })
    const states = [...first.runs, ...rest.runs].map(({ status }) => status).sort()
    return { states, total: first.total, next: rest.next_cursor }
  }
  expect(all('failed')).toEqual({ states: Array(4).fill('failed'), total: 4, next: undefined })
  const ended = ['canceled', 'canceled', 'completed', 'completed', ...Array(4).fill('failed'), 'skipped', 'skipped']
  expect(all('ended')).toEqual({ states: ended, total: 10, next: undefined })
})

test('a cursor of another list is rejected', async () => {
  await using work = await runsOf(['active', 'active'])
  const cursor = work.runs.page({ limit: 1 }).next_cursor ?? ''
  expect(() => work.runs.page({ show: 'failed', cursor })).toThrow('not one of this list')
  expect(() => work.runs.page({ cursor: 'v1:x' })).toThrow('not one of this list')
})
