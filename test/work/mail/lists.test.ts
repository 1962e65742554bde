import { describe, expect, test } from 'bun:test'
import { basename } from 'node:path'
import { MailLists } from '../../../src/work/mail/lists.ts'
import { recordStatements } from '../../city/plans/recorded.ts'
import { human, openWork, plan } from '../world.ts'

describe('lists of mail', () => {
  test('a list shows unread mail unless all is requested; other values are rejected', async () => {
    await using world = await openWork()
    const one = await world.mail.send(human, { to: 'clerk', subject: 'one' })
    await world.clock.advance(1)
    const two = await world.mail.send(human, { to: 'mayor', subject: 'two' })
    await world.mail.read(human, one.id)
    const ids = (query: object) => world.mail.list(query).items.map(({ id }) => id)
    expect(ids({})).toEqual([two.id])
    expect(ids({ status: 'unread' })).toEqual([two.id])
    expect(ids({ status: 'all' })).toEqual([two.id, one.id])
    expect(ids({ status: 'all', agent: 'clerk' })).toEqual([one.id])
    expect(ids({ agent: 'nobody' })).toEqual([])
    expect(world.mail.list({ rig: 'press' }).items[0]?.rig).toBe('press')
    expect(() => world.mail.list({ status: 'read' })).toThrow(/unread or all/)
    expect(() => world.mail.list({ cursor: 'x' })).toThrow()
  })

  test('paging skips and repeats nothing while mail arrives', async () => {
    await using world = await openWork()
    const ada = await world.session('ada')
    const sent: string[] = []
    for (let n = 0; n < 12; n++) {
      if (n % 3 === 0) await world.clock.advance(1)
      sent.push((await world.mail.send(human, { to: n % 2 ? 'press/hand' : ada.id, subject: `${n}` })).id)
    }
    const seen: string[] = []
    let cursor: string | undefined
    do {
      const page = world.mail.inbox(human, { agent: 'ada', limit: 5, cursor })
      seen.push(...page.items.map(({ id }) => id))
      cursor = page.next_cursor
      await world.clock.advance(1)
      await world.mail.send(human, { to: 'ada', subject: 'later' })
    } while (cursor)
    expect(seen.toSorted()).toEqual(sent.toSorted())
    expect(new Set(seen).size).toBe(12)
  })

  test('threads show their newest message once, anyone who it is for', async () => {
    await using world = await openWork()
    const ada = await world.session('ada')
    const first = await world.mail.send(human, { to: 'ada', subject: 'A' })
    await world.clock.advance(1)
    const any = await world.mail.send(human, { to: 'press/hand', subject: 'B' })
    await world.clock.advance(1)
    const reply = await world.mail.reply(world.caller(ada.id), first.id, { body: 'y' })
    const ids = (agent?: string) => world.mail.threads({ agent }).items.map(({ id }) => id)
    expect(ids('ada')).toEqual([reply.id, any.id])
    expect(ids('human')).toEqual([reply.id])
    expect(ids()).toEqual([reply.id, any.id])
    await world.clock.advance(1)
    await world.mail.reply(human, reply.id, { subject: 'again' })
    expect(world.mail.threads({ agent: 'ada' }).total).toBe(2)
    await world.mail.archive(human, reply.id)
    expect(ids('human')).toEqual([])
    expect(ids('ada')).toHaveLength(2)
    const { items, next_cursor: cursor } = world.mail.threads({ agent: 'ada', limit: 1 })
    expect(items.map(({ subject }) => subject)).toEqual(['again'])
    expect(world.mail.threads({ agent: 'ada', limit: 1, cursor }).items.map(({ id }) => id)).toEqual([any.id])
  })

  test('lists and counts are read from indexes and counters', async () => {
    await using world = await openWork()
    using recorded = recordStatements(basename(world.store.path))
    const lists = new MailLists(world.store)
    for (const routes of [undefined, ['clerk'], ['clerk', 'mayor']]) {
      lists.list(routes, true, {}, '')
      lists.list(routes, false, {}, '')
      lists.threads(routes, {}, '')
    }
    lists.find('gc-1')
    lists.metadata(['gc-1'])
    lists.unread(['clerk'], 10)
    lists.unreadFromOthers('clerk', 10)
    lists.thread('gc-1', '')
    const reads = [...recorded.statements]
    const steps = reads.flatMap((sql) => plan(world.store, sql))
    expect(steps.length).toBeGreaterThan(30)
    expect(steps.filter((step) => /SCAN (m|b|t|mail_\w+)\b(?!.*INDEX messages_(open|unread) )/.test(step))).toEqual([])
    const plans = reads.filter((sql) => !sql.includes(' UNION ')).map((sql) => plan(world.store, sql).join())
    expect(plans.filter((steps) => steps.includes('TEMP B-TREE FOR ORDER BY') && !steps.includes('thread'))).toEqual([])
  })
})
