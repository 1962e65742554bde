import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { addressOf, testService, waitForState } from '../support/services.ts'
import { eventually } from '../support/until.ts'
import { TestCity, World } from '../support/world.ts'
import { AccessMatrix, isFree, isOfNobody, isOfPerson, isWork, type StatedNeed } from './access-matrix.ts'
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

/** Grants of people. */
const GRANTS = ['answer', 'review', 'land']

const agent = (name: string, more = '') => `
[[agent]]
name = "${name}"
start_command = '${STORE_TOKEN}; exec sleep 600'
max_active_sessions = 2
${more}`

/** A command that runs for as long as its city, and stores its token; one that ends immediately. */
const STAYS = `session_setup = ['umask 077; printf %s "$GC_TOKEN" > stays.token; exec sleep 600']`
const ENDS = `on_boot = 'umask 077; printf "%s %s" "$GC_TOKEN" "$GC_URL" > ends.token'`

/** Programs that gc runs for a city, each with its own token. */
const PROGRAMS = ['session_setup', 'order', 'check', 'service'] as const

const STAYS_HERE = (name: string) => `umask 077; printf %s "$GC_TOKEN" > "$GC_CITY_PATH/${name}.token"; exec sleep 600`

const ORDER = `[order]
trigger = "manual"
timeout = "10m"
exec = '${STAYS_HERE('order')}'
`

const FORMULA = `formula = "checked"
[requires]
formula_compiler = ">=2.0.0"
[[steps]]
id = "work"
title = "Work"
[steps.check]
max_attempts = 1
[steps.check.check]
path = "check.sh"
timeout = "10m"
`

const TOML = `
[session]
setup_timeout = "10m"
${testService('stays')}
[[agent]]
name = "idle"
start_command = "true"
max_active_sessions = 0
${agent('plain')}${agent('chief', `may = ${JSON.stringify(PERMISSIONS)}`)}${agent('brief', ENDS)}${agent('slow', STAYS)}`

let world: World
let matrix: AccessMatrix

/** A city with a session of an agent that lists every permission and one of an agent that lists none. */
interface Staffed {
  city: TestCity
  plain: { id: string; token: string }
  chief: { id: string; token: string }
  /** The tokens of programs that its city runs, by what they are. */
  programs: Record<(typeof PROGRAMS)[number], string>
}

/** A message to people, by city. */
const messages = new Map<string, string>()
let open: Staffed
let strict: Staffed

beforeAll(async () => {
  world = await World.open()
  matrix = await AccessMatrix.of(world)
  open = await staffed('open')
  strict = await staffed('strict', 'strict = true\n')
}, 30_000)
afterAll(() => world[Symbol.asyncDispose]())

const textOf = (path: string): string => (existsSync(path) ? readFileSync(path, 'utf8') : '')

async function openCity(name: string, site: string): Promise<TestCity> {
  const path = world.folder.at(name)
  mkdirSync(join(path, '.gc'), { recursive: true })
  writeFileSync(join(path, 'city.toml'), `[workspace]\nname = "${name}"\nprefix = "${name}"\n${TOML}`)
  writeFileSync(join(path, '.gc/site.toml'), site)
  const accepted = await world.call('POST /v0/city/register', { body: { path } })
  await world.outcome('/v0/events', accepted.body)
  return new TestCity(world, name, path)
}

async function staffed(name: string, site = ''): Promise<Staffed> {
  const city = await openCity(name, site)
  const sent = await city.call('POST ~/mail', { body: { to: 'human', subject: 'for people' } })
  messages.set(name, sent.body.id)
  const programs = await programTokens(city)
  return { city, programs, plain: await startSession(city, 'plain'), chief: await startSession(city, 'chief') }
}

/** Has a city run one program of each kind, which stay; their tokens. */
async function programTokens(city: TestCity): Promise<Staffed['programs']> {
  for (const folder of ['orders', 'formulas']) mkdirSync(join(city.path, folder), { recursive: true })
  writeFileSync(join(city.path, 'orders/stays.toml'), ORDER)
  writeFileSync(join(city.path, 'formulas/checked.toml'), FORMULA)
  writeFileSync(join(city.path, 'check.sh'), `#!/bin/sh\n${STAYS_HERE('check')}`, { mode: 0o755 })
  await city.call('POST ~/config/reload')
  await city.call('POST ~/sessions', { body: { kind: 'agent', name: 'slow', alias: 'slow-one' } })
  expect((await city.call('POST ~/order/stays/run', { body: {} })).status).toBe(202)
  await beginCheck(city)
  await waitForState(city, 'stays', 'ready')
  const environment: unknown = await (await fetch(addressOf(city, 'stays', '/environment'))).json()
  const ofFile = (name: string) =>
    eventually(
      `the token of ${name}`,
      20_000,
      async () => textOf(join(city.path, `${name}.token`)),
      (token) => token.length === 68,
    )
  return {
    ...{ session_setup: await ofFile('stays'), order: await ofFile('order'), check: await ofFile('check') },
    service: String(Object(environment).GC_TOKEN),
  }
}

/** Begins a run and does its one step, after which gc checks it. */
async function beginCheck(city: TestCity): Promise<void> {
  const slung = await city.call('POST ~/sling', { body: { target: 'idle', formula: 'checked' } })
  const root: string = slung.body.root_bead_id
  const { items } = (await city.call(`GET ~/beads/graph/${root}/beads`)).body
  const step = items.find(({ ref }: { ref?: string }) => ref === 'checked.work.iteration.1').id
  await city.call(`PATCH ~/bead/${step}`, { body: { metadata: { 'gc.outcome': 'pass' } } })
  expect((await city.call(`POST ~/bead/${step}/close`)).status).toBe(200)
}

/** Tries every operation as somebody with a token; those that got another answer than expected. */
const surprises = ({ city }: Staffed, token: string, isAllowed: (need: StatedNeed) => boolean): Promise<string[]> =>
  matrix.surprises(city, isAllowed, { token, message: messages.get(city.name) ?? '' })

describe('every operation', () => {
  test('that changes something states what it needs', () => {
    for (const operation of matrix.operations) matrix.needOf(operation)
    const stated = matrix.operations
      .filter(({ method }) => method !== 'GET')
      .map((operation) => [operation.id, matrix.needOf(operation)] as const)
      .filter(([, { needs }]) => needs !== 'work')
      .map(([id, { needs, ownable, always, fields, grant }]) => {
        const others = (ownable ? ` of another ${ownable}` : '') + (always ? ', in every city' : '')
        const more = Object.entries(fields ?? {}).map(([field, need]) => `, with ${field} ${need}`)
        return `${id}: ${needs}${others}${more.join('')}${grant === undefined ? '' : `; a person: ${grant}`}`
      })
    expect(stated.sort()).toMatchSnapshot()
  })

  test('is tried as every caller', async () => {
    const listed = (await Bun.file(new URL('../operations.txt', import.meta.url)).text()).trim().split('\n')
    expect(matrix.operations).toHaveLength(listed.length)
    expect(matrix.operations.filter((each) => !matrix.requests.includes(each)).map(({ id }) => id)).toEqual([
      'attach-terminal',
    ])
  })

  test('is open to people and the operator', async () => {
    const isAllowed = () => true
    for (const [name, options] of [
      ['people', {}],
      ['operators', { token: world.operatorToken }],
    ] as const) {
      const city = await openCity(name, '')
      expect(await matrix.surprises(city, isAllowed, options, matrix.ofCities)).toEqual([])
    }
  })

  test('is open to a person for reading, and as far as granted', async () => {
    const changes = matrix.operations.filter(({ method }) => method !== 'GET')
    const ofPeople = changes.filter((operation) => isOfPerson(GRANTS)(matrix.needOf(operation)))
    expect(ofPeople.map(({ id }) => id).sort()).toMatchSnapshot()
    const unread = matrix.operations.filter((each) => !changes.includes(each) && !isOfPerson([])(matrix.needOf(each)))
    expect(unread.map(({ id }) => id).sort()).toMatchSnapshot()
    const city = await openCity('for-people', '')
    for (const grants of [[], GRANTS]) {
      const added = await world.call('POST /v0/people', { body: { name: `ann-${grants.length}`, grants } })
      expect(await matrix.surprises(city, isOfPerson(grants), { token: added.body.token })).toEqual([])
    }
  }, 30_000)

  test('is open to a session as far as its agent may', async () => {
    expect(await surprises(open, open.plain.token, isFree)).toEqual([])
    expect(await surprises(open, open.chief.token, isOfNobody)).toEqual([])
  })

  test('of a strict city is open to a session without permissions only where it works itself', async () => {
    expect(await surprises(strict, strict.plain.token, isWork)).toEqual([])
    expect(await surprises(strict, strict.chief.token, isOfNobody)).toEqual([])
  })

  test('of another city is closed to a session', async () => {
    const { token } = strict.chief
    expect(await matrix.surprises(open.city, () => false, { token }, matrix.ofCities)).toEqual([])
  })

  test.each([
    ['session_setup', 'nothing more'],
    ['order', 'nothing more'],
    ['check', 'nothing more'],
    ['service', 'connect'],
  ] as const)(
    'is open to a program that runs as %s like to a session without permissions, but for what only a session does; and %s',
    async (program, more) => {
      const isOpen = (isForAny: (need: StatedNeed) => boolean) => (need: StatedNeed) =>
        need.needs !== 'session' && (isForAny(need) || need.needs === more)
      expect(await surprises(open, open.programs[program], isOpen(isFree))).toEqual([])
      expect(await surprises(strict, strict.programs[program], isOpen(isWork))).toEqual([])
    },
    30_000,
  )
})

describe('the terminal of a session', () => {
  /** Response to a request for a ticket, and first output of a WebSocket with it. */
  async function attach({ city, chief }: Staffed, write: boolean, token?: string): Promise<string> {
    const options = { body: { write }, ...(token !== undefined && { token }) }
    const { status, body } = await city.call(`POST ~/session/${chief.id}/terminal-ticket`, options)
    if (status !== 200) return `${status}`
    const base = world.url.replace('http', 'ws')
    return firstMessage(`${base}/v0/city/${city.name}/session/${chief.id}/terminal?ticket=${body.ticket}`)
  }

  test('is opened with a ticket, to read by anyone who may watch, and to write by anyone who may respond', async () => {
    for (const [name, staff] of Object.entries({ open, strict })) {
      const watch = name === 'open' ? 'hello' : '403'
      for (const [caller, token, reads, writes] of [
        ['people', undefined, 'hello', 'hello'],
        ['operator', world.operatorToken, 'hello', 'hello'],
        ['chief', staff.chief.token, 'hello', 'hello'],
        ['plain', staff.plain.token, watch, '403'],
        ...PROGRAMS.map((program) => [program, staff.programs[program], watch, '403'] as const),
        ['a session of another city', (name === 'open' ? strict : open).chief.token, '403', '403'],
      ] as const) {
        const answers = [await attach(staff, false, token), await attach(staff, true, token)]
        expect([name, caller, ...answers]).toEqual([name, caller, reads, writes])
      }
    }
  })

  test('is opened to no one without a ticket, whatever token they show', async () => {
    const { city, chief, plain, programs } = open
    const headers = { Upgrade: 'websocket', Connection: 'Upgrade' }
    for (const token of [undefined, world.operatorToken, chief.token, plain.token, ...Object.values(programs)]) {
      const options = { headers, ...(token !== undefined && { token }) }
      const { status, body } = await city.call(`GET ~/session/${chief.id}/terminal`, options)
      expect([status, body.code]).toEqual([403, 'forbidden'])
    }
  })
})

/** The type of the first message on a WebSocket. */
function firstMessage(url: string): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const socket = new WebSocket(url)
  socket.onmessage = ({ data }) => {
    if (typeof data === 'string') resolve(JSON.parse(data).type)
  }
  socket.onclose = ({ code }) => reject(new Error(`the terminal closed with ${code}`))
  return promise.finally(() => socket.close())
}

describe('a program that gc runs', () => {
  test.each([
    ['session_setup', 'session_setup of slow-one'],
    ['order', 'order:stays'],
    ['check', expect.stringMatching(/^check of /)],
    ['service', 'service stays'],
  ] as const)('that runs as %s is the actor of what it does', async (program, actor) => {
    const { city, programs } = open
    const seq = await city.head()
    const made = await city.call('POST ~/beads', { body: { title: 'from a program' }, token: programs[program] })
    expect(made.status).toBe(201)
    expect(await city.recorded(seq)).toMatchObject([{ type: 'bead.created', actor }])
  })

  test('has a token that ends with it', async () => {
    const { city } = open
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
  test('is paused and canceled by anyone who started it or works on it, and by others with the permission', async () => {
    const { city, plain, chief, programs } = open
    const command = programs.session_setup
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
  test('is not closed as a bead, by any operation or caller', async () => {
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
