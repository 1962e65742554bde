import { describe, expect, test } from 'bun:test'
import { appendFileSync, chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { claude, write } from '../programs/samples.ts'
import { OperationCoverage } from '../support/coverage.ts'
import { least, operationsOf } from '../support/sample.ts'
import { eventually } from '../support/until.ts'
import type { TestCity } from '../support/world.ts'
import { bead, declare, errorOf, startSession, tokenOf, towns } from './town.ts'

const DIALOG = join(import.meta.dir, '../host/terminal/programs/dialog.ts')

const coverage = new OperationCoverage(
  ({ tag, id }) =>
    tag === 'sessions' &&
    !['lend-session', 'list-session-denials', 'list-session-network', 'list-session-shares'].includes(id),
)
const openTown = towns(coverage)

const TIMESTAMP = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/)

/** A program that echoes its input, and shows a dialog or exits on request. */
const PARROT = `#!/bin/sh
trap '' INT
umask 077; printf %s "$GC_TOKEN" > "$GC_HOME/token.$GC_SESSION_ID"
printf '\\033[2J\\033[H> '
while IFS= read -r line; do
  [ "$line" = quit ] && exit 0
  printf '\\033[2J\\033[Hheard %s\\n> ' "$line"
done
`

/** A program that waits for a person. */
const ASKER = `#!/bin/sh
printf '\\033[2J\\033[HDo you trust the files in this folder?\\n  1. Yes\\n'
exec sleep 600
`

/** A town with the parrot as the agent \`polly\`, which has a prompt and options; and a rig with a pool. */
async function withParrot() {
  const town = await openTown(`prefix = "to"
[providers.parrot]
display_name = "Parrot"
command = "./parrot"
prompt_mode = "none"
ready_prompt_prefix = "> "
env = { COLOUR = "green" }
[[providers.parrot.options_schema]]
key = "size"
default = "small"
[[providers.parrot.options_schema.choices]]
value = "small"
[[providers.parrot.options_schema.choices]]
value = "big"
[[providers.parrot.options_schema]]
key = "permission_mode"
default = "ask"
[[providers.parrot.options_schema.choices]]
value = "ask"
[[providers.parrot.options_schema.choices]]
value = "never"
[providers.asker]
base = "builtin:claude"
command = "./asker"
[[agent]]
name = "asker"
provider = "asker"
[providers.guarded]
base = "builtin:claude"
command = "${process.execPath} ${DIALOG} --log answers"
path_check = "${process.execPath}"
[[agent]]
name = "guarded"
provider = "guarded"
[[rigs]]
name = "web"
path = "."
[[rigs]]
name = "api"
path = "."
[[agent]]
name = "polly"
dir = "web"
provider = "parrot"
[[agent]]
name = "lead"
start_command = "sleep 600"
max_active_sessions = 1
[[named_session]]
name = "lead"
dir = "web"
template = "lead"
[[named_session]]
name = "lead"
dir = "api"
template = "lead"
`)
  for (const [name, text] of [
    ['parrot', PARROT],
    ['asker', ASKER],
  ] as const) {
    const program = join(town.city.path, name)
    writeFileSync(program, text)
    chmodSync(program, 0o755)
  }
  return town
}

const create = async (city: TestCity, body: object) => {
  const accepted = await city.call('POST ~/sessions', { body })
  expect(accepted.body).toEqual({
    status: 'accepted',
    request_id: expect.stringMatching(/^req-/),
    event_cursor: expect.stringMatching(/^\d+$/),
  })
  return city.outcome(accepted.body)
}

describe('a session', () => {
  test('is created with every possible field, and announced by one event', async () => {
    await using town = await withParrot()
    const { city } = town
    const seq = await city.head()
    const body = {
      kind: 'agent',
      name: 'web/polly',
      alias: 'bird',
      title: 'The bird',
      project_id: 'p1',
      options: { size: 'big' },
      message: 'good day',
      async: true,
    }
    const created = await create(city, body)
    expect(created.type).toBe('request.result.session.create')
    const id = created.subject ?? ''
    await city.event(seq, ({ payload }) => JSON.stringify(payload).includes('last_nudge_delivered_at'))
    const token = await tokenOf(town.world, id)
    const work = await bead(city, 'work', { rig: 'web' })
    await city.call(`POST ~/bead/${work}/claim`, { token })
    const { body: shown } = await city.call(`GET ~/session/${id}?peek=true&peek_lines=20`)
    const runtime = shown.session_name
    expect(shown).toMatchObject({
      id,
      kind: 'agent',
      template: 'web/polly',
      state: 'active',
      title: 'The bird',
      alias: 'web/bird',
      provider: 'parrot',
      display_name: 'Parrot',
      session_name: expect.any(String),
      work_dir: city.path,
      created_at: TIMESTAMP,
      last_active: TIMESTAMP,
      attached: false,
      running: true,
      rig: 'web',
      pool: 'web/polly',
      agent_kind: 'pool',
      active_bead: work,
      submission_capabilities: { supports_follow_up: expect.any(Boolean), supports_interrupt_now: expect.any(Boolean) },
      options: { size: 'big' },
      metadata: expect.any(Object),
      last_output: expect.stringContaining('good day'),
    })
    const results = (await city.recorded(seq)).filter(({ type }) => type.startsWith('request.'))
    expect(results).toHaveLength(1)
    for (const name of [id, 'web%2Fbird', runtime]) {
      expect((await city.call(`GET ~/session/${name}`)).body).toMatchObject({ id })
    }
    expect((await city.call('GET ~/sessions?peek=true')).body).toMatchObject({ total: 1, items: [{ id }] })
    expect((await city.call(`GET ~/bead/${id}`)).body).toMatchObject({ issue_type: 'session', status: 'open' })
  })

  test('receives messages now, next and instead, and each has one outcome', async () => {
    await using town = await withParrot()
    const { city } = town
    const { subject: id = '' } = await create(city, { kind: 'agent', name: 'web/polly', alias: 'bird' })
    const seq = await city.head()
    const send = async (operation: string, body: object) => {
      const accepted = await city.call(`POST ~/session/web%2Fbird/${operation}`, { body })
      expect(accepted.status).toBe(202)
      return city.outcome(accepted.body)
    }
    const delivered = await send('messages', { message: 'one' })
    expect(delivered).toMatchObject({ type: 'request.result.session.message', payload: { session_id: id } })
    const now = await send('submit', { message: 'two' })
    expect(now).toMatchObject({ type: 'request.result.session.submit', payload: { intent: 'default' } })
    const next = await send('submit', { message: 'three', intent: 'follow_up' })
    expect(next.payload).toMatchObject({ queued: true, intent: 'follow_up' })
    const { body: shown } = await city.call(`GET ~/session/${id}`)
    expect(shown.last_nudge_delivered_at).toEqual(TIMESTAMP)
    const outcomes = (await city.recorded(seq)).filter(({ type }) => type.startsWith('request.'))
    expect(outcomes).toHaveLength(3)
    const transcript = (await city.call(`GET ~/session/${id}/transcript`)).body
    expect(transcript).toMatchObject({ format: 'text', turns: [{ role: 'output' }] })
    for (const format of ['raw', 'structured']) {
      expect((await city.call(`GET ~/session/${id}/transcript?format=${format}`)).body.format).toBe(format)
    }
    const lost = `GET ~/session/${id}/transcript?after=nowhere`
    expect(await errorOf(city, lost)).toStartWith('409 transcript-cursor-invalidated: ')
    for await (const frame of town.world.follow(`/v0/city/${city.name}/session/${id}/stream`)) {
      expect(frame).toMatchObject({ id: '1', event: 'turn', data: { id, provider: 'parrot' } })
      break
    }
    for await (const frame of town.world.follow(`/v0/city/${city.name}/session/${id}/screen`)) {
      expect(frame).toMatchObject({ event: 'screen', data: { running: true, lines: expect.any(Array) } })
      break
    }
    expect((await city.call(`GET ~/session/${id}/pending`)).body).toMatchObject({ supported: true })
    expect((await city.call(`POST ~/session/${id}/stop`)).body).toEqual({ status: 'ok', id })
    expect((await city.call(`GET ~/session/${id}/prompt`)).body).toEqual({
      agent: 'web/polly',
      content: '',
      warnings: [],
    })
  })

  test('can be renamed, interrupted, killed, suspended, woken and closed, each with its events', async () => {
    await using town = await openTown()
    const { city } = town
    await declare(city, 'mayor', {}, { min_active_sessions: 1, max_active_sessions: 1 })
    const woke = await city.event(0, ({ type }) => type === 'session.woke')
    const id = woke.session_id ?? ''
    const at = `~/session/${id}`
    const renamed = await city.call(`POST ${at}/rename`, { body: { title: 'Boss' } })
    expect(renamed.body).toMatchObject({ id, title: 'Boss' })
    expect((await city.call(`PATCH ${at}`, { body: { title: 'Chief' } })).body.title).toBe('Chief')
    let seq = await city.head()
    const next = async (type: string) => {
      const event = await city.event(seq, (one) => one.type === type)
      seq = event.seq
      return event
    }
    expect((await city.call(`POST ${at}/kill`)).body).toEqual({ status: 'ok', id })
    expect((await next('session.stopped')).payload).toMatchObject({ session_id: id })
    await next('session.woke')
    expect((await city.call(`POST ${at}/suspend`)).body).toEqual({ status: 'ok' })
    await next('session.suspended')
    expect((await city.call(`GET ${at}`)).body).toMatchObject({
      state: 'suspended',
      running: false,
      reason: expect.any(String),
    })
    expect(await city.types(() => city.call(`POST ${at}/kill`))).toEqual([])
    expect(await city.call(`POST ${at}/kill`)).toMatchObject({ status: 200, body: { status: 'ok', id } })
    expect((await city.call(`POST ${at}/wake`)).body).toEqual({ status: 'ok', id })
    await next('session.woke')
    const token = await tokenOf(town.world, id)
    expect((await city.call(`POST ${at}/close`)).body).toEqual({ status: 'ok' })
    await next('bead.closed')
    expect((await city.call('GET ~/beads', { token })).status).toBe(401)
    expect((await city.call(`GET ${at}`)).body).toMatchObject({ id, state: '' })
    expect(await city.call(`POST ${at}/kill`)).toMatchObject({ status: 200, body: { status: 'ok', id } })
    expect((await city.call('GET ~/sessions?state=closed')).body.total).toBeGreaterThan(0)
  })

  test('can report that it is done, and only for itself', async () => {
    await using town = await openTown()
    const { city } = town
    await declare(city, 'mayor', {}, { max_active_sessions: 2 })
    const [one, two] = [await startSession(city, 'mayor'), await startSession(city, 'mayor')]
    expect(await errorOf(city, `POST ~/session/${one.id}/drain-ack`)).toStartWith('403 forbidden: ')
    expect(await errorOf(city, `POST ~/session/${one.id}/drain-ack`, { token: two.token })).toStartWith('403 forb')
    const seq = await city.head()
    const done = await city.call(`POST ~/session/${one.id}/drain-ack`, { token: one.token })
    expect(done.body).toEqual({ status: 'ok', id: one.id })
    const stopped = await city.event(seq, ({ type }) => type === 'session.stopped')
    expect(stopped.payload).toMatchObject({ session_id: one.id })
    expect((await city.call('GET ~/beads', { token: one.token })).status).toBe(401)
  })

  test('drains and continues, reports its activity and conversation id, and is restarted', async () => {
    await using town = await openTown()
    const { city } = town
    await declare(city, 'mayor', {}, { max_active_sessions: 2 })
    const { id, token } = await startSession(city, 'mayor')
    const other = await startSession(city, 'mayor')
    const at = `~/session/${id}`
    const say = async (what: string, body?: object) => (await city.call(`POST ${at}/${what}`, { token, body })).body
    expect(await say('heartbeat', { duration: '5m' })).toEqual({ status: 'ok', id })
    expect(await say('conversation', { key: 'talk-1' })).toEqual({ status: 'ok', id })
    expect(await errorOf(city, `POST ${at}/heartbeat`, { token, body: { duration: 'x' } })).toStartWith('400 invalid-r')
    expect(await errorOf(city, `POST ${at}/heartbeat`, { token: other.token })).toStartWith('403 forbidden: ')
    const named = { token: other.token, body: { key: 'mine' } }
    expect(await errorOf(city, `POST ${at}/conversation`, named)).toStartWith('403 forbidden: ')
    const call = { kind: 'read', paths: ['/etc/hostname'] }
    expect(await say('tool-call', call)).toEqual({ decision: 'ask' })
    expect(await errorOf(city, `POST ${at}/tool-call`, { token: other.token, body: call })).toStartWith('403 forb')
    const work = await bead(city, 'in hand')
    await city.call(`POST ~/bead/${work}/claim`, { token })
    let seq = await city.head()
    expect((await city.call(`POST ${at}/drain`)).body).toEqual({ status: 'ok', id })
    expect((await city.call(`POST ${at}/undrain`)).body).toEqual({ status: 'ok', id })
    for (const type of ['session.draining', 'session.undrained']) await city.event(seq, (event) => event.type === type)
    appendFileSync(join(city.path, 'agents/mayor/agent.toml'), '\n[env]\nMODE = "new"\n')
    const drift = async () => (await city.call('GET ~/sessions/drift')).body.items
    for (let tries = 0; tries < 1000 && (await drift()).length === 0; tries++) await Bun.sleep(20)
    expect(await drift()).toContainEqual({ id, session_name: expect.any(String), template: 'mayor', fields: ['env'] })
    seq = await city.head()
    expect((await city.call(`POST ${at}/restart`, { body: { fresh: true } })).body).toEqual({ status: 'ok', id })
    await city.event(seq, ({ type, session_id }) => type === 'session.woke' && session_id === id)
    expect((await city.call(`GET ~/bead/${work}`)).body).toMatchObject({ status: 'open', assignee: expect.any(String) })
  })

  test('shows its terminal to the holder of a ticket', async () => {
    await using town = await withParrot()
    const { city, world } = town
    const { subject: id = '' } = await create(city, { kind: 'agent', name: 'web/polly' })
    const token = await tokenOf(world, id)
    const ticket = async (body: object) => (await city.call(`POST ~/session/${id}/terminal-ticket`, { body })).body
    const { ticket: secret } = await ticket({ write: true })
    expect(await errorOf(city, `POST ~/session/${id}/terminal-ticket`, { token, body: { write: true } })).toStartWith(
      '403',
    )
    const base = `${world.url.replace('http', 'ws')}/v0/city/${city.name}/session/${id}/terminal`
    const seen = await terminal(`${base}?ticket=${secret}`, 'hello\r', 'heard hello')
    expect(seen).toContain('"type":"snapshot"')
    const upgrade = { Upgrade: 'websocket', Connection: 'Upgrade' }
    for (const query of ['', '?ticket=made-up', `?ticket=${secret}`]) {
      const error = await errorOf(city, `GET ~/session/${id}/terminal${query}`, { headers: upgrade })
      expect(error).toStartWith('403 forbidden: ')
    }
  })
})

/** Types into a terminal until it shows something; returns all output. */
function terminal(url: string, keys: string, until: string): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const socket = new WebSocket(url)
  socket.binaryType = 'arraybuffer'
  let seen = ''
  socket.onopen = () => socket.send(new TextEncoder().encode(keys))
  socket.onmessage = ({ data }) => {
    seen += typeof data === 'string' ? data : new TextDecoder().decode(data)
    if (seen.includes(until)) resolve(seen)
  }
  socket.onclose = () => reject(new Error(`the terminal closed after ${seen}`))
  return promise.finally(() => socket.close())
}

describe('the responses, agents and permission mode of a program', () => {
  test('are rejected where it has none, and its mode can change only while it is suspended', async () => {
    await using town = await withParrot()
    const { city, world } = town
    const { subject: id = '' } = await create(city, { kind: 'agent', name: 'web/polly' })
    const token = await tokenOf(world, id)
    const answer = { body: { action: 'allow' } }
    expect(await errorOf(city, `POST ~/session/${id}/respond`, answer)).toStartWith('409 session-conflict: ')
    expect(await errorOf(city, `POST ~/session/${id}/respond`, { ...answer, token })).toStartWith('403 forbidden: ')
    expect((await city.call(`GET ~/session/${id}/agents`)).body).toEqual({ agents: [] })
    expect(await errorOf(city, `GET ~/session/${id}/agents/one`)).toStartWith('404 agent-not-found: ')
    expect(await errorOf(city, `GET ~/session/${id}/agents/a%2Fb`)).toStartWith('400 invalid-request: ')
    const choose = (permission_mode: string) => ({ body: { permission_mode } })
    const mode = `POST ~/session/${id}/permission-mode`
    expect(await errorOf(city, mode, choose('never'))).toStartWith('409 session-conflict: ')
    await city.call(`POST ~/session/${id}/suspend`)
    expect(await errorOf(city, mode, choose('always'))).toStartWith('400 invalid-request: ')
    expect((await city.call(mode, choose('never'))).body.options).toMatchObject({ permission_mode: 'never' })
    await declare(city, 'plain', {}, { max_active_sessions: 1 })
    const other = await startSession(city, 'plain')
    await city.call(`POST ~/session/${other.id}/suspend`)
    const plain = `POST ~/session/${other.id}/permission-mode`
    expect(await errorOf(city, plain, choose('never'))).toStartWith('501 not-implemented: ')
  })
})

/** The pending interaction of a session, once there is one. */
async function pendingInteraction(city: TestCity, id: string): Promise<Record<string, unknown>> {
  for (let tries = 0; tries < 1000; tries++) {
    const { body } = await city.call(`GET ~/session/${id}/pending`)
    if (body.pending) return body
    await Bun.sleep(20)
  }
  throw new Error(`session ${id} never asked`)
}

describe('a session that waits for a person', () => {
  test('shows the options of its dialog and selects the chosen one', async () => {
    await using town = await withParrot()
    const { city } = town
    const { subject: id = '' } = await create(city, { kind: 'agent', name: 'guarded' })
    const { pending, supported } = await pendingInteraction(city, id)
    expect({ pending, supported }).toEqual({
      supported: true,
      pending: {
        request_id: expect.stringMatching(/^screen-[0-9a-f]{8}-\d+$/),
        kind: 'trust',
        prompt: expect.stringContaining('whether to trust its folder'),
        options: ['Yes, I trust this folder', 'Yes, and the folder above', 'No, exit'],
        metadata: { source: 'terminal' },
      },
    })
    const { request_id } = Object(pending)
    const listed = await city.call('GET ~/pending')
    expect(listed.body.items).toEqual([{ session_id: id, request_id, kind: 'trust' }])
    const answer = (body: object) => ({ body })
    const respond = `POST ~/session/${id}/respond`
    expect(await errorOf(city, respond, answer({ action: 'perhaps' }))).toBe(
      '422 validation-failed: "perhaps" is not an answer to this question; it can be answered with 1, 2, 3',
    )
    expect(await errorOf(city, respond, answer({ action: '2', request_id: 'screen-0' }))).toStartWith(
      '409 session-conflict: invalid_interaction: ',
    )
    const seq = await city.head()
    const taken = await city.call(respond, answer({ action: '2', request_id }))
    expect([taken.status, taken.body]).toEqual([202, { status: 'accepted', id }])
    expect(readFileSync(join(city.path, 'answers'), 'utf8')).toBe('Yes, and the folder above\n')
    const answered = (await city.recorded(seq)).filter(({ type }) => type === 'session.answered')
    const payload = { session_id: id, request_id, choice: 'Yes, and the folder above' }
    expect(answered).toMatchObject([{ subject: id, payload }])
    expect((await city.call(`GET ~/session/${id}/pending`)).body).toEqual({ supported: true })
    expect(await errorOf(city, respond, answer({ action: '2', request_id }))).toStartWith(
      '409 session-conflict: no_pending: session has no pending interaction; question:1 was answered with "Yes, and the',
    )
    expect((await city.call(`GET ~/session/${id}/questions`)).body.items).toMatchObject([
      {
        ...{
          id: 'question:1',
          session_id: id,
          kind: 'trust',
          state: 'answered',
          folder: city.path,
          answered_by: 'human',
        },
        ...{ choice: 'Yes, and the folder above', answered_at: expect.any(String), ended_at: expect.any(String) },
      },
    ])
  })

  test('shows its dialog, and responds 501 to a decision if the options cannot be read', async () => {
    await using town = await withParrot()
    const { city } = town
    const { subject: id = '' } = await create(city, { kind: 'agent', name: 'asker' })
    expect(await pendingInteraction(city, id)).toMatchObject({
      supported: true,
      pending: {
        request_id: expect.stringMatching(/^screen-[0-9a-f]{8}-\d+$/),
        kind: 'trust',
        prompt: expect.stringContaining('Do you trust'),
        metadata: { source: 'terminal' },
      },
    })
    const answer = { action: 'approve' }
    const respond = (more: object) => errorOf(city, `POST ~/session/${id}/respond`, { body: { ...answer, ...more } })
    expect(await respond({})).toStartWith('501 not-implemented: ')
    expect(await respond({ request_id: 'screen-0' })).toStartWith('409 session-conflict: invalid_interaction')
  })
})

describe('a configured session', () => {
  test('is created on its first wake, under its own name and with its prompt', async () => {
    await using town = await openTown('global_fragments = ["house"]\n[[named_session]]\ntemplate = "mayor"\n')
    const { city } = town
    await declare(city, 'mayor', {}, { max_active_sessions: 1, prompt: 'You are {{.AgentName}}.' })
    expect(await errorOf(city, 'POST ~/session/mayor/suspend')).toStartWith(
      '409 session-conflict: illegal_transition: ',
    )
    expect((await city.call('GET ~/sessions?state=all')).body.total).toBe(0)
    expect((await city.call('POST ~/session/mayor/wake')).status).toBe(200)
    const woke = await city.event(0, ({ type }) => type === 'session.woke')
    expect((await city.call('GET ~/session/mayor')).body).toMatchObject({
      id: woke.session_id,
      configured_named_session: true,
      running: true,
    })
    expect((await city.call('GET ~/session/mayor/prompt')).body).toEqual({
      agent: 'mayor',
      content: 'You are mayor.',
      warnings: ['agents/mayor/prompt.template.md: there is no fragment "house" to put behind it'],
    })
  })
})

describe('lists of sessions', () => {
  test('are filtered and paged newest first', async () => {
    await using town = await withParrot()
    const { city } = town
    await city.call('PATCH ~', { body: { suspended: true } })
    for (const alias of ['a', 'b', 'c']) {
      const accepted = await city.call('POST ~/sessions', { body: { kind: 'agent', name: 'web/polly', alias } })
      expect(accepted.status).toBe(202)
    }
    const first = (await city.call('GET ~/sessions?limit=2')).body
    expect(first).toMatchObject({ total: 3, items: [{ alias: 'web/c' }, { alias: 'web/b' }] })
    const second = (await city.call(`GET ~/sessions?limit=2&cursor=${first.next_cursor}`)).body
    expect(second).toMatchObject({ total: 3, items: [{ alias: 'web/a' }] })
    expect((await city.call('GET ~/sessions?template=web/polly&state=open')).body.total).toBe(3)
    expect((await city.call('GET ~/sessions?state=active')).body.total).toBe(0)
    expect(await errorOf(city, 'GET ~/sessions?cursor=garbage')).toStartWith('400 invalid-cursor: ')
  })
})

describe('an invalid session request', () => {
  test('is rejected on creation', async () => {
    await using town = await withParrot()
    const { city } = town
    const say = (body: object) => errorOf(city, 'POST ~/sessions', { body })
    expect(await say({ name: 'polly' })).toStartWith('400 invalid-request: ')
    expect(await say({ kind: 'agent' })).toStartWith('400 invalid-request: ')
    expect(await say({ kind: 'agent', name: 'nobody' })).toStartWith('404 agent-not-found: ')
    expect(await say({ kind: 'provider', name: 'nothing' })).toStartWith('404 provider-not-found: ')
    expect(await say({ kind: 'agent', name: 'web/polly', alias: 'a b' })).toStartWith('400 invalid-request: ')
    expect(await say({ kind: 'agent', name: 'web/polly', options: { size: 'huge' } })).toStartWith('400 invalid-')
    expect(await say({ kind: 'agent', name: 'web/polly', session_name: 'x' })).toStartWith('400 invalid-request: ')
    expect(await say({ kind: 'provider', name: 'claude' })).toStartWith('503 service-unavailable: ')
  })

  test('is rejected by every operation for an unknown session, and for an ambiguous name', async () => {
    await using town = await withParrot()
    const { city, world } = town
    const document = (await world.call('GET /openapi.json')).body
    const about = operationsOf(document).filter(({ path }) => path.includes('/session/{id}'))
    expect(about.length).toBeGreaterThan(15)
    for (const operation of about) {
      const headers: Record<string, string> =
        operation.kind === 'socket' ? { Upgrade: 'websocket', Connection: 'Upgrade' } : {}
      const body = operation.method === 'PATCH' ? { title: 'x' } : least(document, operation.body)
      const options = { headers, ...(operation.body && { body }) }
      const at = (id: string) =>
        `${operation.method} ${operation.path
          .replace('/v0/city/{cityName}', '~')
          .replace('{id}', id)
          .replace(/\{\w+\}/g, 'x')}`
      expect(`${operation.id} ${await errorOf(city, at('ghost'), options)}`).toStartWith(
        `${operation.id} 404 session-not-found: `,
      )
      expect(`${operation.id} ${await errorOf(city, at('lead'), options)}`).toStartWith(
        `${operation.id} 409 session-conflict: ambiguous: "lead" may mean `,
      )
    }
  })

  test('is rejected when it conflicts with the configuration or with another name', async () => {
    await using town = await openTown()
    const { city } = town
    await declare(city, 'mayor', {}, { min_active_sessions: 1, max_active_sessions: 3 })
    const woke = await city.event(0, ({ type }) => type === 'session.woke')
    const [own, first, second] = [
      woke.session_id ?? '',
      await startSession(city, 'mayor', { alias: 'a' }),
      await startSession(city, 'mayor'),
    ]
    const patch = (id: string, body: object) => errorOf(city, `PATCH ~/session/${id}`, { body })
    expect(await patch(second.id, { alias: 'a' })).toStartWith('409 session-conflict: ')
    expect(await patch(second.id, { alias: 'a b' })).toStartWith('400 invalid-request: ')
    expect(await patch(second.id, {})).toStartWith('422 validation-failed: ')
    expect(await patch(own, { alias: 'mine' })).toStartWith('403 forbidden: ')
    expect(await patch(first.id, { title: 't'.repeat(1025) })).toStartWith('422 validation-failed: ')
  })
})

describe('a request for a session', () => {
  const LIMITED = `[[agent]]
name = "single"
start_command = "sleep 600"
max_active_sessions = 1
[[agent]]
name = "slow"
start_command = "sleep 600"
pre_start = ["sleep 5"]
`
  const ask = async (city: TestCity, name: string): Promise<string> =>
    (await city.call('POST ~/sessions', { body: { kind: 'agent', name } })).body.request_id

  test('reports what it waits for, and is undone before its session begins', async () => {
    await using town = await openTown(LIMITED)
    const { city } = town
    const first = await create(city, { kind: 'agent', name: 'single' })
    const request = await ask(city, 'single')
    const waiting = (await city.call(`GET ~/sessions/request/${request}`)).body
    expect(waiting).toMatchObject({
      request_id: request,
      operation: 'session.create',
      waits_for: expect.stringContaining('single has 1 of 1 sessions'),
    })
    const seq = await city.head()
    const withdrawn = await city.call(`DELETE ~/sessions/request/${request}`)
    expect([withdrawn.status, withdrawn.body]).toEqual([200, { status: 'ok', id: waiting.session_id }])
    const happened = (await city.recorded(seq)).map(({ type, subject = '' }) => `${type} ${subject}`)
    expect(happened).toEqual([`bead.closed ${waiting.session_id}`, 'request.failed '])
    for (const method of ['GET', 'DELETE']) {
      const gone = await city.call(`${method} ~/sessions/request/${request}`)
      expect([gone.status, gone.body.code]).toEqual([404, 'request-not-found'])
    }
    const usage = await city.call(`GET ~/session/${first.subject}/usage`)
    expect(usage.body).toMatchObject({ session_id: first.subject, invocations: 0 })
  })

  test('is not undone once its session has begun', async () => {
    await using town = await openTown(LIMITED)
    const { city } = town
    const request = await ask(city, 'slow')
    const sessions = async () => (await city.call('GET ~/sessions?template=slow')).body.items
    await eventually(
      'it has begun',
      10_000,
      sessions,
      ([row]: { state: string }[]) => row !== undefined && row.state !== 'start-pending',
    )
    const { status, body } = await city.call(`DELETE ~/sessions/request/${request}`)
    expect([status, body.code]).toEqual([409, 'session-conflict'])
  })
})

describe('the sub-agents of a session', () => {
  const SCRIBE = `
[providers.scribe]
base = "builtin:claude"
command = "./parrot"
prompt_mode = "none"
ready_prompt_prefix = "> "
env = { HOME = "./scribes" }
[[agent]]
name = "clerk"
provider = "scribe"
`

  test('are listed, each with its conversation', async () => {
    await using town = await openTown(SCRIBE)
    const { city } = town
    writeFileSync(join(city.path, 'parrot'), PARROT)
    chmodSync(join(city.path, 'parrot'), 0o755)
    await city.call('PATCH ~/provider/scribe', { body: { env: { HOME: join(city.path, 'scribes') } } })
    const { id } = await startSession(city, 'clerk')
    const logs = join(city.path, 'scribes', '.claude', 'projects', city.path.replace(/[/.]/g, '-'))
    const lines = (...records: object[]) => `${records.map((record) => JSON.stringify(record)).join('\n')}\n`
    write(join(logs, 'k.jsonl'), lines(claude.user('u1', null, 'Look', 1), claude.says('a1', 'u1', 'Looking', 2)))
    const said = [claude.user('s0', null, 'Search', 3), claude.says('s1', 's0', 'A subtle fault', 4)]
    const records = said.map((record) => ({ ...record, isSidechain: true, agentId: 'a1b2c3' }))
    write(join(logs, 'k', 'subagents', 'agent-a1b2c3.jsonl'), lines(...records))
    const list = async () => (await city.call(`GET ~/session/${id}/agents`)).body.agents
    const agents = await eventually('the log of the sub-agent', 10_000, list, ({ length }) => length > 0)
    expect(agents).toMatchObject([{ agent_id: 'a1b2c3' }])
    const { body } = await city.call(`GET ~/session/${id}/agents/a1b2c3`)
    expect(JSON.stringify(body.messages)).toContain('A subtle fault')
    const transcript = `GET ~/session/${id}/agents/a1b2c3/transcript`
    expect((await city.call(transcript)).body.turns).toMatchObject([{ text: 'Search' }, { text: 'A subtle fault' }])
    for (const [name, error] of [
      ['one', '404 agent-not-found: '],
      ['a%2Fb', '400 invalid-request: '],
    ]) {
      expect(await errorOf(city, `GET ~/session/${id}/agents/${name}/transcript`)).toStartWith(`${error}`)
    }
  })
})

describe('the operations on sessions', () => {
  test('are covered with success and every declared error', () => {
    expect(coverage.uncovered()).toEqual([
      // No program in these tests reports subagents.
      // The title of a session has the same limit as that of any bead: 422.
      'post-v0-city-by-city-name-session-by-id-rename invalid-request',
      // Its worktree cannot be saved: test/agents/worktrees/snapshots.
      'restart-session service-unavailable',
      // The WebSocket is opened by the test above, not by a call.
      'attach-terminal never succeeded',
      'post-v0-city-by-city-name-session-by-id-wake invalid-request',
    ])
  })

  test('fill every response field except those that need a program with a log', () => {
    const logged =
      /^(SessionStructured|SessionStream|PaginationInfo|HeartbeatEvent|SessionActivity|SessionPendingCleared)/
    const own = coverage.emptyFields().filter((field) => !logged.test(field) && !field.endsWith('.pagination'))
    expect(own).toEqual([
      'AgentMapping.parent_tool_use_id',
      'ListBodySessionResponse.partial',
      'ListBodySessionResponse.partial_errors',
      'QuestionList.next_cursor',
      'QuestionList.partial',
      'QuestionList.partial_errors',
      'QuestionView.bead_id',
      'QuestionView.choice_text',
      'QuestionView.rule',
      'SessionResponse.activity',
      'SessionResponse.context_pct',
      'SessionResponse.context_window',
      'SessionResponse.model',
    ])
  })
})
