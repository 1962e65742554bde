import { describe, expect, test } from 'bun:test'
import type { OpenPullRequest } from '../../../src/connect/github/open-pull-requests.ts'
import { readinessOf } from '../../../src/connect/github/readiness.ts'

const PULL: OpenPullRequest = {
  ...{ number: 1, title: 'change', url: '', author: 'ann', isDraft: false, isFromFork: false },
  ...{ base: 'main', head: 'fix', headSha: 'a', mergeState: 'CLEAN', review: '', rollup: '', checks: [] },
}
const of = (changes: Partial<OpenPullRequest>) => {
  const { state, kind } = readinessOf({ ...PULL, ...changes })
  return [state, kind]
}
const check = (name: string, status: string, conclusion = '') => ({ name, status, conclusion })

describe('a pull request', () => {
  test.each([
    ['CLEAN', 'ready', undefined],
    ['HAS_HOOKS', 'ready', undefined],
    ['DIRTY', 'failed', 'merge_conflict'],
    ['BEHIND', 'failed', 'behind_base'],
    ['BLOCKED', 'failed', 'blocked'],
    ['UNKNOWN', 'waiting', undefined],
    ['', 'waiting', undefined],
  ] as const)('that GitHub calls "%s" is %s', (mergeState, state, kind) => {
    expect(of({ mergeState })).toEqual([state, kind])
  })

  test.each(['FAILURE', 'CANCELLED', 'TIMED_OUT', 'ACTION_REQUIRED', 'STARTUP_FAILURE', 'STALE'])(
    'with a check that ended as %s needs a repair, whatever GitHub calls it',
    (conclusion) => {
      expect(of({ checks: [check('build', 'COMPLETED', conclusion)] })).toEqual(['failed', 'checks_failed'])
    },
  )

  test.each(['ERROR', 'FAILURE'])('with a status %s needs a repair', (status) => {
    expect(of({ checks: [check('ci/outside', status)] })).toEqual(['failed', 'checks_failed'])
  })

  test.each(['SUCCESS', 'NEUTRAL', 'SKIPPED'])('is not held up by a check that ended as %s', (conclusion) => {
    expect(of({ checks: [check('build', 'COMPLETED', conclusion)] })).toEqual(['ready', undefined])
  })

  test.each(['QUEUED', 'IN_PROGRESS', 'WAITING', 'REQUESTED', 'PENDING', 'EXPECTED'])(
    'waits while a check is %s, even where GitHub calls it blocked',
    (status) => {
      expect(of({ mergeState: 'BLOCKED', checks: [check('build', status)] })).toEqual(['waiting', undefined])
    },
  )

  test('that only waits for a review needs no repair, one with changes requested does', () => {
    expect(of({ mergeState: 'BLOCKED', review: 'REVIEW_REQUIRED' })).toEqual(['ready', undefined])
    expect(of({ mergeState: 'BLOCKED', review: 'CHANGES_REQUESTED' })).toEqual(['failed', 'blocked'])
  })

  test('that is a draft waits for its author', () => {
    expect(of({ isDraft: true, mergeState: 'DIRTY' })).toEqual(['waiting', undefined])
  })

  test('counts checks that are not listed by what all come to', () => {
    const pull = { ...PULL, rollup: 'FAILURE', checks: [check('build', 'COMPLETED', 'SUCCESS')] }
    expect(readinessOf(pull)).toMatchObject({ state: 'failed', failedChecks: ['other checks'] })
    expect(of({ rollup: 'PENDING' })).toEqual(['waiting', undefined])
  })

  test('names each failed and each running check once, in order', () => {
    const checks = [check('z', 'COMPLETED', 'FAILURE'), check('b', 'QUEUED'), check('a', 'ERROR'), check('a', 'ERROR')]
    expect(readinessOf({ ...PULL, checks })).toMatchObject({ failedChecks: ['a', 'z'], pendingChecks: ['b'] })
  })
})
