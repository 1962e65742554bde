import { describe, expect, test } from 'bun:test'
import { attemptsOf, toNode } from '../../../src/orchestration/runs/node.ts'
import type { Bead } from '../../../src/work/schema.ts'

const bead = (more: Partial<Bead>): Bead => ({
  id: 'mi-1',
  title: 't',
  status: 'open',
  issue_type: 'task',
  created_at: '2025-01-01T00:00:00.000Z',
  ...more,
})

describe('a node of a workflow', () => {
  test('has a status that says how its work ended', () => {
    const status = (status: string, outcome?: string, assignee?: string) =>
      toNode(bead({ status, ...(assignee && { assignee }), ...(outcome && { metadata: { 'gc.outcome': outcome } }) }))
        .status
    expect(status('open')).toBe('pending')
    expect(status('in_progress')).toBe('pending')
    expect(status('in_progress', undefined, 'ada')).toBe('active')
    expect(status('closed')).toBe('completed')
    expect(status('closed', 'pass')).toBe('completed')
    expect(status('closed', 'fail')).toBe('failed')
    expect(status('closed', 'skipped')).toBe('skipped')
    expect(status('closed', 'canceled')).toBe('canceled')
    expect(status('open', 'fail')).toBe('pending')
    expect(status('blocked')).toBe('blocked')
    expect(status('blocked', 'skipped')).toBe('skipped')
  })

  test('has only what its bead says', () => {
    expect(toNode(bead({ issue_type: 'bug', assignee: 'ada' }))).toEqual({
      id: 'mi-1',
      title: 't',
      status: 'pending',
      kind: 'bug',
      assignee: 'ada',
      metadata: {},
    })
  })

  test('counts its attempts when it has a number', () => {
    const attempts = (attempt: string, most?: string) =>
      attemptsOf(bead({ metadata: { 'gc.attempt': attempt, ...(most !== undefined && { 'gc.max_attempts': most }) } }))
    expect(attempts('1')).toEqual({ attempt_count: 1, active_attempt: 1 })
    expect(attempts(' 3 ', '5')).toEqual({ attempt_count: 3, active_attempt: 3, max_attempts: 5 })
    expect(attempts('2', '0')).toEqual({ attempt_count: 2, active_attempt: 2 })
    for (const none of ['', '0', '-1', 'two', '1.5', '9'.repeat(20)]) expect(attempts(none)).toBeUndefined()
  })
})
