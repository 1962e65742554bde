import { expect, test } from 'bun:test'
import { declaration, workTown } from '../../work/world.ts'
import { conversation, human, openTalk } from './world.ts'

const DAY = 24 * 3_600_000
const ROUTE = '\n[[extmsg.default_route]]\nprovider = "chat"\nagent = "mayor"\n'

test('messages go after ninety days, and then a conversation that only a default route bound; others stay', async () => {
  await using town = workTown(declaration() + ROUTE)
  const world = await openTalk({ town })
  await world.receive('m1', 'routed')
  await world.bind('bound', 'zz-9')
  await world.receive('m2', 'bound')
  await world.talk.groups.ensure(human, { root_conversation: conversation('group') })
  await world.close({ endSessions: false })
  await town.clock.advance(89 * DAY)
  const sooner = await openTalk({ town })
  expect(sooner.transcript('routed')).toEqual(['this is m1'])
  await sooner.close({ endSessions: false })
  await town.clock.advance(2 * DAY)
  await using later = await openTalk({ town })
  const names = () => later.talk.conversations({}).items.map(({ conversation: ref }) => ref.conversation_id)
  expect(names()).toEqual(['group', 'bound'])
  expect(later.transcript('bound')).toEqual([])
  expect((await later.receive('m3', 'bound')).TranscriptEntry?.Sequence).toBe(2)
})

test('a transcript keeps its last ten thousand messages', async () => {
  await using world = await openTalk()
  await world.bind('e1', 'zz-9')
  await world.receive('m1', 'e1')
  await world.receive('m2', 'e1')
  await world.store.write((tx) => {
    tx.orm.run('UPDATE extmsg_conversations SET head = 10000')
  })
  await world.receive('m3', 'e1')
  expect(world.transcript('e1')).toEqual(['this is m2', 'this is m3'])
})
