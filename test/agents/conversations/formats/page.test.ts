import { describe, expect, test } from 'bun:test'
import { paginate } from '../../../../src/agents/conversations/formats/page.ts'
import { resumeMessages, tokenOf } from '../../../../src/agents/conversations/formats/resume-token.ts'
import type { Message } from '../../../../src/agents/conversations/structured/messages.ts'
import type { Entry } from '../../../../src/programs/entries/entry.ts'

const entry = (id: string, boundary = false): Entry => ({
  ...{ id, boundary, timestamp: 0, raw: id, speaker: 'user', role: 'user', turn: undefined, partial: false },
  blocks: () => [{ type: 'text', text: id }],
})
const log = [entry('a'), entry('b'), entry('C', true), entry('d'), entry('E', true), entry('f'), entry('g')]
const all = () => true
const part = (page: Parameters<typeof paginate>[1], shows: (entry: Entry) => boolean = all) => {
  const { entries, pagination } = paginate(log, page, shows)
  return { ids: entries.map(({ id }) => id).join(''), pagination }
}

describe('a page of a log', () => {
  test('is the whole log when none is requested', () => {
    expect(part({})).toEqual({ ids: 'abCdEfg', pagination: undefined })
    expect(part({ tail: 0 })).toEqual({ ids: 'abCdEfg', pagination: undefined })
  })

  test('has the requested segments from the end, and reports where the previous page ends', () => {
    expect(part({ tail: 1 })).toEqual({
      ids: 'Efg',
      pagination: {
        ...{ has_older_messages: true, total_message_count: 7, returned_message_count: 3 },
        ...{ truncated_before_message: 'E', total_compactions: 2 },
      },
    })
    expect(part({ tail: 2 }).ids).toBe('CdEfg')
    expect(part({ tail: 3 })).toMatchObject({ ids: 'abCdEfg', pagination: { has_older_messages: false } })
  })

  test('leads back page by page to the beginning', () => {
    const older = part({ tail: 1, before: 'E' })
    expect(older).toMatchObject({ ids: 'Cd', pagination: { has_newer_messages: true, truncated_before_message: 'C' } })
    expect(part({ tail: 1, before: 'C' })).toMatchObject({ ids: 'ab', pagination: { has_older_messages: false } })
  })

  test('can start after an entry', () => {
    expect(part({ after: 'E' })).toMatchObject({ ids: 'fg', pagination: { has_older_messages: true } })
    expect(part({ after: 'g' })).toMatchObject({ ids: '', pagination: { returned_message_count: 0 } })
  })

  test('counts only shown entries', () => {
    const { ids, pagination } = part({ tail: 2 }, ({ boundary }) => !boundary)
    expect([ids, pagination?.total_message_count, pagination?.truncated_before_message]).toEqual(['dfg', 5, 'd'])
  })

  test('of an entry that does not exist is an error', () => {
    expect(() => part({ before: 'x' })).toThrow('no longer in the transcript')
  })
})

const message = (id: string, status: 'final' | 'partial' = 'final', text = id): Message => ({
  ...{ role: 'assistant', id, status, blocks: [{ type: 'text', text }] },
})

describe('a resume token', () => {
  const seen = [message('a'), message('b')]
  const token = tokenOf('s', seen, false)
  const next = (messages: readonly Message[], stream = 's', thinking = false, from = token) => {
    const { how, ...rest } = resumeMessages(from, stream, messages, thinking)
    return 'messages' in rest ? { ...rest, messages: rest.messages.map(({ id }) => id).join('') } : how
  }

  test('yields only what is new, or nothing', () => {
    expect(next(seen)).toBe('same')
    expect(next([...seen, message('c')])).toEqual({ operation: 'upsert', messages: 'c' })
    expect(next(seen, 's', false, '')).toEqual({ operation: 'snapshot', messages: 'ab' })
  })

  test('repeats an unfinished message only when it changed', () => {
    const open = [message('a'), message('b', 'partial', 'so far')]
    const from = tokenOf('s', open, false)
    expect(next(open, 's', false, from)).toBe('same')
    expect(next([message('a'), message('b'), message('c')], 's', false, from)).toEqual({
      operation: 'upsert',
      messages: 'bc',
    })
  })

  test('that does not fit any more resets the stream and gives the reason', () => {
    const reset = (reset_reason: string, messages = 'ab') => ({ operation: 'reset' as const, reset_reason, messages })
    expect(next(seen, 's', false, 'st1.rubbish')).toMatchObject(reset('resume_invalid'))
    expect(next(seen, 's', false, 'nonsense')).toMatchObject(reset('resume_invalid'))
    expect(next(seen, 's', true)).toMatchObject(reset('resume_invalid'))
    expect(next(seen, 'other')).toMatchObject(reset('stream_changed'))
    expect(next([message('a')])).toMatchObject(reset('cursor_invalidated', 'a'))
    expect(next([message('x'), message('b')])).toMatchObject(reset('history_rewritten', 'xb'))
  })
})
