import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { AGENT } from '../host/acp/agent-host.ts'
import { eventually } from '../support/until.ts'
import { type TestCity, World } from '../support/world.ts'
import { register, STORE_TOKEN, startSession } from './town.ts'

const TOML = `
[[agent]]
name = "polly"
session = "acp"
start_command = '''${STORE_TOKEN}; exec ${AGENT.join(' ')}'''
`

let world: World
let city: TestCity
beforeAll(async () => {
  world = await World.with({ USER: 'olive' })
  city = await register(world, 'mill', TOML)
}, 20_000)
afterAll(() => world[Symbol.asyncDispose]())

/** Adds a person and returns their token. */
async function add(name: string, grants?: string[]): Promise<string> {
  const { status, body } = await world.call('POST /v0/people', { body: { name, ...(grants && { grants }) } })
  expect([status, body]).toEqual([201, expect.objectContaining({ name, grants: grants ?? [] })])
  return body.token
}

/** Events of the supervisor itself during an action. */
async function recorded(act: () => Promise<unknown>) {
  const before = (await world.call('GET /v0/events')).body.total
  await act()
  const { items } = (await world.call('GET /v0/events')).body
  return items.slice(before).map(({ type, actor, payload }: Record<string, unknown>) => [type, actor, payload])
}

async function question(): Promise<string> {
  await startSession(city, 'polly', { message: 'ask it' })
  const read = async () => (await city.call('GET ~/attention')).body.items
  const items = await eventually('a question', 10_000, read, (all) => all.length > 0)
  return items[0].id
}

describe('people', () => {
  test('are added with a token that is shown once and stored nowhere, listed, and removed', async () => {
    let token = ''
    expect(
      await recorded(async () => {
        token = await add('ann', ['answer', 'land'])
      }),
    ).toEqual([['person.added', 'human', { name: 'ann', grants: ['answer', 'land'] }]])
    expect(token).toMatch(/^gcp_[0-9a-f]{64}$/)
    const { body } = await world.call('GET /v0/people')
    expect(body.items).toEqual([{ name: 'ann', grants: ['answer', 'land'], added_at: expect.any(String) }])
    const files = ['supervisor.db', 'supervisor.db-wal'].map((name) => readFileSync(join(world.home, name), 'latin1'))
    for (const text of [...files, world.log, JSON.stringify((await world.call('GET /v0/events')).body)])
      expect(text).not.toContain(token)
    expect((await world.call('GET /v0/cities', { token })).status).toBe(200)
    const stream = await fetch(`${world.url}/v0/events/stream`, { headers: { Authorization: `Bearer ${token}` } })
    expect(await recorded(() => world.call('DELETE /v0/people/Ann'))).toEqual([
      ['person.removed', 'human', { name: 'ann' }],
    ])
    await stream.text()
    const ended = await world.call('GET /v0/cities', { token })
    expect([ended.status, ended.body.code]).toEqual([401, 'unauthorized'])
    expect((await world.call('DELETE /v0/people/ann')).body.code).toBe('person-not-found')
  })

  test('get no second token by repeating the request, which names how to end the first', async () => {
    const headers = { 'Idempotency-Key': Bun.randomUUIDv7() }
    const first = await world.call('POST /v0/people', { body: { name: 'bea' }, headers })
    const again = await world.call('POST /v0/people', { body: { name: 'bea' }, headers })
    expect([first.status, again.status, again.body.code]).toEqual([201, 409, 'idempotency-secret'])
    expect(again.body.detail).toContain('gc people remove bea')
    expect(JSON.stringify(again.body)).not.toContain(first.body.token)
  })

  test('have names that no one else is recorded under', async () => {
    await add('carl')
    for (const name of ['Carl', 'human', 'Operator', 'gc', 'olive']) {
      const { status, body } = await world.call('POST /v0/people', { body: { name } })
      expect([name, status, body.code]).toEqual([name, 409, 'conflict-wrong-state'])
    }
    for (const name of ['', '@ann', 'a b', '-x', 'a/b', 'x'.repeat(65)])
      expect((await world.call('POST /v0/people', { body: { name } })).status).toBe(422)
    const emitted = await city.call('POST ~/events', { body: { type: 'x.y', actor: '@carl' } })
    expect(emitted.status).toBe(403)
  })

  test('answer questions as granted, under their name', async () => {
    const [dora, emil] = [await add('dora', ['answer']), await add('emil', ['review'])]
    const id = await question()
    const options = { body: { answer: 'approve' } }
    const denied = await city.call(`POST ~/attention/${id}/answer`, { ...options, token: emil })
    expect([denied.status, denied.body.detail]).toEqual([
      403,
      expect.stringContaining('emil may not do "Answer a question": their grants lack "answer"'),
    ])
    const seq = await city.head()
    const answered = await city.call(`POST ~/attention/${id}/answer`, { ...options, token: dora })
    expect([answered.status, answered.body.answered_by]).toEqual([200, '@dora'])
    const events = await eventually(
      'the answer',
      10_000,
      () => city.recorded(seq),
      (all) => all.some(({ type }) => type === 'session.answered'),
    )
    expect(events.find(({ type }) => type === 'session.answered')?.actor).toBe('@dora')
  })

  test('change nothing beyond their grants', async () => {
    const token = await add('fay', ['answer', 'review', 'land'])
    const seq = await city.head()
    for (const operation of ['POST ~/stop', 'POST ~/beads', 'DELETE ~/agent/polly']) {
      const { status, body } = await city.call(operation, { token, body: { title: 'x' } })
      expect([operation, status, body.detail]).toEqual([operation, 403, expect.stringContaining('fay may not do')])
    }
    const other = await world.call('POST /v0/people', { token, body: { name: 'gus' } })
    expect([other.status, other.body.detail]).toEqual([403, expect.stringContaining('$GC_HOME/token')])
    expect(await city.recorded(seq)).toEqual([])
  })
})
