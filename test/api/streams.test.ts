import { describe, expect, test } from 'bun:test'
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { misfits } from '../support/schema.ts'
import type { TestFrame } from '../support/test-frame.ts'
import type { TestCity } from '../support/world.ts'
import { data, eventOf, idOf, open } from './sse.ts'
import { bead, declare, startSession, towns } from './town.ts'

const openTown = towns()

describe('the event stream of a city', () => {
  const stream = (city: TestCity, query = '', headers = {}) =>
    open(city.world, `/v0/city/${city.name}/events/stream${query}`, headers)

  test('starts now: headers immediately, then each new event as id, event and one line of data', async () => {
    await using town = await openTown()
    const { city } = town
    await bead(city, 'before')
    await using events = await stream(city)
    expect(events.opened).toBeLessThan(1_000)
    expect(events.response.headers.get('content-type')).toBe('text/event-stream')
    expect(events.response.headers.get('cache-control')).toBe('no-cache')
    await bead(city, 'after\nwards </script>\u2028')
    const [frame] = await events.until(1)
    const lines = (frame ?? '').split('\n')
    expect(lines.map((line) => line.split(':', 1)[0])).toEqual(['id', 'event', 'data'])
    expect(eventOf(frame)).toBe('event')
    expect(data(frame)).toMatchObject({ seq: Number(idOf(frame)), type: 'bead.created' })
    expect(frame).not.toContain('</script>')
    expect(data(frame)).toMatchObject({ payload: { bead: { title: 'after\nwards </script>\u2028' } } })
  })

  test('continues after a resume point, from the header before the query', async () => {
    await using town = await openTown()
    const { city } = town
    for (const title of ['a', 'b', 'c']) await bead(city, title)
    const head = await city.head()
    const first = async (query: string, headers = {}) => {
      await using events = await stream(city, query, headers)
      return Number(idOf((await events.until(1))[0]))
    }
    expect(await first('?after_seq=0')).toBe(1)
    expect(await first(`?after_seq=${head - 1}`)).toBe(head)
    expect(await first('?after_seq=0', { 'Last-Event-ID': String(head - 2) })).toBe(head - 1)
    await using all = await stream(city, '?after_seq=0')
    const ids = (await all.until(head)).map((frame) => Number(idOf(frame)))
    expect(ids).toEqual(Array.from({ length: head }, (_, at) => at + 1))
  })

  test('starts with a gap when the resume point is in the future, and continues', async () => {
    await using town = await openTown()
    const { city } = town
    await using events = await stream(city, '?after_seq=100000')
    const [gap] = await events.until(1)
    expect(eventOf(gap)).toBe('gap')
    expect(data(gap)).toMatchObject({ type: 'gap' })
    await bead(city, 'a')
    const [, next] = await events.until(2)
    expect(data(next)).toMatchObject({ type: 'bead.created' })
  })

  test('rejects an invalid resume point', async () => {
    await using town = await openTown()
    const { city } = town
    for (const resume of ['x', '-1', '1.5', '1e3', '9'.repeat(30), 'a:1']) {
      const byQuery = await city.call(`GET ~/events/stream?after_seq=${encodeURIComponent(resume)}`)
      expect([resume, byQuery.status, byQuery.body?.code]).toEqual([resume, 400, 'invalid-cursor'])
      const byHeader = await city.call('GET ~/events/stream', { headers: { 'Last-Event-ID': resume } })
      expect([resume, byHeader.status, byHeader.body?.code]).toEqual([resume, 400, 'invalid-cursor'])
    }
  })

  test('ends with the last event when its city stops, so that readers learn why there are no more', async () => {
    await using town = await openTown()
    const { city } = town
    await using events = await stream(city)
    await city.call('POST ~/stop')
    await events.ended
    expect(events.frames().map(eventOf)).not.toContain('heartbeat')
    expect(data(events.frames().at(-1))).toMatchObject({ type: 'controller.stopped' })
    const again = await city.call('GET ~/events/stream')
    expect([again.status, again.body.code]).toEqual([404, 'city-not-found'])
    expect(again.body.detail).toContain(`gc start ${city.name}`)
    await city.call('POST ~/start')
  })

  test('sends the same to many readers at the same time', async () => {
    await using town = await openTown()
    const { city } = town
    const streams = await Promise.all(Array.from({ length: 20 }, () => stream(city)))
    const made = await Promise.all(Array.from({ length: 20 }, (_, n) => bead(city, `n${n}`)))
    const seen = await Promise.all(streams.map(async (one) => (await one.until(made.length)).join()))
    expect(new Set(seen).size).toBe(1)
    for (const one of streams) await one[Symbol.asyncDispose]()
  })
})

describe('the event stream of all cities', () => {
  test('has the city and a cursor over all logs in each event, and includes new cities', async () => {
    await using town = await openTown()
    const { city, world } = town
    await using all = await open(world, '/v0/events/stream')
    await bead(city, 'here')
    const [first] = await all.until(1)
    expect(eventOf(first)).toBe('tagged_event')
    expect(data(first)).toMatchObject({ city: city.name, type: 'bead.created' })
    expect(idOf(first)).toMatch(new RegExp(`^__supervisor__:\\d+,(\\w+:\\d+,)*${city.name}:\\d+`))
    await using other = await openTown()
    const joined = await bead(other.city, 'there')
    const wanted = (frame: string) => data(frame).subject === joined && data(frame).city === other.city.name
    const end = performance.now() + 5_000
    while (!all.frames().some(wanted)) {
      if (performance.now() > end) throw new Error(all.frames().join('\n'))
      await Bun.sleep(10)
    }
    const created = all
      .frames()
      .map(data)
      .filter(({ type }) => type === 'request.result.city.create')
    expect(created).toMatchObject([{ city: other.city.name, subject: other.city.name }])
    const last = all.frames().find(wanted)
    expect(idOf(last)).toContain(`${other.city.name}:`)
    await bead(city, 'later')
    await using resumed = await open(world, '/v0/events/stream', { 'Last-Event-ID': idOf(last) ?? '' })
    const [next] = await resumed.until(1)
    expect(data(next)).toMatchObject({ city: city.name, payload: { bead: { title: 'later' } } })
  })

  test('continues from a list or an accepted request', async () => {
    await using town = await openTown()
    const { city, world } = town
    const { event_cursor } = (await world.call('GET /v0/events?limit=1')).body
    await bead(city, 'after')
    await using all = await open(world, `/v0/events/stream?after_cursor=${encodeURIComponent(event_cursor)}`)
    expect(data((await all.until(1))[0])).toMatchObject({ payload: { bead: { title: 'after' } } })
    await using everything = await open(world, '/v0/events/stream?after_cursor=0')
    const { total } = (await world.call('GET /v0/events?limit=10000')).body
    await everything.until(total)
    for (const garbage of ['x', 'x:y', ':1', 'town1:1,', 'town1:-1']) {
      const { status, body } = await world.call(`GET /v0/events/stream?after_cursor=${encodeURIComponent(garbage)}`)
      expect([garbage, status, body?.code]).toEqual([garbage, 400, 'invalid-cursor'])
    }
  })
})

describe('a blocking query', () => {
  test('returns immediately when there is something newer, when it arrives, or at the timeout', async () => {
    await using town = await openTown()
    const { city } = town
    await bead(city, 'a')
    const head = await city.head()
    // A query that blocked for its whole time would exceed the 30 s that a call may take.
    const indexOf = async (operation: string) => {
      const { status, headers } = await city.call(operation)
      expect(status).toBe(200)
      return Number(headers.get('x-gc-index'))
    }
    expect(await indexOf(`GET ~/beads?index=${head - 1}&wait=60s`)).toBe(head)
    const waiting = ['beads', 'beads/ready', 'convoys', 'agents', 'rigs', 'status', 'events'].map((path) =>
      indexOf(`GET ~/${path}?index=${head}&wait=60s`),
    )
    await Bun.sleep(100)
    await bead(city, 'b')
    for (const index of await Promise.all(waiting)) expect(index).toBeGreaterThan(head)
    const now = await city.head()
    expect(await indexOf(`GET ~/beads?index=${now}&wait=200ms`)).toBe(now)
    for (const query of ['index=x', 'index=-1', 'index=1&wait=soon', 'wait=-1s', 'index=1&wait=0']) {
      expect([query, (await city.call(`GET ~/beads?${query}`)).status]).toEqual([query, 422])
    }
  })

  test('returns when deferred work becomes ready, for which there is no event', async () => {
    await using town = await openTown()
    const { city } = town
    const until = new Date(Date.now() + 1_500).toISOString()
    const put = await city.call('POST ~/beads', { body: { title: 'later', defer_until: until } })
    const head = await city.head()
    const ready = await city.call(`GET ~/beads/ready?index=${head}&wait=1m`)
    expect(ready.body).toMatchObject({ total: 1, items: [{ id: Object(put.body).id }] })
    expect(Number(ready.headers.get('x-gc-index'))).toBe(head)
  })

  test('returns an index that never decreases', async () => {
    await using town = await openTown()
    const { city } = town
    const seen: number[] = []
    const look = async () => {
      for (let n = 0; n < 50; n++) seen.push(Number((await city.call('GET ~/beads?limit=1')).headers.get('x-gc-index')))
    }
    await Promise.all([look(), ...Array.from({ length: 50 }, (_, n) => bead(city, `n${n}`))])
    expect(seen).toEqual([...seen].sort((a, b) => a - b))
    expect(await city.head()).toBe(51)
  })
})

describe('the output of a session', () => {
  const PARROT = `#!/bin/sh
printf '\\033[2J\\033[H> '
while IFS= read -r line; do printf '\\033[2J\\033[Hheard %s\\n> ' "$line"; done
`
  async function withParrot() {
    const town = await openTown(
      '[providers.parrot]\ncommand = "./parrot"\nprompt_mode = "none"\nready_prompt_prefix = "> "\n[[agent]]\nname = "polly"\nprovider = "parrot"\n',
    )
    writeFileSync(join(town.city.path, 'parrot'), PARROT)
    chmodSync(join(town.city.path, 'parrot'), 0o755)
    const accepted = await town.city.call('POST ~/sessions', { body: { kind: 'agent', name: 'polly' } })
    const { subject: id = '' } = await town.city.outcome(accepted.body)
    return { ...town, id }
  }

  test('is streamed live in each format, and the stream ends with the session', async () => {
    await using town = await withParrot()
    const { city, world, id } = town
    const at = `/v0/city/${city.name}/session/${id}/stream`
    const kinds = { conversation: 'turn', raw: 'message', structured: 'structured' }
    const streams = await Promise.all(Object.keys(kinds).map((format) => open(world, `${at}?format=${format}`)))
    for (const { response } of streams) expect(response.headers.get('gc-session-state')).toBe('active')
    await city.call(`POST ~/session/${id}/messages`, { body: { message: 'good day' } })
    const document = (await world.call('GET /openapi.json')).body
    for (const [n, stream] of streams.entries()) {
      const end = performance.now() + 8_000
      const receivedFrame = () => stream.frames().find((frame) => frame.includes('heard good day'))
      while (!receivedFrame() && performance.now() < end) await Bun.sleep(20)
      const frame = receivedFrame()
      expect(eventOf(frame)).toBe(Object.values(kinds)[n] ?? '')
      const shapes = document.paths['/v0/city/{cityName}/session/{id}/stream'].get.responses[200].content
      const of = shapes['text/event-stream'].schema.items.oneOf.find(
        (one: { properties: { event: { const: string } } }) => one.properties.event.const === eventOf(frame),
      )
      expect(misfits(document, of.properties.data, data(frame))).toEqual([])
    }
    await city.call(`POST ~/session/${id}/close`)
    for (const stream of streams) {
      const end = performance.now() + 5_000
      while (!stream.frames().some((frame) => eventOf(frame) === 'activity') && performance.now() < end)
        await Bun.sleep(20)
      expect(data(stream.frames().at(-1))).toEqual({ activity: 'idle' })
      await stream[Symbol.asyncDispose]()
    }
  }, 30_000)

  test('is streamed for an agent as well, starting with its last output', async () => {
    await using town = await openTown()
    const { city, world } = town
    await declare(
      city,
      'mayor',
      { script: 'echo first; sleep 1; echo second; exec sleep 600' },
      { max_active_sessions: 1 },
    )
    await startSession(city, 'mayor')
    const seen: TestFrame[] = []
    for await (const frame of world.follow(`/v0/city/${city.name}/agent/mayor/output/stream`)) {
      seen.push(frame)
      if (JSON.stringify(frame.data).includes('second')) break
    }
    expect(seen.map(({ id }) => id)).toEqual(seen.map((_, at) => String(at + 1)))
    expect(seen.every(({ event, data }) => event === 'turn' && data.agent === 'mayor')).toBe(true)
  })
})
