import { describe, expect, test } from 'bun:test'
import { encodeSseFrame, type SseFrame, toSseLine } from '../../src/http/sse.ts'

describe('a frame', () => {
  const written = (of: SseFrame) => new TextDecoder().decode(encodeSseFrame(of))

  test('is id, event and data, in that order', () => {
    expect(written({ id: '7', event: 'event', data: { type: 'a' } })).toBe(
      'id: 7\nevent: event\ndata: {"type":"a"}\n\n',
    )
  })

  test('without an id has no id line', () => {
    expect(written({ event: 'heartbeat', data: {} })).toBe('event: heartbeat\ndata: {}\n\n')
  })

  test('is one line whatever is in it, with what ends lines or tags escaped', () => {
    const text = 'a\nb\r\u2028\u2029<script>&"'
    const bytes = written({ event: 'event', data: { type: 'a', text } })
    const data = bytes.split('\n')[1]?.slice('data: '.length) ?? ''
    expect(data).not.toMatch(/[<>&\u2028\u2029\r]/)
    expect(bytes.split('\n')).toHaveLength(4)
    expect(JSON.parse(data)).toEqual({ type: 'a', text })
  })

  test('takes a line that was made before, and is made into bytes once', () => {
    const shared: SseFrame = { id: '1', event: 'event', data: toSseLine({ type: '<' }) }
    expect(written(shared)).toBe('id: 1\nevent: event\ndata: {"type":"\\u003c"}\n\n')
    expect(encodeSseFrame(shared)).toBe(encodeSseFrame(shared))
  })
})
