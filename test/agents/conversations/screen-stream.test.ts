import { expect, test } from 'bun:test'
import type { AgentOutput } from '../../../src/agents/agents/schema.ts'
import { until } from '../../support/until.ts'
import { openWork } from '../../work/world.ts'

const TOML = `[[agent]]
name = "typist"
start_command = "true"
max_active_sessions = 0
`

test('the stream of a screen sends together what is written soon after it was sent, and what comes later at once', async () => {
  await using work = await openWork({ toml: TOML })
  const { host, clock, sessions } = work
  const { id, hostKey } = await work.session('ada', 'typist')
  const key = hostKey ?? ''
  const controller = new AbortController()
  const exchange = { signal: controller.signal, request: new Request('http://x'), response: { headers: {} }, query: {} }
  const seen: string[] = []
  const reading = (async () => {
    for await (const { event, data } of await sessions.transcripts.stream(id, exchange))
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
