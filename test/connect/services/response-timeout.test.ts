import { expect, test } from 'bun:test'
import { ResponseTimeout } from '../../../src/connect/services/proxy/response-timeout.ts'
import { Deadlines } from '../../../src/core/deadlines.ts'
import { TestClock } from '../../support/clock.ts'

function waiting(client = new AbortController().signal) {
  const clock = new TestClock()
  const deadlines = new Deadlines(clock, clock)
  return { clock, patience: new ResponseTimeout(clock, deadlines, 60_000, client) }
}

test('a service that shows no sign for a minute is given up', async () => {
  const { clock, patience } = waiting()
  await clock.advance(59_999)
  expect(patience.signal.aborted).toBe(false)
  await clock.advance(1)
  expect([patience.signal.aborted, patience.isOver]).toEqual([true, true])
})

test('a service that takes a body has a minute from the last piece on', async () => {
  const { clock, patience } = waiting()
  const body = new ReadableStream<Uint8Array>({ pull: (controller) => controller.enqueue(new Uint8Array(1)) })
  const reader = patience.watch(body).getReader()
  for (let minutes = 0; minutes < 5; minutes++) {
    await clock.advance(50_000)
    await reader.read()
  }
  expect(patience.signal.aborted).toBe(false)
  await clock.advance(60_000)
  expect(patience.isOver).toBe(true)
})

test('an answer ends the wait, and a client that leaves ends the request', async () => {
  const { clock, patience } = waiting()
  patience.end()
  await clock.advance(3_600_000)
  expect(patience.signal.aborted).toBe(false)
  const client = new AbortController()
  const other = waiting(client.signal)
  client.abort()
  expect([other.patience.signal.aborted, other.patience.isOver]).toEqual([true, false])
})
