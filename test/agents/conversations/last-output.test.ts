import { describe, expect, test } from 'bun:test'
import { query } from '../../../src/core/store/index.ts'
import type { SseFrame } from '../../../src/http/sse.ts'
import { until } from '../../support/until.ts'
import { human, openWork, type Work } from '../../work/world.ts'

const TOML = `[[agent]]
name = "typist"
start_command = "true"
max_active_sessions = 0
`
const DAY = 24 * 3_600_000

async function opened() {
  const work = await openWork({ toml: TOML })
  const { id, hostKey } = await work.session('ada', 'typist')
  return { work, id, key: hostKey ?? '' }
}

async function framesOf({ sessions }: Work, id: string, format: 'conversation' | 'structured' | 'raw') {
  const exchange = { signal: AbortSignal.timeout(5_000), request: new Request('http://x'), response: { headers: {} } }
  const frames: SseFrame[] = []
  for await (const frame of await sessions.reading.stream(id, { ...exchange, query: { format } })) frames.push(frame)
  return frames
}

const textsOf = (frames: readonly SseFrame[]) =>
  frames.map(({ event, data }) => `${event} ${/"text":"([^"]*)"/.exec(JSON.stringify(data))?.[1] ?? ''}`.trim())

describe('the last output of a program without a log', () => {
  test('is in its transcript, in peeks and in searches after it exited', async () => {
    const { work, id, key } = await opened()
    await using _ = work
    const { sessions, host } = work
    await host.exit(key, 3, ['built', 'done: 7 files', ''])
    await work.settled()
    const output = { role: 'output', text: 'built\ndone: 7 files' }
    expect(await sessions.reading.transcript(id, {})).toMatchObject({ format: 'text', turns: [output] })
    expect(await sessions.reading.get(id, { peek: true, lines: 1 })).toMatchObject({
      ...{ running: false, last_output: 'done: 7 files' },
      metadata: { end_reason: 'its program exited with code 3' },
    })
    expect((await sessions.reading.list({ peek: true })).value).toMatchObject({ items: [{ last_output: output.text }] })
    const found = await sessions.reading.search({ q: 'files' }, AbortSignal.timeout(5_000))
    expect(found.items).toMatchObject([{ session: id }])
  })

  test('is the last 16 KB, and that of the run that ended last', async () => {
    const { work, id, key } = await opened()
    await using _ = work
    const { sessions, host, sessionRepository } = work
    await host.exit(key, 0, ['first'])
    await work.settled()
    await sessions.running.wake(id, human)
    await work.settled()
    await host.exit(sessionRepository.get(id).hostKey ?? '', 0, [`${'x'.repeat(20_000)}end`])
    await work.settled()
    const { last_output = '' } = await sessions.reading.get(id, { peek: true })
    expect([last_output.length, last_output.slice(-4)]).toEqual([16 * 1024, 'xend'])
  })

  test('is streamed once, and the stream of a closed session ends', async () => {
    const { work, id, key } = await opened()
    await using _ = work
    const { sessions, host } = work
    host.show(key, 'almost')
    const following = framesOf(work, id, 'conversation')
    await work.clock.advance(1_000)
    await host.exit(key, 0, ['almost', 'done'])
    await work.settled()
    await sessions.running.close(id, human)
    await work.settled()
    expect(textsOf(await following)).toEqual(['turn almost', 'turn almost\\ndone', 'activity'])
    expect(textsOf(await framesOf(work, id, 'conversation'))).toEqual(['turn almost\\ndone', 'activity'])
    expect(textsOf(await framesOf(work, id, 'structured'))).toEqual(['structured almost\\ndone', 'activity'])
    expect(textsOf(await framesOf(work, id, 'raw'))).toEqual(['message', 'message almost\\ndone', 'activity'])
  })

  test('stands beside why it ended, which a running session does not show', async () => {
    const { work, id, key } = await opened()
    await using _ = work
    const { sessions, host, sessionRepository } = work
    await host.exit(key, 3, ['failed'])
    await sessions.running.wake(id, human)
    await work.settled()
    expect((await sessions.reading.get(id)).metadata).toBeUndefined()
    await sessions.running.suspend(id, human)
    await work.settled()
    expect((await sessions.reading.get(id)).metadata).toBeUndefined()
    await sessions.running.wake(id, human)
    await work.settled()
    await host.exit(sessionRepository.get(id).hostKey ?? '')
    await work.settled()
    await sessions.running.close(id, human)
    await work.settled()
    expect(await sessions.reading.get(id, { peek: true })).toMatchObject({
      ...{ state: '', last_output: 'failed', metadata: { end_reason: 'closed on request; its program exited' } },
    })
  })

  test('is removed with its session', async () => {
    const { work, id, key } = await opened()
    await using _ = work
    await work.host.exit(key, 0, ['done'])
    await work.settled()
    await work.sessions.running.close(id, human, { remove: true })
    expect(work.store.all(query<unknown>('SELECT session FROM session_last_output'))).toEqual([])
  })

  test('is removed 30 days after the run, once the session is closed', async () => {
    const { work, id, key } = await opened()
    await using _ = work
    const { sessions, host, clock, store } = work
    await host.exit(key, 0, ['done'])
    await work.settled()
    const kept = query<{ session: string }>('SELECT session FROM session_last_output')
    clock.stop(40 * DAY)
    await clock.advance(DAY)
    await work.settled()
    expect(store.all(kept)).toEqual([{ session: id }])
    await sessions.running.close(id, human)
    await work.settled()
    await clock.advance(DAY)
    await until(() => store.all(kept).length === 0)
    expect(await sessions.reading.transcript(id, {})).not.toHaveProperty('turns')
  })
})
