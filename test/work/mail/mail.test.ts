import { describe, expect, test } from 'bun:test'
import { command, query } from '../../../src/core/store/index.ts'
import { declaration, human, openWork } from '../world.ts'

describe('send', () => {
  test('creates a message, once, as an ephemeral bead in a new thread', async () => {
    await using world = await openWork()
    const ada = await world.session('ada')
    world.recorded()
    const message = await world.mail.send(world.caller(ada.id), { to: 'human', subject: 'Hi', body: 'There', rig: 'x' })
    expect(message).toEqual({
      id: message.id,
      from: 'ada',
      to: 'human',
      subject: 'Hi',
      body: 'There',
      created_at: '2026-01-05T09:00:00.000Z',
      read: false,
      thread_id: expect.stringMatching(/^thread-[0-9a-f]{12}$/),
      rig: 'x',
    })
    expect(world.beadRepository.get(message.id)).toMatchObject({
      issue_type: 'message',
      title: 'Hi',
      description: 'There',
      from: 'ada',
      assignee: 'human',
      ephemeral: true,
      labels: [`thread:${message.thread_id}`],
      metadata: {
        'mail.read': 'false',
        'mail.from_display': 'ada',
        'mail.from_session_id': ada.id,
        'mail.to_display': 'human',
      },
    })
    const stored = query<{ metadata: string }, [string]>('SELECT metadata FROM beads WHERE id = ?')
    expect(world.store.get(stored, message.id)).toEqual({ metadata: '{}' })
    expect(world.recorded()).toEqual([`bead.created ${message.id}`, `mail.sent ${message.id}`])
    expect(world.log.after(world.log.head - 1, 1)[0]).toMatchObject({
      type: 'mail.sent',
      actor: 'ada',
      subject: message.id,
      session_id: ada.id,
      payload: { rig: 'x', message },
    })
    expect(world.mail.get(message.id)).toEqual({ ...message, rig: 'mill' })
  })

  test('shows a person under the name of the city that they give, and says everywhere else that it is a person', async () => {
    await using world = await openWork()
    const { head } = world.log
    const sent = await world.mail.send(human, { to: 'clerk', subject: 'Hi', from: ' mayor ' })
    expect([sent.from, sent.rig]).toEqual(['mayor', undefined])
    expect(world.beadRepository.get(sent.id).metadata).toMatchObject({ 'mail.from_claimed': 'mayor' })
    const facts = { actor: 'human', message: 'sent by a person as mayor', payload: { message: { from: 'mayor' } } }
    expect(world.log.after(head, 10)).toMatchObject([
      { type: 'bead.created', actor: 'human' },
      { type: 'mail.sent', ...facts },
    ])
    const other = await world.mail.send(human, { to: 'clerk', subject: 'Hi', from: 'nobody here' })
    expect(other.from).toBe('human')
    expect(world.beadRepository.get(other.id).metadata).toMatchObject({ 'mail.from_claimed': 'nobody here' })
    const plain = await world.mail.send(human, { to: 'clerk', subject: 'Hi', from: 'human' })
    expect(world.beadRepository.get(plain.id).metadata).not.toContainKey('mail.from_claimed')
  })

  test('lets a session send under its own names only, and in its own city', async () => {
    await using world = await openWork()
    const ada = world.caller((await world.session('ada')).id)
    const send = (from: string, caller = ada) => world.mail.send(caller, { to: 'human', subject: 'x', from })
    expect((await send('press/hand')).from).toBe('press/hand')
    expect((await send(ada.session)).from).toBe(ada.session)
    expect((await send('hand')).from).toBe('hand')
    await expect(send('mayor')).rejects.toMatchObject({ code: 'forbidden' })
    await expect(send('', { ...ada, city: 'other' })).rejects.toMatchObject({ code: 'forbidden' })
  })

  test('rejects fields that are too long or empty by their names in the request', async () => {
    await using world = await openWork()
    const send = (subject: string, body = '') => expect(world.mail.send(human, { to: 'human', subject, body })).rejects
    await send('x'.repeat(1025)).toMatchObject({ fieldErrors: [{ location: 'body.subject' }] })
    await send(' ').toMatchObject({ fieldErrors: [{ location: 'body.subject' }] })
    await send('x', 'é'.repeat(131_073)).toMatchObject({ fieldErrors: [{ location: 'body.body' }] })
    expect(world.recorded()).toEqual([])
  })
})

describe('addresses', () => {
  test('a session is reached by id, alias and name; agents and identities by their names', async () => {
    await using world = await openWork({ toml: declaration({ clerk: 1, 'press/hand': 3 }) })
    const ada = await world.session('ada')
    const warden = await world.namedSession('press/warden')
    for (const agent of ['clerk', 'press/hand', 'press/hand'])
      await world.add({ title: 'work', metadata: { 'gc.routed_to': agent } })
    await world.settled()
    const [clerk] = world.sessionRepository.liveByName('agentName', 'clerk')
    const [pool] = world.sessionRepository.liveByName('agentName', 'press/hand-2')
    const to = async (name: string) => {
      const { id, to } = await world.mail.send(human, { to: name, subject: 'x' })
      return [world.beadRepository.get(id).assignee, to]
    }
    for (const name of ['ada', ada.id, ` s-${ada.id} `]) expect(await to(name)).toEqual([ada.id, 'ada'])
    for (const name of ['press/warden', 'press--warden', 'warden', warden.id])
      expect((await to(name))[0]).toBe('press/warden')
    for (const name of ['clerk', clerk?.id ?? '']) expect(await to(name)).toEqual(['clerk', 'clerk'])
    expect(await to('press/hand-2')).toEqual([pool?.id, 'press/hand-2'])
    for (const name of ['press/lead', 'lead']) expect(await to(name)).toEqual(['press/lead', 'press/lead'])
    expect(await to('mayor')).toEqual(['mayor', 'mayor'])
    expect(await to('human')).toEqual(['human', 'human'])
  })

  test('an unknown or ambiguous name is rejected', async () => {
    await using world = await openWork()
    const closed = await world.session('gone')
    await world.sessions.running.close(closed.id, human)
    await world.session('clerk')
    world.recorded()
    const rejected = (to: string) => expect(world.mail.send(human, { to, subject: 'x' })).rejects
    for (const to of ['nobody', 'gone', closed.id, ' ', 'mill/hand'])
      await rejected(to).toMatchObject({ code: 'invalid-request' })
    await rejected('hand').toThrow(/ambiguous: "hand" may mean press\/hand, saw\/hand/)
    await rejected('clerk').toThrow(/ambiguous/)
    expect(world.recorded()).toEqual([])
  })

  test('mail for an agent is in the inbox of each of its sessions, also of later ones', async () => {
    await using world = await openWork()
    const ada = await world.session('ada')
    const { id } = await world.mail.send(human, { to: 'press/hand', subject: 'for any' })
    await world.mail.send(human, { to: 'ada', subject: 'for ada' })
    const bob = await world.session('bob')
    const inbox = (agent: string) => world.mail.inbox(human, { agent }).items.map(({ subject }) => subject)
    expect(inbox('ada')).toEqual(['for ada', 'for any'])
    expect(inbox('bob')).toEqual(['for any'])
    expect(inbox('press/hand')).toEqual(['for any'])
    await world.mail.read(human, id)
    expect(world.mail.count({ agent: 'ada' })).toEqual({ total: 2, unread: 1 })
    expect(world.mail.inbox(world.caller(bob.id), {}).items.map(({ read }) => read)).toEqual([true])
    expect(world.mail.count({ agent: ada.id })).toEqual({ total: 2, unread: 1 })
  })
})

describe('reply', () => {
  test('goes to the sender, stays in the thread, and names the original', async () => {
    await using world = await openWork()
    const ada = await world.session('ada')
    const first = await world.mail.send(world.caller(ada.id), { to: 'human', subject: 'Question' })
    world.recorded()
    const reply = await world.mail.reply(human, first.id, { body: 'Answer' })
    expect(reply).toMatchObject({
      from: 'human',
      to: 'ada',
      subject: 'Re: Question',
      thread_id: first.thread_id,
      reply_to: first.id,
      rig: 'mill',
    })
    expect(world.beadRepository.get(reply.id)).toMatchObject({
      assignee: ada.id,
      labels: [`thread:${first.thread_id}`, `reply-to:${first.id}`],
    })
    expect(world.recorded()).toEqual([`bead.created ${reply.id}`, `mail.replied ${reply.id}`])
    const again = await world.mail.reply(world.caller(ada.id), reply.id, { subject: 'Thanks' })
    expect(again).toMatchObject({ to: 'human', subject: 'Thanks', thread_id: first.thread_id })
    const ids = [first.id, reply.id, again.id]
    expect(world.mail.thread(first.thread_id ?? '').items.map(({ id }) => id)).toEqual(ids)
    expect(world.mail.thread(reply.id).total).toBe(3)
    expect(world.mail.thread('thread-none')).toEqual({ items: [], total: 0 })
  })

  test('to a closed session goes to its agent or its named session', async () => {
    await using world = await openWork()
    const gone = await world.session('ada')
    const warden = await world.namedSession('press/warden')
    const ask = (id: string) => world.mail.send(world.caller(id), { to: 'human', subject: 'x' })
    const [one, two] = [await ask(gone.id), await ask(warden.id)]
    for (const { id } of [gone, warden]) await world.sessions.running.close(id, human)
    const to = async (id: string) =>
      world.beadRepository.get((await world.mail.reply(human, id, { body: 'y' })).id).assignee
    expect(await to(one.id)).toBe('press/hand')
    expect(await to(two.id)).toBe('press/warden')
  })

  test('without a subject uses the first line; to mail without a sender it is rejected', async () => {
    await using world = await openWork()
    const bare = await world.mail.send(human, { to: 'human', subject: 'Re: x' })
    expect((await world.mail.reply(human, bare.id, { body: 'y' })).subject).toBe('Re: x')
    await world.store.write((tx) => void world.beadRepository.change(tx, bare.id, { title: '' }))
    expect((await world.mail.reply(human, bare.id, { body: ' one\ntwo' })).subject).toBe('one')
    expect((await world.mail.reply(human, bare.id, {})).subject).toBe('(reply)')
    const unsigned = command<[string]>("UPDATE beads SET sender = '' WHERE id = ?")
    await world.store.write((tx) => void tx.run(unsigned, bare.id))
    await expect(world.mail.reply(human, bare.id, {})).rejects.toMatchObject({ code: 'invalid-request' })
  })
})

describe('read, archive and delete', () => {
  test('each is recorded once, and again only when something changes', async () => {
    await using world = await openWork()
    const { id } = await world.mail.send(human, { to: 'clerk', subject: 'x' })
    world.recorded()
    const does = async (work: () => Promise<unknown>) => [await work(), world.recorded()]
    expect(await does(() => world.mail.read(human, id))).toEqual([
      { status: 'read' },
      [`bead.updated ${id}`, `mail.marked_read ${id}`],
    ])
    expect(await does(() => world.mail.read(human, id))).toEqual([{ status: 'read' }, []])
    expect(await does(() => world.mail.markUnread(human, id, 'r'))).toEqual([
      { status: 'unread' },
      [`bead.updated ${id}`, `mail.marked_unread ${id}`],
    ])
    expect(world.log.after(world.log.head - 1, 1)[0]).toMatchObject({ actor: 'human', payload: { rig: 'r' } })
    expect(await does(() => world.mail.archive(human, id))).toEqual([
      { status: 'archived' },
      [`bead.closed ${id}`, `mail.archived ${id}`],
    ])
    expect(await does(() => world.mail.archive(human, id))).toEqual([{ status: 'archived' }, []])
    expect(await does(() => world.mail.delete(human, id))).toEqual([{ status: 'deleted' }, []])
    expect(await does(() => world.mail.delete(human, 'mi-99'))).toEqual([{ status: 'deleted' }, []])
    expect(world.beadRepository.get(id).status).toBe('closed')
  })

  test('an archived message is in no list, and showing it is 404', async () => {
    await using world = await openWork()
    const { id, thread_id = '' } = await world.mail.send(human, { to: 'clerk', subject: 'x' })
    await world.mail.delete(human, id)
    expect(world.recorded().at(-1)).toBe(`mail.deleted ${id}`)
    expect(world.mail.list({ status: 'all' }).total).toBe(0)
    expect(world.mail.inbox(human, { agent: 'clerk' })).toEqual({ items: [], total: 0 })
    expect(world.mail.threads({}).total).toBe(0)
    expect(world.mail.thread(thread_id).items).toEqual([])
    expect(world.mail.count({})).toEqual({ total: 0, unread: 0 })
    expect(() => world.mail.get(id)).toThrow(/was archived/)
    const { mail } = world
    for (const work of [() => mail.read(human, id), () => mail.markUnread(human, id), () => mail.reply(human, id, {})])
      await expect(work()).rejects.toMatchObject({ code: 'mail-not-found' })
  })

  test('an id that is not a message is 404 everywhere', async () => {
    await using world = await openWork()
    const { id } = await world.add({ title: 'task' })
    const loose = await world.add({ title: 'typed by hand', type: 'message' })
    world.recorded()
    for (const each of [id, loose.id]) {
      expect(() => world.mail.get(each)).toThrow()
      for (const verb of ['read', 'archive', 'delete'] as const)
        await expect(world.mail[verb](human, each)).rejects.toMatchObject({ code: 'mail-not-found' })
      await expect(world.mail.patch(human, each, { archived: true })).rejects.toMatchObject({ code: 'mail-not-found' })
    }
    expect(world.recorded()).toEqual([])
  })

  test('PATCH marks, archives and restores', async () => {
    await using world = await openWork()
    const { id } = await world.mail.send(human, { to: 'clerk', subject: 'x' })
    world.recorded()
    expect(await world.mail.patch(human, id, { read: true, archived: true })).toMatchObject({ id, read: true })
    expect(world.recorded()).toEqual([
      `bead.updated ${id}`,
      `mail.read ${id}`,
      `bead.closed ${id}`,
      `mail.archived ${id}`,
    ])
    await expect(world.mail.patch(human, id, { read: false })).rejects.toMatchObject({ code: 'mail-not-found' })
    expect(await world.mail.patch(human, id, { archived: false, read: false })).toMatchObject({ read: false })
    expect(world.recorded()).toEqual([`bead.updated ${id}`, `bead.updated ${id}`, `mail.marked_unread ${id}`])
    expect(world.mail.count({ agent: 'clerk' })).toEqual({ total: 1, unread: 1 })
    expect(await world.mail.patch(human, id, {})).toEqual(world.mail.get(id))
    expect(world.recorded()).toEqual([])
  })

  test('closing, moving or removing the bead does the same to the message', async () => {
    await using world = await openWork()
    const ids: string[] = []
    for (const subject of ['a', 'b', 'c']) ids.push((await world.mail.send(human, { to: 'clerk', subject })).id)
    const [a = '', b = '', c = ''] = ids
    await world.store.write((tx) => {
      world.beadRepository.close(tx, a)
      world.beadRepository.change(tx, b, { assignee: 'mayor' })
      world.beadRepository.remove(tx, c)
    })
    expect(world.mail.count({ agent: 'clerk' })).toEqual({ total: 0, unread: 0 })
    expect(world.mail.inbox(human, { agent: 'mayor' }).items.map(({ id }) => id)).toEqual([b])
    expect(world.mail.threads({}).items.map(({ id }) => id)).toEqual([b])
    await world.store.write((tx) => void world.beadRepository.change(tx, b, { assignee: '' }))
    expect(world.mail.count({})).toEqual({ total: 1, unread: 1 })
    await world.store.write((tx) => void world.beadRepository.reopen(tx, a))
    expect(world.mail.count({})).toEqual({ total: 2, unread: 2 })
  })
})
