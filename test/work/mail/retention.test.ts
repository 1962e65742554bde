import { describe, expect, test } from 'bun:test'
import { tempFolder } from '../../support/folder.ts'
import { until } from '../../support/until.ts'
import { human } from '../world.ts'
import { type MailWorld, openMail } from './world.ts'

const DAY = 24 * 3_600_000

const send = (world: MailWorld, to: string, subject = 'x') => world.mail.send(human, { to, subject })
const close = (world: MailWorld, id: string) =>
  world.store.write((tx) => world.sessionRepository.transition(tx, id, 'close'))
const boxOf = (world: MailWorld, id: string) => world.repository.get(id).assignee

describe('retention of read mail', () => {
  test('archives mail a month after it was read, and removes it a month after it was archived', async () => {
    await using world = openMail()
    const unread = await send(world, 'human')
    const { id } = await send(world, 'human')
    await world.clock.advance(40 * DAY)
    await world.mail.read(id)
    await world.clock.advance(29 * DAY)
    world.recorded()
    await world.mail.retention.run()
    expect(world.recorded()).toEqual([])
    await world.clock.advance(2 * DAY)
    await world.mail.retention.run()
    expect(world.recorded()).toEqual([`bead.closed ${id}`, `mail.archived ${id}`])
    expect(world.log.after(world.log.head - 1, 1)[0]).toMatchObject({ actor: 'gc', payload: { rig: '' } })
    expect(world.repository.get(id).metadata?.close_reason).toBe('it was read, and left alone since')
    await world.clock.advance(31 * DAY)
    await world.mail.retention.run()
    expect(world.recorded()).toEqual([`bead.deleted ${id}`])
    expect(world.repository.find(id)).toBeUndefined()
    expect(world.mail.list({}).items.map((message) => message.id)).toEqual([unread.id])
    expect(world.mail.count({})).toEqual({ total: 1, unread: 1 })
  })

  test('keeps mail as long as the city configures, also for ever', async () => {
    await using world = openMail()
    const { id } = await send(world, 'human')
    await world.mail.archive(id)
    world.recorded()
    world.settings.retentionTtl = 0
    await world.clock.advance(1000 * DAY)
    await world.mail.retention.run()
    expect(world.recorded()).toEqual([])
    world.settings.retentionTtl = 1001 * DAY
    await world.mail.retention.run()
    expect(world.recorded()).toEqual([])
    await world.clock.advance(2 * DAY)
    await world.mail.retention.run()
    expect(world.recorded()).toEqual([`bead.deleted ${id}`])
  })

  test('removes any amount of mail; keeps what another bead refers to', async () => {
    await using world = openMail()
    const all: string[] = []
    for (let n = 0; n < 35; n++) all.push((await send(world, 'human')).id)
    for (const id of all) await world.mail.delete(id)
    const [tracked = '', parent = ''] = all
    await world.convoys.create(human, { title: 'answers', items: [tracked] })
    await world.add({ title: 'follow up', parent })
    await world.clock.advance(31 * DAY)
    await world.mail.retention.run()
    expect(all.filter((id) => world.repository.find(id))).toEqual([tracked, parent])
  })

  test('runs when the city opens and every hour, until it closes', async () => {
    await using world = openMail()
    const gone = async (id: string) => until(() => !world.repository.find(id))
    const one = await send(world, 'human')
    await world.mail.archive(one.id)
    await world.clock.advance(31 * DAY)
    const two = await send(world, 'human')
    await world.mail.archive(two.id)
    world.mail.retention.start()
    await gone(one.id)
    await world.mail.retention.run()
    world.settings.retentionTtl = 1
    await world.clock.advance(3_600_000)
    await gone(two.id)
    await world.mail.retention.stop()
    expect(world.errors).toEqual([])
  })
})

describe('unread mail of a closed session', () => {
  test('is forwarded to its agent, whose next session is notified; read mail stays', async () => {
    await using world = openMail()
    world.reactions.start()
    const ada = await world.session({ alias: 'ada', agentName: 'press/hand-1', asleep: true })
    const read = await send(world, 'ada', 'old')
    await world.mail.read(read.id)
    const { id } = await send(world, 'ada', 'new')
    world.recorded()
    await close(world, ada.id)
    await world.settled()
    expect(world.recorded()).toEqual([`bead.closed ${ada.id}`, `bead.updated ${id}`])
    expect([boxOf(world, id), boxOf(world, read.id)]).toEqual(['press/hand', ada.id])
    const bob = await world.session({ alias: 'bob' })
    await world.settled()
    expect(world.nudges).toMatchObject([{ session: bob.id, text: expect.stringContaining('Subject: new') }])
    expect(world.mail.inbox(world.caller(bob.id), {}).items.map((message) => message.id)).toEqual([id])
    expect(world.mail.get(id).to).toBe('ada')
  })

  test('notifies a running session of its agent at once', async () => {
    await using world = openMail()
    world.reactions.start()
    const ada = await world.session({ alias: 'ada', agentName: 'press/hand-1', asleep: true })
    const bob = await world.session({ alias: 'bob', agentName: 'press/hand-2' })
    await send(world, 'ada', 'new')
    await close(world, ada.id)
    await world.settled()
    expect(world.nudges.map(({ session }) => session)).toEqual([bob.id])
  })

  test('goes to the people of the city when its agent no longer exists', async () => {
    await using world = openMail()
    world.reactions.start()
    const ada = await world.session({ alias: 'ada', kind: 'provider', template: 'claude', asleep: true })
    const eve = await world.session({ alias: 'eve', template: 'gone/hand', agentName: 'gone/hand-1', asleep: true })
    const sent = [await send(world, 'ada'), await send(world, 'eve')]
    for (const { id } of [ada, eve]) await close(world, id)
    await world.settled()
    expect(sent.map(({ id }) => boxOf(world, id))).toEqual(['human', 'human'])
    expect(world.mail.count({ agent: 'human' })).toEqual({ total: 2, unread: 2 })
  })

  test('is forwarded also when the session is removed, and when the city closed before', async () => {
    const folder = tempFolder()
    const first = openMail(folder)
    const ada = await first.session({ alias: 'ada', agentName: 'press/hand-1', asleep: true })
    const eve = await first.session({ alias: 'eve', agentName: 'press/hand-2', asleep: true })
    const [one, two] = [await send(first, 'ada'), await send(first, 'eve')]
    await close(first, ada.id)
    await first.store.write((tx) => first.sessionRepository.remove(tx, eve.id))
    await first.store.close()
    await using second = openMail(folder)
    second.reactions.start()
    await second.settled()
    expect([boxOf(second, one.id), boxOf(second, two.id)]).toEqual(['press/hand', 'human'])
  })

  test('is forwarded in slices when there is much', async () => {
    await using world = openMail()
    world.reactions.start()
    const ada = await world.session({ alias: 'ada', agentName: 'press/hand-1', asleep: true })
    for (let n = 0; n < 50; n++) await send(world, 'ada')
    await close(world, ada.id)
    await world.settled()
    expect(world.mail.count({ agent: 'press/hand' }).unread).toBe(20)
    await world.clock.advance(2 * DAY)
    await world.mail.retention.run()
    expect(world.mail.count({ agent: 'press/hand' })).toEqual({ total: 50, unread: 50 })
  })
})

test('mail for a name that no longer exists goes to the people of the city after a day', async () => {
  await using world = openMail()
  const lost = await send(world, 'clerk')
  const waits = await send(world, 'mayor')
  await world.store.write((tx) => world.repository.change(tx, lost.id, { assignee: 'former' }))
  await world.mail.retention.run()
  expect(boxOf(world, lost.id)).toBe('former')
  await world.clock.advance(2 * DAY)
  await world.mail.retention.run()
  expect([boxOf(world, lost.id), boxOf(world, waits.id)]).toEqual(['human', 'mayor'])
})

test('a message that is read by PATCH is recorded as read by the caller', async () => {
  await using world = openMail()
  const ada = await world.session({ alias: 'ada' })
  const { id } = await send(world, 'ada')
  world.recorded()
  expect(await world.mail.patch(world.caller(ada.id), id, { read: true })).toMatchObject({ id, read: true })
  expect(world.log.after(world.log.head - 1, 1)).toMatchObject([{ type: 'mail.read', actor: 'ada', subject: id }])
  expect(world.recorded()).toEqual([`bead.updated ${id}`, `mail.read ${id}`])
  await world.mail.patch(human, id, { read: true })
  expect(world.recorded()).toEqual([])
})
