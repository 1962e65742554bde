import { describe, expect, test } from 'bun:test'
import { until } from '../../support/until.ts'
import { declaration, human, openWork, type Work, workTown } from '../world.ts'

const DAY = 24 * 3_600_000

const send = (world: Work, to: string, subject = 'x') => world.mail.send(human, { to, subject })
const close = (world: Work, id: string) => world.sessions.running.close(id, human)
/** Has the city keep read mail for so long from now on. */
async function keepMail({ town, config }: Work, ttl: string): Promise<void> {
  town.declare(`[mail]\nretention_ttl = "${ttl}"\n${declaration()}`)
  await config.reload()
}
/** A session of press/hand whose program is not up. */
async function sleeper(world: Work, alias: string) {
  const { id } = await world.session(alias)
  await world.exit(id)
  return world.sessionRepository.get(id)
}
const boxOf = (world: Work, id: string) => world.beadRepository.get(id).assignee

describe('retention of read mail', () => {
  test('archives mail a month after it was read, and removes it a month after it was archived', async () => {
    await using world = await openWork()
    const unread = await send(world, 'human')
    const { id } = await send(world, 'human')
    world.clock.stop(40 * DAY)
    await world.mail.read(human, id)
    world.clock.stop(29 * DAY)
    world.recorded()
    await world.mail.retention.run()
    expect(world.recorded()).toEqual([])
    world.clock.stop(2 * DAY)
    await world.mail.retention.run()
    expect(world.recorded()).toEqual([`bead.closed ${id}`, `mail.archived ${id}`])
    expect(world.log.after(world.log.head - 1, 1)[0]).toMatchObject({ actor: 'gc/mail', payload: { rig: '' } })
    expect(world.beadRepository.get(id).metadata?.close_reason).toBe('it was read, and left alone since')
    world.clock.stop(31 * DAY)
    await world.mail.retention.run()
    expect(world.recorded()).toEqual([`bead.deleted ${id}`])
    expect(world.beadRepository.find(id)).toBeUndefined()
    expect(world.mail.list({}).items.map((message) => message.id)).toEqual([unread.id])
    expect(world.mail.count({})).toEqual({ total: 1, unread: 1 })
  })

  test('keeps mail as long as the city configures, also indefinitely', async () => {
    await using world = await openWork()
    const { id } = await send(world, 'human')
    await world.mail.archive(human, id)
    await keepMail(world, '0')
    world.recorded()
    world.clock.stop(1000 * DAY)
    await world.mail.retention.run()
    expect(world.recorded()).toEqual([])
    await keepMail(world, `${1001 * 24}h`)
    world.recorded()
    await world.mail.retention.run()
    expect(world.recorded()).toEqual([])
    world.clock.stop(2 * DAY)
    await world.mail.retention.run()
    expect(world.recorded()).toEqual([`bead.deleted ${id}`])
  })

  test('removes any amount of mail; keeps what another bead refers to', async () => {
    await using world = await openWork()
    const all: string[] = []
    for (let n = 0; n < 35; n++) all.push((await send(world, 'human')).id)
    for (const id of all) await world.mail.delete(human, id)
    const [tracked = '', parent = ''] = all
    await world.convoys.create(human, { title: 'answers', items: [tracked] })
    await world.add({ title: 'follow up', parent })
    world.clock.stop(31 * DAY)
    await world.mail.retention.run()
    expect(all.filter((id) => world.beadRepository.find(id))).toEqual([tracked, parent])
  })

  test('runs when the city opens and every hour, until it closes', async () => {
    await using town = workTown()
    const first = await openWork({ town })
    const one = await send(first, 'human')
    await first.mail.archive(human, one.id)
    town.clock.stop(31 * DAY)
    const two = await send(first, 'human')
    await first.mail.archive(human, two.id)
    await first.close({ endSessions: false })
    expect(first.deadlines.size).toBe(0)
    await using world = await openWork({ town })
    const gone = async (id: string) => until(() => !world.beadRepository.find(id))
    await gone(one.id)
    await keepMail(world, '1ms')
    expect(world.beadRepository.find(two.id)).toBeDefined()
    await world.clock.advance(3_600_000)
    await gone(two.id)
    expect(world.errors).toEqual([])
  })
})

describe('unread mail of a closed session', () => {
  test('is forwarded to its agent, whose next session is notified; read mail stays', async () => {
    await using world = await openWork()
    const ada = await sleeper(world, 'ada')
    const read = await send(world, 'ada', 'old')
    await world.mail.read(human, read.id)
    const { id } = await send(world, 'ada', 'new')
    world.recorded()
    await close(world, ada.id)
    await world.settled()
    expect(world.recorded()).toEqual(['worker.operation ada', `bead.closed ${ada.id}`, `bead.updated ${id}`])
    expect([boxOf(world, id), boxOf(world, read.id)]).toEqual(['press/hand', ada.id])
    const bob = await world.session('bob')
    await world.settled()
    expect(world.nudges()).toMatchObject([{ session: bob.id, text: expect.stringContaining('Subject: new') }])
    expect(world.mail.inbox(world.caller(bob.id), {}).items.map((message) => message.id)).toEqual([id])
    expect(world.mail.get(id).to).toBe('ada')
  })

  test('notifies a running session of its agent immediately', async () => {
    await using world = await openWork()
    const ada = await sleeper(world, 'ada')
    const bob = await world.session('bob')
    await send(world, 'ada', 'new')
    await close(world, ada.id)
    await world.settled()
    expect(world.nudges().map(({ session }) => session)).toEqual([bob.id])
  })

  test('goes to the people of the city when its agent no longer exists', async () => {
    const gone = '[providers.talker]\ncommand = "true"\n[[agent]]\nname = "guest"\nstart_command = "true"\n'
    await using world = await openWork({ toml: declaration() + gone })
    await world.sessions.creating.create(human, { kind: 'provider', name: 'talker', alias: 'ada' })
    await world.session('eve', 'guest')
    const sent = [await send(world, 'ada'), await send(world, 'eve')]
    world.town.declare(declaration())
    await world.config.reload()
    for (const name of ['ada', 'eve']) await world.sessions.running.close(name, human)
    await world.settled()
    expect(sent.map(({ id }) => boxOf(world, id))).toEqual(['human', 'human'])
    expect(world.mail.count({ agent: 'human' })).toEqual({ total: 2, unread: 2 })
  })

  test('is forwarded also when the session is removed, and when the city closed before', async () => {
    await using town = workTown()
    const first = await openWork({ town })
    for (const name of ['ada', 'eve']) await sleeper(first, name)
    const [one, two] = [await send(first, 'ada'), await send(first, 'eve')]
    await first.reactions.stop()
    await first.sessions.running.close('ada', human)
    await first.sessions.running.close('eve', human, { remove: true })
    await first.close({ endSessions: false })
    await using second = await openWork({ town })
    expect([boxOf(second, one.id), boxOf(second, two.id)]).toEqual(['press/hand', 'human'])
  })

  test('is forwarded in slices when there is much', async () => {
    await using world = await openWork()
    const ada = await sleeper(world, 'ada')
    for (let n = 0; n < 50; n++) await send(world, 'ada')
    await close(world, ada.id)
    await world.settled()
    expect(world.mail.count({ agent: 'press/hand' }).unread).toBe(20)
    world.clock.stop(2 * DAY)
    await world.mail.retention.run()
    expect(world.mail.count({ agent: 'press/hand' })).toEqual({ total: 50, unread: 50 })
  })
})

test('mail for a name that no longer exists goes to the people of the city after a day', async () => {
  await using world = await openWork()
  const lost = await send(world, 'clerk')
  const waits = await send(world, 'mayor')
  await world.store.write((tx) => world.beadRepository.change(tx, lost.id, { assignee: 'former' }))
  await world.mail.retention.run()
  expect(boxOf(world, lost.id)).toBe('former')
  world.clock.stop(2 * DAY)
  await world.mail.retention.run()
  expect([boxOf(world, lost.id), boxOf(world, waits.id)]).toEqual(['human', 'mayor'])
})

test('a message that is read by PATCH is recorded as read by the caller', async () => {
  await using world = await openWork()
  const ada = await world.session('ada')
  const { id } = await send(world, 'ada')
  world.recorded()
  expect(await world.mail.patch(world.caller(ada.id), id, { read: true })).toMatchObject({ id, read: true })
  expect(world.log.after(world.log.head - 1, 1)).toMatchObject([{ type: 'mail.read', actor: 'ada', subject: id }])
  expect(world.recorded()).toEqual([`bead.updated ${id}`, `mail.read ${id}`])
  await world.mail.patch(human, id, { read: true })
  expect(world.recorded()).toEqual([])
})
