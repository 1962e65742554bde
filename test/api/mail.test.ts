import { describe, expect, test } from 'bun:test'
import { OperationCoverage } from '../support/coverage.ts'
import { tempFolder } from '../support/folder.ts'
import { until } from '../support/until.ts'
import type { TestCity } from '../support/world.ts'
import { listener, receivedInput } from './listener.ts'
import { bead, declare, errorOf, type SessionHandle, startSession, towns } from './town.ts'

const coverage = new OperationCoverage(({ tag }) => tag === 'mail')
const openTown = towns(coverage)

const send = async (city: TestCity, body: Record<string, unknown>, hand?: SessionHandle) => {
  const sent = await city.call('POST ~/mail', { body: { subject: 'Hi', ...body }, ...(hand && { token: hand.token }) })
  expect(sent.status).toBe(201)
  return sent.body
}

const ids = async (city: TestCity, query: string) =>
  (await city.call(`GET ~/mail${query}`)).body.items.map(({ id }: { id: string }) => id)

describe('mail', () => {
  test('is exchanged between a person and an agent', async () => {
    await using town = await openTown()
    const { city } = town
    await declare(city, 'clerk')
    const waiting = await send(city, { to: 'clerk', body: 'First', from: 'boss', rig: 'shop' })
    expect(waiting).toMatchObject({ from: 'human', to: 'clerk', read: false, rig: 'shop' })
    expect((await city.call(`GET ~/bead/${waiting.id}`)).body.metadata).toMatchObject({ 'mail.from_claimed': 'boss' })
    const clerk = await startSession(city, 'clerk', { alias: 'carl' })
    expect(await ids(city, '/inbox?agent=carl')).toEqual([waiting.id])
    const own = await city.call('GET ~/mail/inbox', { token: clerk.token })
    expect(own.body.items.map(({ id }: { id: string }) => id)).toEqual([waiting.id])
    const types = await city.types(() => city.call(`POST ~/mail/${waiting.id}/read`))
    expect(types).toEqual(['bead.updated', 'mail.marked_read'])
    const reply = await city.call(`POST ~/mail/${waiting.id}/reply`, { body: { body: 'Done' }, token: clerk.token })
    expect(reply).toMatchObject({ status: 201, body: { to: 'human', subject: 'Re: Hi', reply_to: waiting.id } })
    expect((await city.call('GET ~/mail/count?agent=human')).body).toEqual({ total: 1, unread: 1 })
    expect((await city.call('GET ~/status')).body.mail).toEqual({ total: 2, unread: 1 })
    expect(await ids(city, '/threads?agent=carl')).toEqual([reply.body.id])
    expect(await ids(city, `/thread/${waiting.id}`)).toEqual([waiting.id, reply.body.id])
    expect((await city.call(`GET ~/mail/${reply.body.id}`)).body).toEqual({ ...reply.body, rig: city.name })
  })

  test('is marked, archived and deleted, and each response reports what changed', async () => {
    await using town = await openTown()
    const { city } = town
    const { id } = await send(city, { to: 'human' })
    expect((await city.call(`PATCH ~/mail/${id}`, { body: { read: true } })).body.read).toBe(true)
    expect((await city.call(`POST ~/mail/${id}/mark-unread`)).body).toEqual({ status: 'unread' })
    expect(await city.types(() => city.call(`POST ~/mail/${id}/archive`))).toEqual(['bead.closed', 'mail.archived'])
    for (const verb of ['read', 'mark-unread', 'reply'])
      expect(await errorOf(city, `POST ~/mail/${id}/${verb}`, { body: {} })).toStartWith('404 mail-not-found: ')
    expect(await city.types(() => city.call(`PATCH ~/mail/${id}`, { body: { archived: false } }))).toEqual([
      'bead.updated',
    ])
    expect(await city.types(() => city.call(`DELETE ~/mail/${id}`))).toEqual(['bead.closed', 'mail.deleted'])
    expect((await city.call(`DELETE ~/mail/${id}`)).body).toEqual({ status: 'deleted' })
    expect((await city.call('GET ~/mail?status=all')).body).toEqual({ items: [], total: 0 })
  })

  test('is listed page by page, and can be awaited', async () => {
    await using town = await openTown()
    const { city } = town
    const sent: string[] = []
    for (let n = 0; n < 5; n++) sent.push((await send(city, { to: 'human', subject: `${n}` })).id)
    for (const path of ['', '/inbox', '/threads']) {
      const first = await city.call(`GET ~/mail${path}?limit=3&agent=human`)
      expect(first.body.total).toBe(5)
      const rest = await ids(city, `${path}?limit=3&agent=human&cursor=${first.body.next_cursor}`)
      const walked = [...first.body.items.map(({ id }: { id: string }) => id), ...rest]
      expect(walked.toSorted()).toEqual(sent.toSorted())
      expect(await errorOf(city, `GET ~/mail${path}?cursor=x`)).toStartWith('400 invalid-cursor: ')
    }
    const seq = await city.head()
    const waiting = city.call(`GET ~/mail?index=${seq}&wait=10s`)
    await send(city, { to: 'human', subject: 'news' })
    expect((await waiting).body.items.map(({ subject }: { subject: string }) => subject)).toContain('news')
  })

  test('is rejected with a message when it is invalid', async () => {
    await using town = await openTown()
    const { city } = town
    await declare(city, 'clerk')
    const clerk = await startSession(city, 'clerk')
    const task = await bead(city, 'work')
    const { id } = await send(city, { to: 'human' })
    const body = { to: 'nobody', subject: 'x' }
    expect(await errorOf(city, 'POST ~/mail', { body })).toStartWith(
      '400 invalid-request: there is no recipient called',
    )
    const forged = { body: { to: 'human', subject: 'x', from: 'mayor' }, token: clerk.token }
    expect(await errorOf(city, 'POST ~/mail', forged)).toStartWith('403 forbidden: ')
    const reply = { body: { from: 'mayor' }, token: clerk.token }
    expect(await errorOf(city, `POST ~/mail/${id}/reply`, reply)).toStartWith('403 forbidden: ')
    expect(await errorOf(city, 'POST ~/mail', { body: { to: 'human' } })).toStartWith('422 validation-failed: ')
    expect(await errorOf(city, 'GET ~/mail?status=new')).toStartWith('400 invalid-request: ')
    for (const operation of ['GET', 'DELETE', 'PATCH'])
      expect(await errorOf(city, `${operation} ~/mail/${task}`, { body: operation === 'PATCH' ? {} : undefined })).toBe(
        `404 mail-not-found: message ${task} does not exist, or was archived`,
      )
    expect(await errorOf(city, `POST ~/mail/${task}/archive`)).toStartWith('404 mail-not-found: ')
  })

  test('for a running session is typed to it once', async () => {
    await using folder = tempFolder()
    await using town = await openTown(listener(folder))
    const { city } = town
    const hired = await city.call('POST ~/sessions', { body: { kind: 'agent', name: 'clerk' } })
    const { subject } = await city.outcome(hired.body)
    const { id } = await send(city, { to: String(subject), subject: 'Wake up', body: 'Now' })
    await until(() => receivedInput(folder).includes('end of data'), 20_000)
    expect(receivedInput(folder).split(`gc mail read ${id}`)).toHaveLength(2)
    expect(receivedInput(folder)).toContain('Subject: Wake up')
  }, 30_000)

  test('from a person under a name of the city shows that name, and says in event, history and prompt who it was', async () => {
    await using folder = tempFolder()
    await using town = await openTown(`${listener(folder)}
[[agent]]
name = "mayor"
start_command = "exec sleep 600"
`)
    const { city } = town
    const { subject } = await city.outcome(
      (await city.call('POST ~/sessions', { body: { kind: 'agent', name: 'clerk', alias: 'carl' } })).body,
    )
    const mayor = await city.outcome(
      (await city.call('POST ~/sessions', { body: { kind: 'agent', name: 'mayor', alias: 'major' } })).body,
    )
    for (const [from, shown] of [
      ['mayor', 'mayor'],
      ['major', 'major'],
      [String(mayor.subject), String(mayor.subject)],
      ['stranger', 'human'],
    ]) {
      const seq = await city.head()
      const sent = await send(city, { to: String(subject), subject: `As ${from}`, from })
      expect([from, sent.from]).toEqual([from, shown])
      const [created, mailed] = (await city.recorded(seq)).filter((event) => event.subject === sent.id)
      expect([created, mailed]).toMatchObject([
        { type: 'bead.created', actor: 'human' },
        { type: 'mail.sent', actor: 'human', message: `sent by a person as ${from}` },
      ])
      const { body: history } = await city.call(`GET ~/bead/${sent.id}/history`)
      expect(history.actors[String(created?.seq)]).toEqual({ kind: 'human', label: from })
      const fence = `from a person as ${from}, by mail`
      await until(() => receivedInput(folder).includes(fence), 20_000)
    }
    const threads = (await city.call('GET ~/mail?status=all')).body.items.map(({ from }: { from: string }) => from)
    expect(threads.sort()).toEqual(['human', 'major', 'mayor', String(mayor.subject)].sort())
  }, 60_000)
})

describe('a session', () => {
  test('speaks under each name by which its rig addresses it, and under no other', async () => {
    await using town = await openTown()
    const { city, world } = town
    for (const name of ['demo', 'shop']) {
      await city.call('POST ~/rigs', { body: { name, path: world.rigFolder(name, { git: true }) } })
      await declare(city, 'builder', {}, { dir: name })
    }
    await declare(city, 'clerk')
    const builder = await startSession(city, 'demo/builder', { alias: 'bob' })
    for (const from of ['builder', 'demo/builder', 'bob', builder.id]) {
      const seq = await city.head()
      expect((await send(city, { to: 'human', from }, builder)).from).toBe(from)
      expect(await city.recorded(seq)).toMatchObject([
        { type: 'bead.created', actor: 'demo/bob' },
        { type: 'mail.sent', actor: 'demo/bob', session_id: builder.id },
      ])
    }
    for (const from of ['shop/builder', 'clerk', 'human']) {
      const forged = { body: { to: 'human', subject: 'x', from }, token: builder.token }
      expect(await errorOf(city, 'POST ~/mail', forged)).toStartWith('403 forbidden: ')
    }
  })
})

describe('the operations on mail', () => {
  test('are covered with success and every declared error; mail without a sender comes from imports only', () => {
    expect(coverage.uncovered()).toEqual(['reply-mail invalid-request'])
  })

  test('fill every response field that can be set over HTTP', () => {
    expect(coverage.emptyFields()).toEqual([
      'MailCountOutputBody.partial',
      'MailCountOutputBody.partial_errors',
      'MailListBody.partial',
      'MailListBody.partial_errors',
      'Message.cc',
      'Message.priority',
    ])
  })
})
