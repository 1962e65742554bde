import { describe, expect, test } from 'bun:test'
import { encodeSseFrame, type SseFrame, toSseLine } from '../../src/http/sse.ts'

describe('an SSE frame', () => {
  const written = (of: SseFrame) => new TextDecoder().decode(encodeSseFrame(of))

  test('contains id, event and data in that order', () => {
    expect(written({ id: '7', event: 'event', data: { type: 'a' } })).toBe(
      'id: 7\nevent: event\ndata: {"type":"a"}\n\n',
    )
  })

  test('omits the id line if it has no id', () => {
    expect(written({ event: 'heartbeat', data: {} })).toBe('event: heartbeat\ndata: {}\n\n')
  })

  test('keeps its data on one line and escapes line breaks and tag characters', () => {
    const text = 'a\nb\r\u2028\u2029<script>&"'
    const bytes = written({ event: 'event', data: { type: 'a', text } })
    const data = bytes.split('\n')[1]?.slice('data: '.length) ?? ''
    expect(data).not.toMatch(/[<>&\u2028\u2029\r]/)
    expect(bytes.split('\n')).toHaveLength(4)
    expect(JSON.parse(data)).toEqual({ type: 'a', text })
  })

  test('accepts an already serialized line and is encoded only once', () => {
    const shared: SseFrame = { id: '1', event: 'event', data: toSseLine({ type: '<' }) }
    expect(written(shared)).toBe('id: 1\nevent: event\ndata: {"type":"\\u003c"}\n\n')
    expect(encodeSseFrame(shared)).toBe(encodeSseFrame(shared))
  })
})
