import { describe, expect, test } from 'bun:test'
import type { AgentOutput, StructuredFrame } from '../../../src/agents/conversations/schema.ts'
import type { Question } from '../../../src/host/protocol/question.ts'
import type { SseFrame } from '../../../src/http/sse.ts'
import { until } from '../../support/until.ts'
import { human, openWork } from '../../work/world.ts'

const TOML = `[[agent]]
name = "typist"
start_command = "true"
max_active_sessions = 0
`

test('the stream of a screen sends together what is written soon after it was sent, and what comes later immediately', async () => {
  await using work = await openWork({ toml: TOML })
  const { host, clock, sessions } = work
  const { id, hostKey } = await work.session('ada', 'typist')
  const key = hostKey ?? ''
  const controller = new AbortController()
  const exchange = { signal: controller.signal, request: new Request('http://x'), response: { headers: {} }, query: {} }
  const seen: string[] = []
  const reading = (async () => {
    for await (const { event, data } of await sessions.reading.stream(id, exchange))
      if (event === 'turn') seen.push((data as AgentOutput).turns.map(({ text }) => text).join())
  })()
  await until(() => seen.length === 1)
  for (const line of ['one', 'two', 'three']) {
    host.show(key, line)
    await clock.advance(50)
  }
  expect(seen).toEqual([''])
  await clock.advance(100)
  expect(seen).toEqual(['', 'three'])
  await clock.advance(10_000)
  host.show(key, 'four')
  await clock.advance(0)
  expect(seen).toEqual(['', 'three', 'four'])
  controller.abort()
  await reading
})

test('the structured stream of a screen has what its program asks, and the outcome of that', async () => {
  await using work = await openWork({ toml: TOML })
  const { host, clock, sessions } = work
  const { id, hostKey } = await work.session('ada', 'typist')
  const key = hostKey ?? ''
  const controller = new AbortController()
  const query = { format: 'structured' as const }
  const exchange = { signal: controller.signal, request: new Request('http://x'), response: { headers: {} }, query }
  const seen: StructuredFrame[] = []
  const reading = (async () => {
    for await (const { event, data } of await sessions.reading.stream(id, exchange))
      if (event === 'structured') seen.push(data as StructuredFrame)
  })()
  await until(() => seen.length === 1)
  await clock.advance(1_000)
  const asked = {
    id: 'screen-1',
    kind: 'approval',
    prompt: 'Do you want to proceed?',
    text: 'git push',
    cut: false,
  } as const
  const options = [{ id: '1', label: 'Yes', role: 'allow-once' as const }]
  host.ask(key, { ...asked, options, picture: [], since: '2026-01-05T09:00:00.000Z' })
  await until(() => seen.at(-1)?.history.tail_state.pending_interaction_ids?.[0] === 'screen-1')
  expect(seen.at(-1)).toMatchObject({
    operation: 'upsert',
    structured_messages: [{ id: 'question:1', status: 'partial' }],
  })
  await clock.advance(1_000)
  host.ask(key, undefined)
  await until(() => seen.at(-1)?.structured_messages[0]?.status === 'final')
  expect(seen.at(-1)?.history.tail_state.pending_interaction_ids).toBeUndefined()
  controller.abort()
  await reading
})

describe('the structured stream of a screen', () => {
  const numbered = (from: number, to: number): string =>
    Array.from({ length: to - from + 1 }, (_, index) => `line ${from + index} of a long output`).join('\n')

  /** Text of frames for a reader: messages by their ids, in order of arrival. */
  function textOf(frames: readonly StructuredFrame[]): string {
    const texts = new Map<string, string>()
    for (const { operation, structured_messages: messages } of frames) {
      if (operation !== 'upsert') texts.clear()
      for (const { id, blocks } of messages)
        texts.set(id, blocks.map((block) => (block.type === 'text' ? block.text : '')).join(''))
    }
    return [...texts.values()].join('\n')
  }

  type Sessions = Awaited<ReturnType<typeof openWork>>['sessions']

  /** Notes the frames that a reader is sent who comes with this token. */
  async function follow(
    { reading }: Sessions,
    id: string,
    after: string,
    seen: StructuredFrame[],
    signal: AbortSignal,
  ): Promise<void> {
    const query = { format: 'structured' as const, after_cursor: after }
    const exchange = { signal, request: new Request('http://x'), response: { headers: {} }, query }
    for await (const { event, data } of await reading.stream(id, exchange))
      if (event === 'structured') seen.push(data as StructuredFrame)
  }

  test('sends what changed, all of it when nothing is left of it, and all of it to a reader that comes back', async () => {
    await using work = await openWork({ toml: TOML })
    const { host, clock, sessions } = work
    const { id, hostKey } = await work.session('ada', 'typist')
    const key = hostKey ?? ''
    const controller = new AbortController()
    const from = (after: string, frames: StructuredFrame[]) => follow(sessions, id, after, frames, controller.signal)
    const seen: StructuredFrame[] = []
    const readings = [from('', seen)]
    await until(() => seen.length === 1)
    await clock.advance(1_000)
    let [sent, whole] = [0, 0]
    for (let last = 1; last <= 1_300; last += 5) {
      const shown = numbered(Math.max(1, last - 99), last)
      host.show(key, shown)
      await clock.advance(250)
      sent += JSON.stringify(seen.at(-1)?.structured_messages).length
      whole += shown.length
    }
    expect(textOf(seen)).toEndWith(numbered(1_197, 1_296))
    expect(new Set(seen.slice(1).map(({ operation }) => operation))).toEqual(new Set(['reset', 'upsert']))
    expect(sent).toBeLessThan(whole / 5)
    const count = seen.length
    await clock.advance(10_000)
    expect(seen).toHaveLength(count)

    const again: StructuredFrame[] = []
    readings.push(from(seen.at(-1)?.history.cursor.resume_token ?? '', again))
    await clock.advance(1_000)
    expect(again).toEqual([])
    host.show(key, numbered(1_298, 1_301))
    await clock.advance(1_000)
    const old = seen[9]?.history.cursor.resume_token ?? ''
    const late: StructuredFrame[] = []
    readings.push(from(old, late))
    await until(() => late.length === 1)
    for (const [frame] of [again, late])
      expect(frame).toMatchObject({
        operation: 'reset',
        reset_reason: 'cursor_invalidated',
        structured_messages: [{ id: `fallback:${id}:1`, blocks: [{ text: numbered(1_298, 1_301) }] }],
      })
    expect(seen.at(-1)).toMatchObject({ operation: 'reset', reset_reason: 'history_rewritten' })
    controller.abort()
    await Promise.all(readings)
  })

  test('continues from the transcript that was read', async () => {
    await using work = await openWork({ toml: TOML })
    const { host, clock, sessions } = work
    const { id, hostKey } = await work.session('ada', 'typist')
    const key = hostKey ?? ''
    host.show(key, numbered(1, 40))
    const read = await sessions.reading.transcript(id, { format: 'structured' })
    if (read.format !== 'structured') throw new Error('it is not structured')
    const controller = new AbortController()
    const seen: StructuredFrame[] = []
    const reading = follow(sessions, id, read.history.cursor.resume_token, seen, controller.signal)
    await clock.advance(1_000)
    expect(seen).toEqual([])
    host.show(key, numbered(1, 42))
    await until(() => seen.length === 1)
    expect(seen).toMatchObject([
      {
        operation: 'upsert',
        history: { cursor: { after_entry_id: `fallback:${id}:2` } },
        structured_messages: [{ id: `fallback:${id}:2`, blocks: [{ text: numbered(41, 42) }] }],
      },
    ])
    controller.abort()
    await reading
  })
})

describe('a question on a screen', () => {
  const asked: Question = {
    ...{ id: 'screen-1', kind: 'approval', prompt: 'Do you want to proceed?', text: 'git push', cut: false },
    ...{ picture: [], since: '2026-01-05T09:00:00.000Z' },
    options: [{ id: '1', label: 'Yes', role: 'allow-once' }],
  }
  const pending = { request_id: 'screen-1', kind: 'approval', prompt: 'git push\n\nDo you want to proceed?' }
  const cleared = { event: 'pending_cleared', data: { request_id: 'screen-1' } }

  const resumed = { event: 'activity', data: { activity: 'in-turn' } }

  test.each([
    ['conversation', [cleared, resumed]],
    ['raw', [resumed]],
    ['structured', [cleared, resumed]],
  ] as const)('is reported in the %s stream when it comes up and when it goes', async (format, gone) => {
    await using work = await openWork({ toml: TOML })
    const { host, clock, sessions } = work
    const { id, hostKey } = await work.session('ada', 'typist')
    const key = hostKey ?? ''
    const controller = new AbortController()
    const exchange = { signal: controller.signal, request: new Request('http://x'), response: { headers: {} } }
    const seen: SseFrame[] = []
    const reading = (async () => {
      for await (const frame of await sessions.reading.stream(id, { ...exchange, query: { format } })) seen.push(frame)
    })()
    await until(() => seen.some(({ event }) => event !== 'message' || format === 'raw'))
    await clock.advance(1_000)
    host.ask(key, asked)
    await until(() => seen.some(({ event }) => event === 'pending'))
    expect(seen.at(-1)?.data).toMatchObject(pending)
    await clock.advance(1_000)
    seen.length = 0
    host.ask(key, undefined)
    await until(() => seen.some(({ event }) => event === 'activity'))
    expect(seen.filter(({ event }) => event?.startsWith('pending') || event === 'activity')).toMatchObject(gone)
    controller.abort()
    await reading
  })
})

test('a screen keeps its colours for those who want them', async () => {
  await using work = await openWork({ toml: TOML })
  const { host, sessions } = work
  const { id, hostKey } = await work.session('ada', 'typist')
  const red = '\x1b[0;31mred\x1b[0m'
  host.show(hostKey ?? '', red)
  const first = async (styles?: boolean) => {
    const controller = new AbortController()
    for await (const { data } of await sessions.reading.screen(id, controller.signal, styles)) {
      controller.abort()
      return data
    }
    return undefined
  }
  expect(await first()).toEqual({ running: true, lines: ['red'] })
  expect(await first(true)).toEqual({ running: true, lines: [red] })
  expect(await sessions.reading.get(id, { peek: true, styles: true })).toMatchObject({ last_output: red })
  expect(await sessions.reading.get(id, { peek: true })).toMatchObject({ last_output: 'red' })
})

test('the screen is streamed as it changes, over restarts of its program, until the session is closed', async () => {
  await using work = await openWork({ toml: TOML })
  const { host, clock, sessions } = work
  const { id, hostKey } = await work.session('ada', 'typist')
  const seen: unknown[] = []
  const { signal } = new AbortController()
  const reading = (async () => {
    for await (const { event, data } of await sessions.reading.screen(id, signal)) seen.push({ event, data })
  })()
  const screen = (running: boolean, ...lines: string[]) => ({ event: 'screen', data: { running, lines } })
  await until(() => seen.length === 1)
  host.show(hostKey ?? '', 'at work')
  await clock.advance(1_000)
  await until(() => seen.length === 2)
  expect(seen).toEqual([screen(true), screen(true, 'at work')])
  await sessions.running.suspend(id, human)
  await work.settled()
  await until(() => seen.length === 3)
  await sessions.running.wake(id, human)
  await work.settled()
  host.show(work.sessionRepository.get(id).hostKey ?? '', 'again')
  await clock.advance(1_000)
  await until(() => seen.length >= 4)
  expect(seen[2]).toEqual(screen(false))
  expect(seen.at(-1)).toEqual(screen(true, 'again'))
  await sessions.running.close(id, human)
  await work.settled()
  await reading
  expect(sessions.reading.screen(id, signal)).rejects.toThrow(
    `session ${id} is closed; its transcript is what is left of it`,
  )
})
