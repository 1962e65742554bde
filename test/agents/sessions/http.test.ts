import { describe, expect, test } from 'bun:test'
import { tempFolder } from '../../support/folder.ts'
import { eventually, until } from '../../support/until.ts'
import { answer, openHttp, parrot } from './http-world.ts'
import { agent, WAITS } from './world.ts'

async function withParrot(more: object = {}) {
  const folder = tempFolder()
  const http = await openHttp(parrot(folder.at('parrot')))
  const accepted = await answer(http.post('/sessions', { kind: 'agent', name: 'parrot', alias: 'polly', ...more }))
  const created = await http.world.event('request.result.session.create')
  // Who it is has been typed into it: what is typed from now on is not mixed with that.
  await until(() => http.world.city.sessionRepository.get(created.subject ?? '').nudgedAt !== null)
  return {
    ...http,
    accepted,
    id: created.subject ?? '',
    async [Symbol.asyncDispose]() {
      await http[Symbol.asyncDispose]()
      folder[Symbol.dispose]()
    },
  }
}

/** Reads a stream as it arrives. */
function textOf(response: Response) {
  let seen = ''
  const read = async () => {
    for await (const chunk of response.body ?? []) seen += new TextDecoder().decode(chunk)
    return seen
  }
  return { whole: read(), until: (text: string) => until(() => seen.includes(text)) }
}

describe('session operations', () => {
  test('create, list, get, rename and close sessions', async () => {
    await using http = await openHttp(agent('mayor', WAITS))
    const create = { kind: 'agent', name: 'mayor', title: 'The mayor', project_id: 'p1', message: 'hello' }
    const accepted = await answer(http.post('/sessions', create))
    expect(accepted.status).toBe(202)
    const { subject: id = '' } = await http.world.event('request.result.session.create')
    const shown = await answer(http.get(`/session/${id}`))
    expect(shown.body).toEqual({
      id,
      kind: 'agent',
      template: 'mayor',
      state: 'active',
      title: 'The mayor',
      provider: 'command',
      session_name: expect.stringMatching(/^mayor-adhoc-[0-9a-f]{10}$/),
      work_dir: http.world.folder.at('city'),
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
      last_active: expect.any(String),
      attached: false,
      running: true,
      pool: 'mayor',
      agent_kind: 'pool',
      submission_capabilities: { supports_follow_up: true, supports_interrupt_now: true },
      metadata: { real_world_app_project_id: 'p1', template_overrides: '{"initial_message":"hello"}' },
    })
    expect((await answer(http.get('/sessions?state=active,asleep&template=mayor'))).body).toMatchObject({ total: 1 })
    expect((await answer(http.get('/sessions?state=asleep'))).body).toMatchObject({ items: [], total: 0 })
    const renamed = await answer(http.patch(`/session/${id}`, { title: 'Boss', alias: 'boss' }))
    expect(renamed.body).toMatchObject({ title: 'Boss', alias: 'boss' })
    expect((await answer(http.post('/session/boss/close'))).body).toEqual({ status: 'ok' })
    expect((await answer(http.get('/sessions'))).body).toMatchObject({ items: [], total: 0 })
    expect((await answer(http.get('/sessions?state=closed'))).body).toMatchObject({ total: 1, items: [{ state: '' }] })
    expect((await answer(http.get('/session/boss'))).body).toMatchObject({ id, state: '' })
  })

  test('list pages newest first', async () => {
    await using http = await openHttp(agent('mayor', WAITS))
    await http.world.city.store.write((tx) => http.world.city.suspensions.set(tx, 'city', '', true, false))
    for (const alias of ['a', 'b', 'c']) await http.post('/sessions', { kind: 'agent', name: 'mayor', alias })
    const first = await answer(http.get('/sessions?limit=2'))
    expect(first.body).toMatchObject({ total: 3, items: [{ alias: 'c' }, { alias: 'b' }] })
    const second = await answer(http.get(`/sessions?limit=2&cursor=${first.body.next_cursor}`))
    expect(second.body).toMatchObject({ total: 3, items: [{ alias: 'a' }] })
    expect(second.body.next_cursor).toBeUndefined()
    expect((await answer(http.get('/sessions?cursor=nonsense'))).body).toMatchObject({ code: 'invalid-cursor' })
  })

  test('reject invalid requests with their reasons', async () => {
    await using http = await openHttp(`${agent('mayor', WAITS, 'max_active_sessions = 1')}${agent('worker', WAITS)}`)
    const errorOf = async (response: Promise<Response>) => {
      const { status, body } = await answer(response)
      return `${status} ${body.code}: ${body.detail}`
    }
    const create = (body: object) => errorOf(http.post('/sessions', body))
    expect(await create({ name: 'mayor' })).toBe("400 invalid-request: kind must be 'agent' or 'provider'")
    expect(await create({ kind: 'agent' })).toBe('400 invalid-request: name is required')
    expect(await create({ kind: 'agent', name: 'nobody' })).toBe("404 agent-not-found: agent 'nobody' not found")
    expect(await create({ kind: 'provider', name: 'nothing' })).toStartWith('404 provider-not-found: provider')
    expect(await create({ kind: 'agent', name: 'mayor', session_name: 'x' })).toBe(
      '400 invalid-request: session_name is no longer accepted; use alias',
    )
    expect(await create({ kind: 'agent', name: 'mayor', alias: 's-1' })).toStartWith('400 invalid-request: invalid: ')
    expect(await create({ kind: 'agent', name: 'mayor', options: { model: 'x' } })).toStartWith('400 invalid-request')
    expect(await create({ kind: 'agent', name: 'mayor', colour: 'red' })).toStartWith('422 validation-failed')
    expect(await errorOf(http.get('/session/nobody'))).toBe(
      '404 session-not-found: not_found: session not found: "nobody"',
    )
    expect(await errorOf(http.post('/session/nobody/messages', { message: 'hi' }))).toBe(
      '404 session-not-found: session "nobody" not found and not a configured named session',
    )
    expect(await errorOf(http.post('/session/nobody/submit', { message: 'hi', intent: 'interrupt' }))).toStartWith(
      '422',
    )
    await http.post('/sessions', { kind: 'agent', name: 'worker', alias: 'w' })
    await http.world.event('request.result.session.create')
    await http.post('/sessions', { kind: 'agent', name: 'worker', alias: 'w' })
    const failed = await http.world.event('request.failed')
    expect(failed.payload).toMatchObject({ operation: 'session.create', error_code: 'create_failed' })
    expect(await errorOf(http.patch('/session/w', {}))).toStartWith('422 validation-failed')
    expect(await errorOf(http.post('/session/w/drain-ack'))).toStartWith('403 forbidden: ')
  })

  test('end only the calling session with drain-ack', async () => {
    await using http = await openHttp(agent('worker', WAITS, 'max_active_sessions = 2'))
    await http.world.work('one', 'worker')
    await http.world.work('two', 'worker')
    const { session_id: one = '' } = await http.world.event('session.woke')
    const { session_id: two = '' } = await http.world.event('session.woke')
    const token = await http.world.token(one)
    expect((await answer(http.post(`/session/${two}/drain-ack`, undefined, token))).status).toBe(403)
    expect((await answer(http.post(`/session/${one}/drain-ack`, undefined, token))).body).toEqual({
      status: 'ok',
      id: one,
    })
    const stopped = await http.world.event('session.stopped')
    expect(stopped.payload).toMatchObject({ session_id: one, reason: 'drain acknowledged' })
    expect((await answer(http.post(`/session/${one}/drain-ack`, undefined, token))).status).toBe(401)
    expect((await answer(http.get(`/session/${two}`))).body).toMatchObject({ state: 'active' })
  })
})

describe('messages', () => {
  test('are typed into the program, and an event reports their delivery', async () => {
    await using http = await withParrot()
    const accepted = await answer(http.post('/session/polly/messages', { message: 'good day' }))
    expect(accepted).toMatchObject({ status: 202, body: { status: 'accepted' } })
    const arrived = await http.world.event('request.result.session.message', undefined, 20_000)
    expect(arrived.payload).toEqual({ request_id: accepted.body.request_id, session_id: http.id })
    const peeked = await answer(http.get(`/session/${http.id}?peek=true`))
    expect(peeked.body.last_output).toContain('heard good day')
    expect(peeked.body.last_nudge_delivered_at).toBeString()
  })

  test('of a new session are typed once, after its prompt', async () => {
    await using http = await withParrot({ message: 'sing' })
    const { repository } = http.world.city.sessionServices
    await until(() => repository.get(http.id).nudgedAt !== null, 10_000)
    const screen = async () =>
      String((await answer(http.get(`/session/${http.id}?peek=true&peek_lines=40`))).body.last_output)
    const receivedPrompt = /heard \[mill\] polly • .*gc prime.*User message:\s+sing/
    await eventually('the prompt on the screen', 10_000, screen, (shown) =>
      receivedPrompt.test(shown.replaceAll('\n', '')),
    )
    await http.post('/session/polly/kill')
    await http.world.event('session.woke', ({ seq }) => seq > 10)
    await until(() => repository.get(http.id).generation === 2 && repository.get(http.id).state === 'active')
    await http.post('/session/polly/messages', { message: 'again' })
    await http.world.event('request.result.session.message', undefined, 20_000)
    expect(await screen()).not.toContain('sing')
  })

  test('wake a suspended session and are then delivered', async () => {
    await using http = await withParrot()
    await http.post('/session/polly/suspend')
    await http.post('/session/polly/submit', { message: 'wake up' })
    const arrived = await http.world.event('request.result.session.submit', undefined, 20_000)
    expect(arrived.payload).toMatchObject({ session_id: http.id, queued: false, intent: 'default' })
    expect((await answer(http.get('/session/polly'))).body).toMatchObject({ state: 'active', running: true })
  })

  test('fail when their session is closed before the delivery', async () => {
    await using http = await openHttp(agent('mayor', WAITS))
    await http.world.city.store.write((tx) => http.world.city.suspensions.set(tx, 'city', '', true, false))
    await http.post('/sessions', { kind: 'agent', name: 'mayor', alias: 'boss' })
    const accepted = await answer(http.post('/session/boss/messages', { message: 'hello' }))
    await http.post('/session/boss/close')
    const failed = await http.world.event('request.failed', ({ payload }) =>
      JSON.stringify(payload).includes(String(accepted.body.request_id)),
    )
    expect(failed.payload).toMatchObject({ operation: 'session.message', error_code: 'message_failed' })
  })
})

describe('a transcript', () => {
  test('shows the screen in each of the three formats', async () => {
    await using http = await withParrot()
    await http.post('/session/polly/messages', { message: 'good day' })
    await http.world.event('request.result.session.message', undefined, 20_000)
    const transcript = async (format: string) =>
      (await answer(http.get(`/session/polly/transcript?format=${format}`))).body
    expect(await transcript('conversation')).toMatchObject({
      format: 'text',
      turns: [{ role: 'output', text: expect.stringContaining('heard good day') }],
    })
    expect(await transcript('raw')).toMatchObject({ format: 'raw', messages: [{ role: 'assistant' }] })
    expect(await transcript('structured')).toMatchObject({
      schema_version: 'session.structured.v1',
      operation: 'snapshot',
      history: {
        transcript_stream_id: `fallback:${http.id}`,
        continuity: { status: 'degraded' },
        tail_state: { degraded: true, degraded_reason: expect.stringContaining('no log') },
        diagnostics: [{ code: 'transcript_unavailable', count: 1, message: expect.stringContaining('no log') }],
      },
      structured_messages: [{ id: `fallback:${http.id}:1`, role: 'assistant', status: 'partial' }],
    })
    const lost = await answer(http.get('/session/polly/transcript?after=x'))
    expect(lost).toMatchObject({ status: 409, body: { code: 'transcript-cursor-invalidated' } })
    expect((await answer(http.get('/session/polly/transcript?after=x&before=y'))).status).toBe(422)
    expect((await answer(http.get('/session/polly/pending'))).body).toEqual({ supported: true })
  })

  test('is streamed as the screen changes, until the session ends', async () => {
    await using http = await withParrot()
    const stream = await http.get('/session/polly/stream')
    expect(stream.headers.get('gc-session-state')).toBe('active')
    const text = textOf(stream)
    await http.post('/session/polly/messages', { message: 'good day' })
    await text.until('heard good day')
    await http.post('/session/polly/close')
    const frames = (await text.whole).split('\n\n').filter(Boolean)
    expect(frames.at(0)).toContain('id: 1\nevent: turn\ndata: {')
    expect(frames.at(-1)).toContain('event: activity\ndata: {"activity":"idle"}')
    const closed = await (await http.get(`/session/${http.id}/stream?format=structured`)).text()
    expect(closed).toContain('"operation":"snapshot"')
  })
})

describe('a terminal', () => {
  async function attach(url: string) {
    const client = new WebSocket(url)
    client.binaryType = 'arraybuffer'
    let seen = ''
    client.onmessage = ({ data }) => {
      seen += typeof data === 'string' ? data : new TextDecoder().decode(data)
    }
    const closed = new Promise<string>((resolve) => {
      client.onclose = ({ reason }) => resolve(reason)
    })
    return { client, shows: (text: string) => until(() => seen.includes(text)), closed }
  }

  test('shows the screen, accepts keys if its ticket allows them, and closes when the program exits', async () => {
    await using http = await withParrot()
    const { ticket } = (await answer(http.post('/session/polly/terminal-ticket', { write: true }))).body
    const { client, shows, closed } = await attach(`${http.socket}/session/polly/terminal?ticket=${ticket}`)
    await shows('"type":"snapshot"')
    expect((await answer(http.get('/session/polly'))).body).toMatchObject({ attached: true })
    client.send(new TextEncoder().encode('hi there\r'))
    await shows('heard hi there')
    client.send(JSON.stringify({ type: 'resize', cols: 60, rows: 20 }))
    client.send(new TextEncoder().encode('quit\r'))
    await shows('"type":"end"')
    expect(await closed).toBe('ended')
    await http.world.event('session.stopped')
    expect((await answer(http.get('/session/polly'))).body).toMatchObject({ attached: false, state: 'asleep' })
  })

  test('opens once per ticket, read-only by default', async () => {
    await using http = await withParrot()
    const { ticket } = (await answer(http.post('/session/polly/terminal-ticket'))).body
    const url = `${http.socket}/session/polly/terminal?ticket=${ticket}`
    const { client, shows, closed } = await attach(url)
    await shows('"write":false')
    client.send(new TextEncoder().encode('quit\r'))
    client.send(JSON.stringify({ type: 'detach' }))
    expect(await closed).toBe('detached')
    expect((await answer(http.get('/session/polly'))).body).toMatchObject({ state: 'active', attached: false })
    const again = new WebSocket(url)
    const outcome = await new Promise((resolve) => {
      again.onerror = () => resolve('refused')
      again.onopen = () => resolve('opened')
    })
    expect(outcome).toBe('refused')
  })
})
