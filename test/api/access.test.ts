import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { least, leastQuery, type Operation, operationsOf } from '../support/sample.ts'
import { eventually } from '../support/until.ts'
import { type Answer, type CallOptions, TestCity, World } from '../support/world.ts'
import { bead, STORE_TOKEN, startSession } from './town.ts'

const PERMISSIONS = [
  'configure',
  'sessions',
  'mail',
  'respond',
  'budgets',
  'tokens',
  'maintain',
  'coordinate',
  'connect',
]

/** Needs that every session has; the last two only where the city is not strict. */
const FREE = ['work', 'session', 'watch', 'coordinate']

const agent = (name: string, more = '') => `
[[agent]]
name = "${name}"
start_command = '${STORE_TOKEN}; exec sleep 600'
max_active_sessions = 2
${more}`

/** A command that runs for as long as its city, and stores its token; one that ends at once. */
const STAYS = `session_setup = ['umask 077; printf %s "$GC_TOKEN" > stays.token; exec sleep 600']`
const ENDS = `on_boot = 'umask 077; printf "%s %s" "$GC_TOKEN" "$GC_URL" > ends.token'`

const TOML = `
[session]
setup_timeout = "10m"
${agent('plain')}${agent('chief', `may = ${JSON.stringify(PERMISSIONS)}`)}${agent('brief', ENDS)}${agent('slow', STAYS)}`

let world: World
let document: Record<string, unknown>
let operations: Operation[]

/** A city with a session of an agent that lists every permission and one of an agent that lists none. */
interface Staffed {
  city: TestCity
  plain: { id: string; token: string }
  chief: { id: string; token: string }
  /** The token of a command that its city runs. */
  command: string
}

/** A message to people, by city. */
const messages = new Map<string, string>()
let open: Staffed
let strict: Staffed

beforeAll(async () => {
  world = await World.open()
  document = (await world.call('GET /openapi.json')).body
  operations = operationsOf(document)
  open = await staffed('open')
  strict = await staffed('strict', 'strict = true\n')
}, 30_000)
afterAll(() => world[Symbol.asyncDispose]())

const textOf = (path: string): string => (existsSync(path) ? readFileSync(path, 'utf8') : '')

async function staffed(name: string, site = ''): Promise<Staffed> {
  const path = world.folder.at(name)
  mkdirSync(join(path, '.gc'), { recursive: true })
  writeFileSync(join(path, 'city.toml'), `[workspace]\nname = "${name}"\nprefix = "${name}"\n${TOML}`)
  writeFileSync(join(path, '.gc/site.toml'), site)
  const accepted = await world.call('POST /v0/city/register', { body: { path } })
  await world.outcome('/v0/events', accepted.body)
  const city = new TestCity(world, name, path)
  const sent = await city.call('POST ~/mail', { body: { to: 'human', subject: 'for people' } })
  messages.set(name, sent.body.id)
  const file = join(path, 'stays.token')
  await city.call('POST ~/sessions', { body: { kind: 'agent', name: 'slow', alias: 'slow-one' } })
  const command = await eventually(
    'a token',
    10_000,
    async () => textOf(file),
    (token) => token.length === 68,
  )
  return { city, command, plain: await startSession(city, 'plain'), chief: await startSession(city, 'chief') }
}

interface StatedNeed {
  needs: string
  ownable?: string
  always?: boolean
  fields?: Record<string, string>
}

/** What the document says that an operation needs. */
function needOf({ method, path, id }: Operation): StatedNeed {
  const item = Object(Object(document.paths)[path])[method.toLowerCase()]
  const stated = item['x-gc-needs'] ?? (method === 'GET' ? 'read' : undefined)
  if (stated === undefined) throw new Error(`${id} does not state what it needs`)
  return typeof stated === 'string' ? { needs: stated } : stated
}

/** An operation on something that does not exist, so that a caller who is allowed changes little. */
function send(operation: Operation, city: TestCity, options: CallOptions = {}): Promise<Answer> {
  const path = operation.path
    .replace('{cityName}', city.name)
    .replace('/mail/{id}', `/mail/${messages.get(city.name)}`)
    .replace(/\{\w+\}/g, 'nobody')
  const body = operation.takesBytes ? { raw: '{}' } : operation.body ? { body: least(document, operation.body) } : {}
  return world.call(`${operation.method} ${path}${leastQuery(document, operation)}`, { ...body, ...options })
}

/** Whether the access of a caller was rejected, whatever else may be wrong with the request. */
const isRejected = ({ status, body }: Answer): boolean =>
  status === 403 && /may not do|acts in no other/.test(String(body?.detail))

/** The operations for which a caller got another answer than expected. */
async function surprises(
  some: readonly Operation[],
  isAllowed: (need: StatedNeed) => boolean,
  ask: (operation: Operation) => Promise<Answer>,
): Promise<string[]> {
  const found: string[] = []
  for (const operation of some) {
    const answer = await ask(operation)
    if (isRejected(answer) === isAllowed(needOf(operation))) {
      found.push(`${operation.id}: ${answer.status} ${answer.body?.detail ?? ''}`)
    }
  }
  return found
}

/** Operations that can be tried on something that does not exist and end at once. */
const trialOperations = () =>
  operations.filter(({ id, kind }) => kind === 'json' && !['stop-supervisor', 'backup-city'].includes(id))

describe('every operation', () => {
  test('that changes something states what it needs', () => {
    for (const operation of operations) needOf(operation)
    const stated = operations
      .filter(({ method }) => method !== 'GET')
      .map((operation) => [operation.id, needOf(operation)] as const)
      .filter(([, { needs }]) => needs !== 'work')
      .map(([id, { needs, ownable, always, fields }]) => {
        const others = (ownable ? ` of another ${ownable}` : '') + (always ? ', in every city' : '')
        const more = Object.entries(fields ?? {}).map(([field, need]) => `, with ${field} ${need}`)
        return `${id}: ${needs}${others}${more.join('')}`
      })
    expect(stated.sort()).toMatchSnapshot()
  })

  test('is open to people and the operator', async () => {
    const isAllowed = () => true
    const inCity = trialOperations().filter(({ path }) => path.includes('{cityName}'))
    const nowhere = new TestCity(world, 'nowhere', '')
    expect(await surprises(inCity, isAllowed, (operation) => send(operation, nowhere))).toEqual([])
    const token = world.operatorToken
    expect(await surprises(inCity, isAllowed, (operation) => send(operation, nowhere, { token }))).toEqual([])
  })

  test('is open to a session as far as its agent may', async () => {
    const { city, plain, chief } = open
    const some = trialOperations()
    const isFree = ({ needs, always }: StatedNeed) => !always && (needs === 'read' || FREE.includes(needs))
    expect(await surprises(some, isFree, (operation) => send(operation, city, { token: plain.token }))).toEqual([])
    const isPermitted = ({ needs }: StatedNeed) => needs !== 'operator'
    expect(await surprises(some, isPermitted, (operation) => send(operation, city, { token: chief.token }))).toEqual([])
  })

  test('of a strict city is open to a session without permissions only where it works itself', async () => {
    const { city, plain, chief } = strict
    const some = trialOperations()
    const isWork = ({ needs }: StatedNeed) => ['read', 'work', 'session'].includes(needs)
    expect(await surprises(some, isWork, (operation) => send(operation, city, { token: plain.token }))).toEqual([])
    const isPermitted = ({ needs }: StatedNeed) => needs !== 'operator'
    expect(await surprises(some, isPermitted, (operation) => send(operation, city, { token: chief.token }))).toEqual([])
  })

  test('of another city that changes or watches something is closed to a session', async () => {
    const inCity = trialOperations().filter(({ path }) => path.includes('{cityName}'))
    const isRead = ({ needs, fields }: StatedNeed) => needs === 'read' && !fields
    const { token } = strict.chief
    expect(await surprises(inCity, isRead, (operation) => send(operation, open.city, { token }))).toEqual([])
  })

  test('is open to a command that gc runs as to a session without permissions, but for what only a session does', async () => {
    const ofCommand = ({ needs, always }: StatedNeed) =>
      !always && (needs === 'read' || (FREE.includes(needs) && needs !== 'session'))
    const isWork = ({ needs }: StatedNeed) => ['read', 'work'].includes(needs)
    const some = trialOperations()
    expect(
      await surprises(some, ofCommand, (operation) => send(operation, open.city, { token: open.command })),
    ).toEqual([])
    expect(
      await surprises(some, isWork, (operation) => send(operation, strict.city, { token: strict.command })),
    ).toEqual([])
  })
})

describe('a command that gc runs', () => {
  test('is the actor of what it does, under a token that ends with it', async () => {
    const { city, command } = open
    const seq = await city.head()
    const made = await city.call('POST ~/beads', { body: { title: 'from a command' }, token: command })
    expect(made.status).toBe(201)
    expect(await city.recorded(seq)).toMatchObject([{ type: 'bead.created', actor: 'session_setup of slow-one' }])
    const [token = '', url] = textOf(join(city.path, 'ends.token')).split(' ')
    expect(url).toBe(world.url)
    expect((await city.call('GET ~/beads', { token })).status).toBe(401)
  })
})

describe('a session without permissions', () => {
  test('closes, suspends and resets itself, and no other session', async () => {
    const { city, plain, chief } = open
    const denied = await city.call(`POST ~/session/${chief.id}/close`, { token: plain.token })
    expect([denied.status, denied.body.code, denied.body.detail]).toEqual([
      403,
      'forbidden',
      expect.stringMatching(
        /^forbidden: session plain-\S+ may not do "Close a session": its agent plain lacks "sessions"; a person can grant it with may = \["sessions"\] in city\.toml$/,
      ),
    ])
    const fresh = { body: { fresh: true }, token: plain.token }
    expect((await city.call(`POST ~/session/${chief.id}/restart`, fresh)).status).toBe(403)
    const { id, token } = await startSession(city, 'plain')
    expect((await city.call(`POST ~/session/${id}/close`, { token })).status).toBe(200)
  })

  test('kills another, which is recorded as its doing, and starts again', async () => {
    const { city, plain } = open
    const { id } = await startSession(city, 'chief', { alias: 'target' })
    const seq = await city.head()
    expect((await city.call(`POST ~/session/${id}/kill`, { token: plain.token })).status).toBe(200)
    const stopped = await city.event(seq, ({ type, subject }) => type === 'session.stopped' && subject === 'target')
    expect(stopped.actor).toStartWith('plain-')
    await city.event(seq, ({ type, subject }) => type === 'session.woke' && subject === 'target')
  })
})

describe('a run', () => {
  test('is paused and canceled by whoever started it or works on it, and by others with the permission', async () => {
    const { city, plain, chief, command } = open
    mkdirSync(join(city.path, 'formulas'), { recursive: true })
    const steps = '[[steps]]\nid = "do"\ntitle = "Do it"\n'
    const text = `formula = "line"\n[requires]\nformula_compiler = ">=2.0.0"\n${steps}`
    writeFileSync(join(city.path, 'formulas/line.toml'), text)
    const sling = async (token?: string): Promise<string> => {
      const body = { target: 'chief', formula: 'line' }
      return (await city.call('POST ~/sling', { body, ...(token && { token }) })).body.root_bead_id
    }
    const ask = async (verb: string, root: string, token: string) => {
      const { status, body } = await city.call(`POST ~/runs/${root}/${verb}`, { token, body: {} })
      return status === 403 ? body.detail : status
    }
    const ofPeople = await sling()
    expect(await ask('pause', ofPeople, plain.token)).toContain('its agent plain lacks "coordinate"')
    expect(await ask('cancel', ofPeople, command)).toContain('only sessions can be given "coordinate"')
    expect([await ask('pause', ofPeople, chief.token), await ask('resume', ofPeople, chief.token)]).toEqual([200, 200])
    const { items } = (await city.call(`GET ~/beads/graph/${ofPeople}/beads`)).body
    const step = items.find(({ ref }: { ref?: string }) => ref === 'line.do').id
    const { status } = await city.call(`POST ~/bead/${step}/claim`, { token: plain.token })
    expect([status, await ask('pause', ofPeople, plain.token)]).toEqual([200, 200])
    const own = await sling(plain.token)
    expect(await ask('cancel', own, command)).toContain('only sessions')
    expect(await city.call(`POST ~/runs/${own}/cancel`, { token: plain.token })).toMatchObject({ status: 202 })
    const ofCommand = await sling(command)
    expect(await ask('pause', ofCommand, plain.token)).toContain('lacks "coordinate"')
    expect(await ask('pause', ofCommand, command)).toBe(200)
    for (const root of [ofPeople, ofCommand]) await city.call(`POST ~/runs/${root}/cancel`)
  })
})

/** Runs `bd` as a session. */
function bd(city: TestCity, { id, token }: { id: string; token: string }, ...args: string[]) {
  const env = {
    ...{ PATH: process.env.PATH ?? '', HOME: world.folder.at('user'), GC_HOME: world.home, GC_URL: world.url },
    ...{ GC_CITY: city.path, GC_SESSION_ID: id, GC_TOKEN: token },
  }
  const { exitCode, stdout, stderr } = Bun.spawnSync([join(world.home, 'bin/bd'), ...args], { cwd: city.path, env })
  return { exitCode, text: `${stdout}${stderr}` }
}

describe('a change that not every session may make', () => {
  test('is in the log with who made it, and one that was rejected is not', async () => {
    const { city, plain, chief } = open
    const remove = (name: string, token: string) => city.call(`DELETE ~/agent/${name}`, { token })
    const made = { name: 'spare', start_command: 'true', max_active_sessions: 0 }
    expect((await city.call('POST ~/agents/declare', { body: made, token: chief.token })).status).toBe(201)
    expect((await remove('spare', plain.token)).status).toBe(403)
    expect((await remove('spare', chief.token)).status).toBe(200)
    const lines = world.log.split('\n').filter((line) => line.includes('/agent/spare'))
    expect(lines).toEqual([expect.stringMatching(/DELETE \S+\/agent\/spare: Remove an agent, by chief-/)])
  })
})

describe('work that another session holds', () => {
  test('is closed with force only, and it is recorded who did that and who was displaced', async () => {
    const { city, plain, chief } = open
    const id = await bead(city, 'held')
    expect((await city.call(`POST ~/bead/${id}/claim`, { token: chief.token })).status).toBe(200)
    for (const [operation, body] of [
      [`POST ~/bead/${id}/close`, undefined],
      [`DELETE ~/bead/${id}`, undefined],
      [`PATCH ~/bead/${id}`, { status: 'open' }],
      [`POST ~/bead/${id}/assign`, { assignee: plain.id }],
      ['PATCH ~/beads/bulk', { updates: [{ id, status: 'closed' }] }],
    ] as const) {
      const answer = await city.call(operation, { token: plain.token, ...(body && { body }) })
      expect([operation, answer.status, answer.body.detail]).toEqual([
        operation,
        409,
        expect.stringContaining('is held by'),
      ])
    }
    const refused = bd(city, plain, 'close', id)
    expect([refused.exitCode, refused.text]).toEqual([1, expect.stringContaining('add force to take it away')])
    const seq = await city.head()
    expect(bd(city, plain, 'close', id, '--force')).toMatchObject({ exitCode: 0 })
    const recorded = await city.recorded(seq)
    expect(recorded.map(({ type }) => type)).toEqual(['bead.claim_displaced', 'bead.closed'])
    expect(recorded.map(({ actor }) => actor)).toEqual(Array(2).fill(expect.stringMatching(/^plain-/)))
    expect(recorded[0]?.payload).toEqual({
      bead_id: id,
      session_id: chief.id,
      displaced: expect.stringMatching(/^chief-/),
    })
    const { body: history } = await city.call(`GET ~/bead/${id}/history`)
    expect(history.actors[String(recorded[1]?.seq)]).toEqual({ kind: 'session', session: plain.id, agent: 'plain' })
  })

  test('of a strict city is not taken away without the permission', async () => {
    const { city, plain, chief } = strict
    const id = await bead(city, 'held')
    await city.call(`POST ~/bead/${id}/claim`, { token: chief.token })
    const denied = await city.call(`POST ~/bead/${id}/close?force=true`, { token: plain.token })
    expect([denied.status, denied.body.detail]).toEqual([403, expect.stringContaining('lacks "coordinate"')])
  })
})

describe('the bead of a session', () => {
  test('is not closed as a bead, by whatever operation and whoever asks', async () => {
    const { city, chief } = open
    const seq = await city.head()
    const line = JSON.stringify({ id: chief.id, title: 'x', status: 'closed', created_at: '2026-01-01T00:00:00Z' })
    for (const [operation, options] of [
      [`POST ~/bead/${chief.id}/close`, {}],
      [`DELETE ~/bead/${chief.id}`, {}],
      [`PATCH ~/bead/${chief.id}`, { body: { status: 'closed' } }],
      [`POST ~/bead/${chief.id}/update`, { body: { type: 'task' } }],
      ['PATCH ~/beads/bulk', { body: { updates: [{ id: chief.id, status: 'closed' }] } }],
      ['POST ~/beads/import', { raw: line }],
    ] as const) {
      for (const token of [undefined, world.operatorToken, chief.token]) {
        const answer = await city.call(operation, { ...options, ...(token && { token }) })
        expect([operation, answer.status, answer.body.detail]).toEqual([
          operation,
          409,
          expect.stringContaining('is a session'),
        ])
      }
    }
    expect(await city.recorded(seq)).toEqual([])
    expect((await city.call(`GET ~/session/${chief.id}`)).body).toMatchObject({ running: true })
  })
})
