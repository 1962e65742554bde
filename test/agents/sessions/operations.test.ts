import { expect, test } from 'bun:test'
import { tempFolder } from '../../support/folder.ts'
import { answer, openHttp, parrot } from './http-world.ts'

test('each operation on a program records its result and duration', async () => {
  using folder = tempFolder()
  await using town = await openHttp(parrot(folder.at('parrot')))
  const { world, post } = town
  const recordedOperations = () =>
    world.city.log
      .after(0, 1000)
      .filter(({ type }) => type === 'worker.operation')
      .map(({ payload }) => Object(payload))
  await post('/sessions', { kind: 'agent', name: 'parrot', alias: 'polly' })
  const { session_id: id = '' } = await world.event('session.woke')
  await answer(post('/session/polly/messages', { message: 'hello' }))
  await world.event('request.result.session.message', () => true, 30_000)
  await world.city.store.write((tx) => world.city.sessionRecords.queue.add(tx, id, 'look up'))
  await world.event('worker.operation', ({ payload }) => Object(payload).operation === 'nudge', 30_000)
  for (const verb of ['suspend', 'close']) await answer(post(`/session/${id}/${verb}`))
  expect(recordedOperations().map(({ operation, result }) => `${operation} ${result}`)).toEqual([
    'start succeeded',
    'nudge succeeded',
    'message succeeded',
    'nudge succeeded',
    'stop succeeded',
    'close succeeded',
  ])
  for (const one of recordedOperations()) {
    expect(one).toMatchObject({
      session_id: id,
      provider: 'parrot',
      template: 'parrot',
      duration_ms: expect.any(Number),
    })
    expect(Date.parse(one.finished_at)).toBeGreaterThanOrEqual(Date.parse(one.started_at))
  }
}, 60_000)
