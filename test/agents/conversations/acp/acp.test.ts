import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { human } from '../../../../src/http/guard.ts'
import { AGENT } from '../../../host/acp/agent-host.ts'
import { tempFolder } from '../../../support/folder.ts'
import { until } from '../../../support/until.ts'
import { answer, openHttp } from '../../sessions/http-world.ts'

/** An agent that is spoken to by protocol; it follows instructions. */
const spoken = (name: string, more = '', env = '') => `
[[agent]]
name = "${name}"
session = "acp"
start_command = '''umask 077; printf %s "$GC_TOKEN" > "$GC_HOME/token.$GC_SESSION_ID"; ${env} exec ${AGENT.join(' ')}'''
${more}
`

/** In milliseconds, for what takes other processes. */
const LONG = 10_000

/** A city with the agent `polly`, and one session of it that is up. */
async function withPolly(agents = spoken('polly'), message = 'say hello there') {
  const http = await openHttp(agents)
  const { world } = http
  const { body } = await answer(http.post('/sessions', { kind: 'agent', name: 'polly', message }))
  const created = await world.event('request.result.session.create', (event) => fits(event.payload, body.request_id))
  const id = String(Object(Object(created.payload).session).id)
  const row = () => world.city.sessionRepository.get(id)
  const records = () =>
    world.city.sessionServices.conversations.recordsAfter(id, 0).map(({ body: text }) => JSON.parse(text))
  return {
    ...http,
    id,
    records,
    row,
    key: () => row().hostKey ?? '',
    done: (count: number) => until(() => records().filter(({ type }) => type === 'done').length >= count, LONG),
    submit: async (message: string, intent = 'default') => {
      const accepted = await answer(http.post(`/session/${id}/submit`, { message, intent }))
      const ended = () =>
        world.city.log.after(0, 100_000).find(({ payload }) => fits(payload, accepted.body.request_id))
      await until(() => ended() !== undefined, LONG)
      return ended()
    },
    pendingQuestion: async () => {
      await until(() => world.city.sessionServices.conversations.questions(row().hostKey ?? '').length > 0, LONG)
      const { body: shown } = await answer(http.get(`/session/${id}/pending`))
      return Object(shown.pending)
    },
    respond: (body: object, token?: string) => answer(http.post(`/session/${id}/respond`, body, token)),
    [Symbol.asyncDispose]: () => http[Symbol.asyncDispose](),
  }
}

const fits = (payload: unknown, request: unknown) => Object(payload).request_id === request

describe('an ACP session', () => {
  test('is created with its first message, accepts more, and shows its output', async () => {
    await using polly = await withPolly()
    await polly.done(1)
    expect(await polly.submit('say and good bye')).toMatchObject({
      type: 'request.result.session.submit',
      payload: { queued: false, intent: 'default' },
    })
    await polly.done(2)
    expect(polly.records().map(({ type }) => type)).toEqual([
      'ready',
      'turn',
      'update',
      'done',
      'turn',
      'update',
      'done',
    ])
    const { body } = await answer(polly.get(`/session/${polly.id}`))
    expect(body).toMatchObject({
      running: true,
      submission_capabilities: { supports_follow_up: false, supports_interrupt_now: true },
    })
    expect(polly.world.reports).toEqual([])
  })

  test('does not support follow-up messages, and has no terminal', async () => {
    await using polly = await withPolly()
    expect(await polly.submit('say later', 'follow_up')).toMatchObject({
      type: 'request.failed',
      payload: { error_code: 'submit_failed' },
    })
    const ticket = await answer(polly.post(`/session/${polly.id}/terminal-ticket`, {}))
    expect(ticket).toMatchObject({ status: 409, body: { code: 'session-conflict' } })
  })

  test('receives a message after its turn, or in place of its turn', async () => {
    await using polly = await withPolly()
    await polly.done(1)
    await polly.submit('wait for ever')
    const second = polly.submit('say second')
    await until(() => polly.world.city.sessionServices.queue.counts().get(polly.id) === 1)
    await polly.submit('say now', 'interrupt_now')
    await second
    await polly.done(4)
    const turns = polly.records().flatMap((record) => (record.type === 'turn' ? [record.text] : []))
    expect(turns.slice(1)).toEqual(['wait for ever', 'say now', 'say second'])
    expect(polly.records().find(({ type, reason }) => type === 'done' && reason === 'cancelled')).toBeDefined()
  })

  test('asks for a permission, is shown to wait, and receives the answer', async () => {
    await using polly = await withPolly()
    await polly.done(1)
    expect((await polly.respond({ action: 'approve' })).body).toMatchObject({ status: 409, code: 'session-conflict' })
    await polly.submit('ask left')
    const pending = await polly.pendingQuestion()
    expect(pending).toEqual({
      request_id: expect.stringMatching(/^permission-/),
      kind: 'approval',
      prompt: 'Allow make left?',
      options: ['Yes', 'Always', 'No'],
      metadata: { tool_call_id: 'left', tool_name: 'execute', source: 'acp' },
    })
    expect((await answer(polly.get('/pending'))).body).toEqual({
      items: [{ session_id: polly.id, request_id: pending.request_id, kind: 'approval' }],
      total: 1,
    })
    expect(await polly.respond({ action: 'shrug' })).toMatchObject({ status: 422 })
    expect((await polly.respond({ action: 'approve', request_id: 'other' })).body.detail).toStartWith(
      'invalid_interaction',
    )
    expect(await polly.respond({ action: 'allow', request_id: pending.request_id })).toEqual({
      status: 202,
      body: { status: 'accepted', id: polly.id },
    })
    expect((await answer(polly.get(`/session/${polly.id}/pending`))).body).toEqual({ supported: true })
    expect((await polly.respond({ action: 'allow' })).body.detail).toStartWith('no_pending')
    await polly.done(2)
    expect(polly.world.recorded().filter((event) => /session\.(asked|answered)/.test(event))).toEqual([
      `session.asked ${polly.id}`,
      `session.answered ${polly.id}`,
    ])
  })

  test('asks two questions at the same time, and each is answered by its request id', async () => {
    await using polly = await withPolly()
    await polly.submit('ask left right')
    const left = await polly.pendingQuestion()
    await until(() => polly.world.city.sessionServices.conversations.questions(polly.key()).length === 2)
    const [, right] = polly.world.city.sessionServices.conversations.questions(polly.key())
    expect(await polly.respond({ action: 'deny', request_id: right?.request })).toMatchObject({ status: 202 })
    expect((await polly.pendingQuestion()).request_id).toBe(left.request_id)
    expect(await polly.respond({ action: 'approve_always' })).toMatchObject({ status: 202 })
    await polly.done(2)
    expect(JSON.stringify(polly.records())).toContain('left: ever')
  })

  test('no session answers it, its own included, unless their agent may respond', async () => {
    await using polly = await withPolly(spoken('polly') + spoken('boss', 'may = ["respond"]'))
    const { body } = await answer(polly.post('/sessions', { kind: 'agent', name: 'boss' }))
    await polly.world.event('request.result.session.create', (event) => fits(event.payload, body.request_id))
    await polly.submit('ask it')
    await polly.pendingQuestion()
    const tokenOf = (template: string) => {
      const [row] = polly.world.city.sessionRepository.liveByTemplate(template)
      return polly.world.token(row?.id ?? '')
    }
    expect(await polly.respond({ action: 'approve' }, await tokenOf('polly'))).toMatchObject({ status: 403 })
    expect(await polly.respond({ action: 'approve' }, await tokenOf('boss'))).toMatchObject({ status: 202 })
  })

  test('still asks after a restart of the supervisor, and no output is missing or duplicated', async () => {
    await using polly = await withPolly()
    await polly.done(1)
    await polly.submit('ask it')
    const before = await polly.pendingQuestion()
    await polly.world.down()
    await polly.world.up()
    expect((await polly.pendingQuestion()).request_id).toBe(before.request_id)
    await polly.world.city.sessions.messaging.respond(polly.id, human, { action: 'approve' })
    await polly.done(2)
    const seqs = polly.records().map(({ seq }) => seq)
    expect(seqs).toEqual(seqs.map((_: number, at: number) => at + 1))
  })

  test('resumes its conversation when it is started again', async () => {
    await using polly = await withPolly(spoken('polly', '', 'export HISTORY=1;'))
    await polly.done(1)
    await polly.post(`/session/${polly.id}/suspend`)
    await polly.post(`/session/${polly.id}/wake`)
    await until(() => polly.records().filter(({ type }) => type === 'ready').length === 2, LONG)
    const [first, second] = polly.records().filter(({ type }) => type === 'ready')
    expect(second).toMatchObject({ resumed: true, conversation: first.conversation })
  })

  test('starts in the mode that was chosen while it was asleep', async () => {
    await using polly = await withPolly(spoken('polly', '', 'export MODES=build,plan;'))
    const choose = (permission_mode: string) =>
      answer(polly.post(`/session/${polly.id}/permission-mode`, { permission_mode }))
    await polly.done(1)
    await polly.post(`/session/${polly.id}/suspend`)
    expect(await choose('fly')).toMatchObject({ status: 400 })
    expect(await choose('plan')).toMatchObject({ status: 200 })
    await polly.post(`/session/${polly.id}/wake`)
    await until(() => polly.records().filter(({ type }) => type === 'ready').length === 2)
    expect(polly.records().findLast(({ type }) => type === 'ready')).toMatchObject({ mode: 'plan' })
  })

  test('changes to the mode that is chosen while it runs, immediately and after its next start', async () => {
    await using polly = await withPolly(spoken('polly', '', 'export MODES=build,plan;'))
    const choose = (permission_mode: string) =>
      answer(polly.post(`/session/${polly.id}/permission-mode`, { permission_mode }))
    await polly.done(1)
    expect(await choose('fly')).toMatchObject({ status: 400, body: { code: 'invalid-request' } })
    expect(await choose('plan')).toMatchObject({ status: 200, body: { id: polly.id, state: 'active' } })
    const modes = () =>
      polly.records().flatMap((record) => (record.type === 'update' ? (record.update.currentModeId ?? []) : []))
    await until(() => modes().length > 0)
    expect(modes()).toEqual(['plan'])
    await polly.post(`/session/${polly.id}/suspend`)
    await polly.post(`/session/${polly.id}/wake`)
    await until(() => polly.records().filter(({ type }) => type === 'ready').length === 2)
    expect(polly.records().findLast(({ type }) => type === 'ready')).toMatchObject({ mode: 'plan' })
  })

  test('of an agent without modes keeps its mode', async () => {
    await using polly = await withPolly()
    await polly.done(1)
    const { status, body } = await answer(
      polly.post(`/session/${polly.id}/permission-mode`, { permission_mode: 'plan' }),
    )
    expect([status, body.code]).toEqual([501, 'not-implemented'])
  })

  test('uses the model that its agent declares, or names the available ones', async () => {
    const models = (model: string) =>
      spoken('polly', `option_defaults = { model = "${model}" }`, 'export MODELS=small,large;')
    await using polly = await withPolly(models('large'))
    await polly.done(1)
    expect(polly.records().find(({ type }) => type === 'ready')).toMatchObject({ model: 'large' })
    await using other = await withPolly(models('huge'))
    await other.done(1)
    expect(other.records().slice(0, 2)).toMatchObject([
      { type: 'ready', model: 'small' },
      { type: 'error', message: 'the agent has no model "huge" and keeps small; it has small, large' },
    ])
  })

  test('receives the MCP servers that are declared for it, and reports those it cannot reach', async () => {
    const folder = tempFolder()
    const log = folder.at('log')
    const servers = `[mcp_servers.files]
command = "./files"
args = ["--all"]
env = { ROOT = "/srv" }
[mcp_servers.web]
url = "http://127.0.0.1:9/mcp"
agents = ["polly"]
[mcp_servers.other]
command = "other"
agents = ["molly"]
`
    const agents = spoken('polly', '', `export LOG=${log};`) + spoken('molly')
    await using polly = await withPolly(servers + agents)
    await polly.done(1)
    const messages = readFileSync(log, 'utf8')
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line))
    const opened = messages.find(({ method }) => method === 'session/new')
    const files = { name: 'files', command: polly.world.folder.at('city', 'files'), args: ['--all'] }
    expect(opened.params.mcpServers).toEqual([{ ...files, env: [{ name: 'ROOT', value: '/srv' }] }])
    expect(polly.records()[1]).toMatchObject({
      type: 'error',
      message: 'the agent cannot use MCP server web: it reaches none by http',
    })
    folder[Symbol.dispose]()
  })

  test('is not idle during a turn, however silent it is', async () => {
    await using polly = await withPolly(spoken('polly', 'sleep_after_idle = "200ms"'), 'wait for ever')
    await until(() => polly.records().some(({ type }) => type === 'turn'), LONG)
    const looked = polly.world.city.clock.monotonic()
    while (polly.world.city.clock.monotonic() < looked + 600) {
      await polly.world.city.reconciler.settle()
      await Bun.sleep(20)
    }
    expect(polly.row().state).toBe('active')
    await polly.post(`/session/${polly.id}/stop`)
    await polly.world.event('session.stopped')
    expect(polly.row().state).toBe('asleep')
  })

  test('is held with its agent until the usage limit of its model ends', async () => {
    await using http = await openHttp(spoken('polly', 'max_active_sessions = 1'))
    const { world } = http
    await world.work('too much', 'polly')
    const { session_id: id = '' } = await world.event('session.woke')
    await http.post(`/session/${id}/submit`, { message: 'limit' })
    await world.event('session.quarantined')
    const row = world.city.sessionRepository.get(id)
    expect(row).toMatchObject({ state: 'quarantined', reason: 'rate_limit', failures: 0 })
    expect(row.quarantinedUntil).toBeGreaterThan(Date.now() + 40_000)
    const reason = 'Usage limit reached, try again at noon'
    expect(world.city.limits.all()).toMatchObject([{ login: 'agent:polly', state: 'limited', reason }])
    expect(world.recorded().filter((event) => event.startsWith('session.crashed'))).toEqual([])
    expect(await world.running()).toEqual([])
  })

  test('that cannot be started reports what to do', async () => {
    await using http = await openHttp(spoken('polly', '', 'export LOGIN=1;'))
    const { body } = await answer(http.post('/sessions', { kind: 'agent', name: 'polly' }))
    const failed = await http.world.event('request.failed', (event) => fits(event.payload, body.request_id), 20_000)
    expect(failed.payload).toMatchObject({ error_code: 'create_failed' })
    expect(JSON.stringify(failed.payload)).toContain('the agent must be logged in first: run `agent login`')
  })
})
