import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { City } from '../../../src/city/city.ts'
import type { PersonCaller, SessionCaller } from '../../../src/http/caller.ts'
import { human } from '../../../src/http/guard.ts'
import { type ScriptedTown, scriptedTown } from '../../support/city.ts'

const AGENT = `
[[agent]]
name = "worker"
start_command = "true"
min_active_sessions = 1
max_active_sessions = 1
confine = "off"
`
const SINCE = '2026-01-05T09:00:00.000Z'

/** A city with a running session, and the key of its program. */
async function running(town: ScriptedTown) {
  const city = await town.open()
  await city.reconciler.settle()
  const [row] = city.sessionRepository.live()
  if (!row?.hostKey) throw new Error('there is no session')
  return { city, id: row.id, key: row.hostKey }
}

const items = async (city: City) => {
  await city.attention.whenIdle()
  return city.attention.list().items
}

describe('a host beyond all lists that a session asks for', () => {
  test('waits for a person, who is shown who asks for what, until one answers', async () => {
    await using town = scriptedTown(AGENT)
    const { city, id, key } = await running(town)
    const { head } = city.log
    town.host.askedHosts.set(key, { host: 'a.example', port: 8443, since: SINCE, others: 2 })
    const name = `host:${id}:a.example:8443`
    const [item] = await items(city)
    expect(item).toMatchObject({
      ...{ id: name, kind: 'host', agent: 'worker', session_id: id, since: SINCE, text: 'a.example:8443' },
      asks: 'worker wants to reach a.example at port 8443, which is on no list, and asks for 2 other hosts too',
      to_do: `gc attention answer ${name} once|session|agent|no|none`,
      answers: ['once', 'session', 'agent', 'no', 'none'],
    })
    const answered = await city.sessions.messaging.answer(name, { kind: 'operator' }, { answer: '2' })
    expect(answered).toMatchObject({
      state: 'answered',
      answered_by: 'operator',
      choice: 'yes, a.example:8443 in this session',
    })
    expect(town.host.said).toEqual([{ key, host: 'a.example', port: 8443, answer: 'session' }])
    expect(await items(city)).toEqual([])
    const events = city.log.after(head, 100)
    const told = (type: string) => events.find((event) => event.type === type)?.payload
    expect(events.map(({ type, actor }) => [type, actor]).sort()).toEqual([
      ['attention.cleared', 'gc/attention'],
      ['attention.raised', 'gc/attention'],
      ['session.answered', 'operator'],
    ])
    const about = { session_id: id, question_id: name, choice: 'yes, a.example:8443 in this session' }
    expect(told('session.answered')).toMatchObject(about)
    expect(told('attention.cleared')).toMatchObject({ id: name, by: 'operator', resolution: about.choice })
  })

  test('comes into the configuration of the agent when a person allows it', async () => {
    await using town = scriptedTown(AGENT)
    const { city, id, key } = await running(town)
    town.host.askedHosts.set(key, { host: 'a.example', port: 443, since: SINCE, others: 0 })
    await city.sessions.messaging.answer(`host:${id}:a.example:443`, human, { answer: 'agent' })
    expect(readFileSync(join(town.path, 'city.toml'), 'utf8')).toContain(
      'confine = { mode = "off", allow_hosts = ["a.example"] }\n',
    )
    expect(town.host.said).toMatchObject([{ answer: 'session' }])
  })

  test('stays with the person when the configuration cannot be changed by gc', async () => {
    await using town = scriptedTown(AGENT.replace('confine = "off"', 'confine.mode = "off"'))
    const { city, id, key } = await running(town)
    town.host.askedHosts.set(key, { host: 'a.example', port: 443, since: SINCE, others: 0 })
    const name = `host:${id}:a.example:443`
    const before = readFileSync(join(town.path, 'city.toml'), 'utf8')
    await expect(city.sessions.messaging.answer(name, human, { answer: 'agent' })).rejects.toMatchObject({
      code: 'session-conflict',
      message: expect.stringMatching(/change it there by hand; or answer it for this session$/),
    })
    expect(readFileSync(join(town.path, 'city.toml'), 'utf8')).toBe(before)
    expect([town.host.said, (await items(city)).map((item) => item.id)]).toEqual([[], [name]])
  })

  test('is not a session’s to allow, nor a person’s but the operator’s for the agent, nor by other words, nor twice, and nothing is recorded then', async () => {
    await using town = scriptedTown(AGENT)
    const { city, id, key } = await running(town)
    town.host.askedHosts.set(key, { host: '2001:db8::1', port: 443, since: SINCE, others: 0 })
    const name = `host:${id}:2001:db8::1:443`
    const { messaging } = city.sessions
    const session: SessionCaller = {
      ...{ kind: 'session', city: 'mill', session: id, names: [id], agent: 'worker' },
      ...{ declaredIn: 'city.toml', may: ['respond', 'configure'] },
    }
    const ann: PersonCaller = { kind: 'person', id: 1, person: 'ann', grants: ['answer'] }
    await items(city)
    const { head } = city.log
    const give = (answer: string, caller: typeof human | PersonCaller | SessionCaller = human) =>
      messaging.answer(name, caller, { answer })
    await expect(give('session', session)).rejects.toMatchObject({ code: 'forbidden' })
    await expect(give('agent', ann)).rejects.toMatchObject({
      code: 'forbidden',
      message: expect.stringContaining('answer for this session'),
    })
    await expect(give('always')).rejects.toMatchObject({ code: 'validation-failed' })
    await expect(messaging.answer(`host:${id}:b.example:443`, human, { answer: 'no' })).rejects.toMatchObject({
      code: 'question-not-found',
    })
    expect([city.log.head, town.host.said]).toEqual([head, []])
    await give('no', ann)
    await expect(give('session')).rejects.toMatchObject({
      code: 'session-conflict',
      message: 'conflict: that was answered by @ann: no, not [2001:db8::1] in this session',
    })
    expect(town.host.said).toHaveLength(1)
  })

  test('waits no more when its session is over', async () => {
    await using town = scriptedTown(AGENT)
    const { city, key } = await running(town)
    town.host.askedHosts.set(key, { host: 'a.example', port: 443, since: SINCE, others: 0 })
    expect(await items(city)).toHaveLength(1)
    town.host.askedHosts.set(key, undefined)
    await town.host.exit(key)
    expect((await items(city)).filter(({ kind }) => kind === 'host')).toEqual([])
  })
})
