import { expect, test } from 'bun:test'
import { conversation, human, openTalk } from './world.ts'

async function openTranscript() {
  const world = await openTalk()
  const ada = await world.session('ada')
  await world.bind('e1', ada.id)
  for (const id of ['m1', 'm2', 'm3', 'm4']) await world.receive(id, 'e1')
  world.recorded()
  const { transcripts } = world.talk
  return {
    ...world,
    ada,
    sequences: (query: Parameters<typeof transcripts.list>[0]) =>
      transcripts.list({ ...conversation('e1'), ...query }).items.map(({ Sequence }) => Sequence),
    acknowledge: (sequence: number, session_id = ada.id) =>
      transcripts.acknowledge(human, { session_id, conversation: conversation('e1'), sequence }),
  }
}

test('a transcript is read forwards, backwards, from a place, and in pages', async () => {
  await using world = await openTranscript()
  expect(world.sequences({})).toEqual([1, 2, 3, 4])
  expect(world.sequences({ after_sequence: 2 })).toEqual([3, 4])
  expect(world.sequences({ order: 'desc', limit: 2 })).toEqual([4, 3])
  expect(world.sequences({ limit: 3, provider: 'CHAT' })).toEqual([1, 2, 3])
  expect(world.sequences({ limit: 9_999 })).toEqual([1, 2, 3, 4])
  expect(world.sequences({ conversation_id: 'e2' })).toEqual([])
  expect(() => world.sequences({ kind: 'party' })).toThrow('extmsg invalid conversation: kind must be dm, room, thread')
})

test('a session says how far it has read; less than before changes nothing', async () => {
  await using world = await openTranscript()
  expect(await world.acknowledge(2)).toEqual({ status: 'acked' })
  expect(await world.acknowledge(1)).toEqual({ status: 'acked' })
  const rejected = (sequence: number, session?: string) =>
    expect(world.acknowledge(sequence, session)).rejects.toMatchObject({ code: 'validation-failed' })
  await rejected(-1)
  await rejected(5)
  await rejected(1, 'zz-9')
  expect(world.recorded()).toEqual([])
})

test('messages that a session has read are not shown to it again', async () => {
  await using world = await openTranscript()
  expect(world.reminders()).toHaveLength(1)
  await world.acknowledge(3)
  await world.receive('m5', 'e1')
  const text = world.reminders().at(-1)?.text ?? ''
  expect(text).toContain('You have 2 messages from outside')
  expect(text).not.toContain('this is m3')
  expect(text).toContain('Ann: this is m4')
})

test('a reminder of many messages shows the last twenty, and says how to read the others', async () => {
  await using world = await openTranscript()
  for (let n = 5; n <= 30; n++) await world.receive(`m${n}`, 'e1')
  const [only, ...others] = world.reminders()
  expect(others).toEqual([])
  expect(only?.text).toContain('You have 30 messages from outside in conversation c1')
  expect(only?.text).toContain('`gc extmsg transcript c1`: 10 earlier ones are not shown')
  expect(only?.text).not.toContain('this is m10\n')
  expect(only?.text).toContain('Ann: this is m11\n')
})
