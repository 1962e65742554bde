import { expect, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { register, startSession } from '../api/town.ts'
import { tempFolder } from '../support/folder.ts'
import { type Answer, type CallOptions, type TestCity, World } from '../support/world.ts'
import { KillOnSync } from './kill-on-sync.ts'
import { up } from './town.ts'

/** A change and its body, with what it needs made before. */
type Change = readonly [operation: string, body?: object, more?: CallOptions]
type Prepare = (city: TestCity, n: number) => Promise<Change> | Change

const id = async (city: TestCity, operation: string, body: object): Promise<string> =>
  (await city.call(operation, { body })).body.id
const bead = (city: TestCity, more = {}) => id(city, 'POST ~/beads', { title: 'a', ...more })
const session = async (city: TestCity) => (await startSession(city, 'clerk')).id
const mail = (city: TestCity) => id(city, 'POST ~/mail', { to: 'human', subject: 'a' })
const agent = async (city: TestCity, n: number) => {
  await city.call('POST ~/agents/declare', {
    body: { name: `agent${n}`, start_command: 'true', max_active_sessions: 0 },
  })
  return `agent${n}`
}
const claimed = async (city: TestCity) => {
  const { token } = await startSession(city, 'clerk')
  return { token, claimed: await bead(city) }
}

/** The changes of a city, each with what it needs. */
const CHANGES: Record<string, Prepare> = {
  'create a bead': () => ['POST ~/beads', { title: 'a' }],
  'create a large bead': () => ['POST ~/beads', { title: 'a', description: 'x'.repeat(40_000) }],
  'create beads': () => ['POST ~/beads/bulk', { beads: [{ title: 'b' }, { title: 'c' }] }],
  'update a bead': async (c) => [`PATCH ~/bead/${await bead(c)}`, { title: 'b' }],
  'update beads': async (c) => ['PATCH ~/beads/bulk', { updates: [{ id: await bead(c), title: 'b' }] }],
  'close a bead': async (c) => [`POST ~/bead/${await bead(c)}/close`],
  'assign a bead': async (c) => [`POST ~/bead/${await bead(c)}/assign`, { assignee: await session(c) }],
  'reopen a bead': async (c) => {
    const closed = await bead(c)
    await c.call(`POST ~/bead/${closed}/close`)
    return [`POST ~/bead/${closed}/reopen`]
  },
  'make a bead depend': async (c) => [`POST ~/bead/${await bead(c)}/deps`, { depends_on_id: await bead(c) }],
  'comment on a bead': async (c) => [`POST ~/bead/${await bead(c)}/comments`, { text: 'a' }],
  'claim a bead': async (c) => {
    const { token, claimed: one } = await claimed(c)
    return [`POST ~/bead/${one}/claim`, undefined, { token }]
  },
  'claim the next bead': async (c) => {
    const { id: own, token } = await startSession(c, 'clerk')
    await bead(c, { assignee: own })
    return ['POST ~/claims/next', undefined, { token }]
  },
  'release a bead': async (c) => {
    const { token, claimed: one } = await claimed(c)
    await c.call(`POST ~/bead/${one}/claim`, { token })
    return [`POST ~/bead/${one}/release`, undefined, { token }]
  },
  'create a convoy': async (c) => ['POST ~/convoys', { title: 'a', items: [await bead(c)] }],
  'close a convoy': async (c) => [
    `POST ~/convoy/${await id(c, 'POST ~/convoys', { title: 'a', items: [await bead(c)] })}/close`,
  ],
  'send mail': () => ['POST ~/mail', { to: 'human', subject: 'a' }],
  'send large mail': () => ['POST ~/mail', { to: 'human', subject: 'a', body: 'x'.repeat(40_000) }],
  'reply to mail': async (c) => [`POST ~/mail/${await mail(c)}/reply`, { body: 'a' }],
  'read mail': async (c) => [`POST ~/mail/${await mail(c)}/read`],
  'archive mail': async (c) => [`POST ~/mail/${await mail(c)}/archive`],
  'create a wait': async (c) => ['POST ~/waits', { session: await session(c), on_beads: [await bead(c)] }],
  'emit an event': () => ['POST ~/events', { type: 'f.happened', actor: 'me' }],
  'rotate the events': () => ['POST ~/events/rotate'],
  'sling a bead': async (c) => ['POST ~/sling', { target: 'idle', bead: await bead(c) }],
  'sling a text': () => ['POST ~/sling/text', { target: 'idle', title: 'a' }],
  'sling a formula': () => ['POST ~/sling', { target: 'idle', formula: 'steps' }],
  'sling a convoy': async (c) => [
    'POST ~/sling/convoy',
    { target: 'idle', convoy: await id(c, 'POST ~/convoys', { title: 'a', items: [await bead(c)] }) },
  ],
  'cancel a run': async (c) => {
    const { body } = await c.call('POST ~/sling', { body: { target: 'idle', formula: 'steps' } })
    return [`POST ~/runs/${body.root_bead_id}/cancel`]
  },
  'pause a run': async (c) => {
    const { body } = await c.call('POST ~/sling', { body: { target: 'idle', formula: 'steps' } })
    return [`POST ~/runs/${body.root_bead_id}/pause`, {}]
  },
  'create a session': () => ['POST ~/sessions', { kind: 'agent', name: 'clerk' }],
  'rename a session': async (c) => [`PATCH ~/session/${await session(c)}`, { title: 'b' }],
  'message a session': async (c) => [`POST ~/session/${await session(c)}/messages`, { message: 'a' }],
  'suspend a session': async (c) => [`POST ~/session/${await session(c)}/suspend`],
  'wake a session': async (c) => {
    const one = await session(c)
    await c.call(`POST ~/session/${one}/suspend`)
    return [`POST ~/session/${one}/wake`]
  },
  'drain a session': async (c) => [`POST ~/session/${await session(c)}/drain`],
  'kill a session': async (c) => [`POST ~/session/${await session(c)}/kill`],
  'restart a session': async (c) => [`POST ~/session/${await session(c)}/restart`, {}],
  'close a session': async (c) => [`POST ~/session/${await session(c)}/close`],
  'set a budget': (_, n) => ['PUT ~/budgets', { scope: 'city', unit: 'usd', per: 'day', limit: n + 1 }],
  'suspend the city': async (c) => {
    await c.call('PATCH ~', { body: { suspended: false } })
    return ['PATCH ~', { suspended: true }]
  },
  'suspend an agent': async (c, n) => [`POST ~/agent/${await agent(c, n)}/suspend`],
  'add an agent': (_, n) => ['POST ~/agents/declare', { name: `new${n}`, start_command: 'true' }],
  'change an agent': async (c, n) => [`PATCH ~/agent/${await agent(c, n)}`, { suspended: true }],
  'remove an agent': async (c, n) => [`DELETE ~/agent/${await agent(c, n)}`],
  'add a provider': (_, n) => ['POST ~/providers', { name: `provider${n}`, command: 'true' }],
  'patch an agent': async (c, n) => ['PUT ~/patches/agents', { name: await agent(c, n), suspended: true }],
  'write a formula': (_, n) => [
    'PUT ~/formulas/written',
    undefined,
    { raw: `${STEPS.replace('"steps"', '"written"')}# ${n}\n` },
  ],
  'add a rig': (c, n) => ['POST ~/rigs', { name: `rig${n}`, path: c.world.rigFolder(`${c.name}-rig${n}`) }],
  'import beads': (c, n) => [
    'POST ~/beads/import',
    undefined,
    { raw: JSON.stringify({ id: `${c.name.slice(0, 2)}-import${n}`, title: 'a', created_at: '2026-01-01T00:00:00Z' }) },
  ],
  'create a gate': async (c) => ['POST ~/gates', { blocks: await bead(c), type: 'human', reason: 'ask' }],
}

const STEPS = 'formula = "steps"\n[requires]\nformula_compiler = ">=2.0.0"\n[[steps]]\nid = "a"\ntitle = "A"\n'
const TOML = `
[[agent]]
name = "clerk"
start_command = 'umask 077; printf %s "$GC_TOKEN" > "$GC_HOME/token.$GC_SESSION_ID"; exec sleep 600'
[[agent]]
name = "idle"
start_command = "true"
max_active_sessions = 0
`

/** Recorded of sessions whenever gc ends and starts as well. */
const BESIDE = /^(controller|supervisor|worker\.operation|session\.stopped|bead\.updated$)/

const send = (city: TestCity, [operation, body, more]: Change, key: string): Promise<Answer> =>
  city.call(operation, { ...(body && { body }), ...more, headers: { 'Idempotency-Key': key } })

const count = (types: readonly string[], type: string): number => types.filter((each) => each === type).length

/** Sends a change whose supervisor dies after one of its commits, starts another, and sends it again. */
async function interrupted(city: TestCity, change: Change, killer: KillOnSync, sync: number) {
  const key = Bun.randomUUIDv7()
  const seq = await city.head()
  killer.arm(sync, `${city.name}/.gc/`)
  await send(city, change, key).catch(() => undefined)
  const isKilled = killer.disarm()
  if (isKilled) {
    await city.world.kill()
    await city.world.start()
    await up(city)
  }
  const again = await send(city, change, key)
  const types = (await city.recorded(seq)).map(({ type }) => type)
  return { again, types, last: await send(city, change, key) }
}

test('a change whose answer was lost by a crash after any of its commits is made once, and answered', async () => {
  const folder = tempFolder()
  const killer = new KillOnSync(folder)
  await using world = await World.with(killer.env)
  const cities: TestCity[] = []
  for (const name of ['twin', 'town']) {
    mkdirSync(join(world.folder.at(name), 'formulas'), { recursive: true })
    writeFileSync(join(world.folder.at(name), 'formulas', 'steps.toml'), STEPS)
    cities.push(await register(world, name, TOML))
  }
  const [twin, town] = cities
  if (!twin || !town) throw new Error('there are two cities')
  const wrong: string[] = []
  let n = 0
  for (const [name, prepare] of Object.entries(CHANGES)) {
    const change = await prepare(twin, n++)
    const usual = await twin.types(async () => {
      const { status, body } = await send(twin, change, name)
      if (status >= 300) wrong.push(`${name}: ${status} ${JSON.stringify(body)}`)
    })
    for (const sync of [1, 2]) {
      const { again, types, last } = await interrupted(town, await prepare(town, n++), killer, sync)
      if (again.body?.code === 'idempotency-unknown') continue
      if (again.status >= 300) wrong.push(`${name}, ${sync}: ${again.status} ${again.body?.detail}`)
      if (!Bun.deepEquals(again.body, last.body)) wrong.push(`${name}, ${sync}: another answer the third time`)
      const own = [...new Set(usual)].filter((type) => !BESIDE.test(type))
      for (const type of own)
        if (count(types, type) !== count(usual, type))
          wrong.push(`${name}, ${sync}: ${type} ${count(types, type)} times`)
    }
  }
  expect(wrong).toEqual([])
}, 600_000)
