import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readdirSync, statSync } from 'node:fs'
import { addressOf, testService, waitForState } from '../support/services.ts'
import { type TestCity, World } from '../support/world.ts'
import { register } from './town.ts'

const CITY = `
[[service]]
name = "healthz"
workflow.contract = "gc.healthz.v1"
[[service]]
name = "wrong"
kind = "proxy_process"
${testService('echo')}${testService('open', 'publish_mode = "direct"\npublication.allow_websockets = true')}
${testService('quiet', 'publish_mode = "direct"')}
${testService('slow')}response_timeout = "300ms"
`

let world: World
let city: TestCity
let publicUrl = ''

beforeAll(async () => {
  world = await World.open('--public-listen', '0')
  publicUrl = await world.waitForOutput(/other machines at (http:\S+)\.\n/)
  city = await register(world, 'mill', CITY)
  for (const name of ['echo', 'open', 'quiet', 'slow']) await waitForState(city, name, 'ready')
}, 30_000)
afterAll(() => world[Symbol.asyncDispose]())

const get = (path: string, init: RequestInit = {}) =>
  fetch(addressOf(city, 'echo', path), { redirect: 'manual', ...init })
const publicly = (service: string, path = '/', init: RequestInit = {}) =>
  fetch(`${publicUrl}/v0/city/mill/svc/${service}${path}`, init)
const mark = { 'X-GC-Request': '1' }

describe('the services of a city', () => {
  test('are listed by name with their state, the broken ones as well', async () => {
    const { body } = await city.call('GET ~/services')
    const states = body.items.map((each: Record<string, string>) => [
      ...[each.service_name, each.kind, each.local_state, each.publication_state, each.url?.replace(publicUrl, '')],
    ])
    expect(states).toEqual([
      ['echo', 'proxy_process', 'ready', 'private', undefined],
      ['healthz', 'workflow', 'ready', 'private', undefined],
      ['open', 'proxy_process', 'ready', 'direct', '/v0/city/mill/svc/open'],
      ['quiet', 'proxy_process', 'ready', 'direct', '/v0/city/mill/svc/quiet'],
      ['slow', 'proxy_process', 'ready', 'private', undefined],
      ['wrong', 'proxy_process', 'config_error', 'private', undefined],
    ])
    const { body: wrong } = await city.call('GET ~/service/wrong')
    expect(wrong.reason).toStartWith('city.toml:7: [[service]] process: is required')
    expect((await city.call('GET ~/service/nope')).status).toBe(404)
  })

  test('that are declared wrongly are errors of the configuration and wait for a person', async () => {
    const { body } = await city.call('GET ~/config/validate')
    expect(body).toMatchObject({ valid: false, errors: [expect.stringContaining('city.toml:7: [[service]] process')] })
    const { body: attention } = await city.call('GET ~/attention')
    expect(attention.items).toMatchObject([
      { id: 'service:wrong', kind: 'service', to_do: expect.stringContaining('city.toml:7') },
    ])
    const { status, body: problem } = await city.call('POST ~/service/wrong/restart')
    expect([status, problem.code]).toEqual([409, 'conflict-wrong-state'])
  })

  test('have a socket, a log and a place of their own', async () => {
    const { body } = await city.call('GET ~/service/echo/process')
    expect(body).toMatchObject({ starts: 1, failures: 0, folder: city.path })
    expect(body.socket.length).toBeLessThanOrEqual(100)
    const environment = await (await get('/environment')).json()
    expect(environment).toMatchObject({
      GC_SERVICE_NAME: 'echo',
      GC_SERVICE_SOCKET: body.socket,
      GC_SERVICE_STATE_ROOT: `${city.path}/.gc/services/echo`,
      GC_SERVICE_SECRETS_DIR: `${city.path}/.gc/services/echo/secrets`,
      GC_SERVICE_RUN_ROOT: `${city.path}/.gc/services/echo/run`,
      GC_SERVICE_URL_PREFIX: '/v0/city/mill/svc/echo',
      GC_SERVICE_PUBLIC_URL: '',
      GC_SERVICE_VISIBILITY: 'private',
      GC_PUBLISHED_SERVICES_DIR: `${city.path}/.gc/services/.published`,
      GC_API_BASE_URL: world.url,
      GC_CITY_PATH: city.path,
      GC_TOKEN: expect.stringContaining('gcs_'),
    })
    const { body: log } = await city.call('GET ~/service/echo/log?lines=1')
    expect(log).toMatchObject({ text: `listening, by ${body.pid}\n`, file: body.log })
    expect((await city.call('GET ~/service/healthz/log')).status).toBe(400)
  })

  test('are described in files that their programs read', async () => {
    const folder = `${city.path}/.gc/services/.published`
    const read = async (name: string) => JSON.parse(await Bun.file(`${folder}/${name}.json`).text())
    expect(readdirSync(folder).sort()).toEqual(
      ['echo', 'healthz', 'open', 'quiet', 'slow', 'wrong'].map((name) => `${name}.json`),
    )
    expect(await read('echo')).toEqual({
      service_name: 'echo',
      published: false,
      visibility: 'private',
      url_version: 0,
    })
    expect(await read('open')).toEqual({
      ...{ service_name: 'open', published: true, visibility: 'public' },
      ...{ current_url: `${publicUrl}/v0/city/mill/svc/open`, url_version: 1 },
    })
    expect(statSync(folder).mode & 0o777).toBe(0o700)
  })

  test('act under their own name', async () => {
    const head = await city.head()
    expect(await (await get('/act')).json()).toEqual({ status: 201, token: 'gcs_' })
    const [created] = await city.recorded(head)
    expect([created?.type, created?.actor]).toEqual(['bead.created', 'service echo'])
  })

  test('are restarted by anyone who asks, with one process after the other', async () => {
    const head = await city.head()
    const before = (await city.call('GET ~/service/quiet/process')).body
    const { body } = await city.call('POST ~/service/quiet/restart')
    expect(body).toEqual({ status: 'ok', action: 'restart', service: 'quiet' })
    await waitForState(city, 'quiet', 'ready')
    const after = (await city.call('GET ~/service/quiet/process')).body
    expect(after.pid).not.toBe(before.pid)
    expect((await city.recorded(head)).map(({ type, actor }) => [type, actor])).toEqual([
      ['service.restarted', 'human'],
      ['service.started', 'gc/services'],
    ])
    expect(await city.types(() => city.call('POST ~/service/healthz/restart'))).toEqual([])
    expect((await city.call('POST ~/service/nope/restart')).status).toBe(404)
  })
})

describe('a request to a service', () => {
  test('arrives with its method, path, query and body, and the answer comes back unchanged', async () => {
    expect(await (await get('/a/b?x=1&y=%2F')).text()).toBe('GET /a/b?x=1&y=%2F')
    expect(await (await fetch(addressOf(city, 'echo', ''))).text()).toBe('GET /')
    expect(await (await get('/count', { method: 'PUT', body: 'four', headers: mark })).text()).toBe('4')
    const moved = await get('/moved')
    expect([moved.status, moved.headers.get('location')]).toEqual([302, '/elsewhere'])
    const head = await get('/page', { method: 'HEAD' })
    expect([head.status, head.headers.get('content-type'), await head.text()]).toEqual([200, 'text/html', ''])
    expect((await get('/zeros?bytes=3000000')).headers.get('transfer-encoding')).toBe('chunked')
    expect((await (await get('/zeros?bytes=3000000')).bytes()).length).toBe(3_000_000)
  })

  test('brings no credentials along', async () => {
    const headers = { Cookie: 'a=b', 'X-Own': 'kept', Connection: 'x-hop', 'X-Hop': '1', TE: 'trailers' }
    const response = await get('/headers', { headers: { ...headers, Authorization: `Bearer ${world.operatorToken}` } })
    const seen = await response.json()
    expect(seen).toMatchObject({ 'x-own': 'kept', 'x-forwarded-for': '127.0.0.1', host: new URL(world.url).host })
    for (const name of ['authorization', 'cookie', 'te', 'x-hop']) expect(seen).not.toHaveProperty(name)
  })

  test('is answered from an origin of its own, which sets nothing on that of the API', async () => {
    const { headers } = await get('/page', { headers: { Origin: 'https://evil.example' } })
    expect(headers.get('content-security-policy')).toBe("default-src 'self', sandbox allow-scripts allow-forms")
    expect(headers.get('x-own')).toBe('kept')
    for (const name of [
      'set-cookie',
      'access-control-allow-origin',
      'access-control-allow-credentials',
      'clear-site-data',
    ])
      expect(headers.get(name)).toBeNull()
  })

  test('that changes something needs the mark that pages cannot set, unless the service is direct', async () => {
    for (const method of ['POST', 'DELETE', 'OPTIONS'])
      expect([method, (await get('/', { method })).status]).toEqual([method, 403])
    const foreign = { ...mark, Origin: 'https://evil.example' }
    expect((await get('/', { method: 'POST', headers: foreign })).status).toBe(403)
    const open = await fetch(addressOf(city, 'open', '/x'), {
      method: 'POST',
      headers: { Origin: 'https://chat.example' },
    })
    expect(await open.text()).toBe('POST /x')
    expect((await get('/', { headers: { Authorization: 'Bearer gcs_nobody' } })).status).toBe(401)
  })

  test('finds nothing where there is no service, and a sentence where one is not ready', async () => {
    const { status, body } = await city.call('GET ~/svc/nope/x')
    expect([status, body.code]).toEqual([404, 'service-not-found'])
    expect(body.detail).toStartWith('not_found: ')
    expect((await city.call('GET ~/svc/wrong/x')).status).toBe(503)
    expect((await world.call('GET /v0/city/nope/svc/echo/')).body.code).toBe('city-not-found')
    const foreign = await get('/', { headers: { Host: 'evil.example' } })
    expect(foreign.status).toBe(421)
  })

  test('to what gc answers itself reports that the city is there', async () => {
    const health = { ok: true, city_name: 'mill', service: 'healthz', contract: 'gc.healthz.v1' }
    for (const path of ['', '/', '/healthz']) expect((await city.call(`GET ~/svc/healthz${path}`)).body).toEqual(health)
    expect((await city.call('GET ~/svc/healthz/x')).status).toBe(404)
    expect((await city.call('POST ~/svc/healthz/healthz')).status).toBe(405)
  })

  test('that is left without an answer for too long ends with 504 and a sentence, and the service is looked at', async () => {
    const response = await fetch(addressOf(city, 'slow', '/hang'))
    expect([response.status, response.headers.get('retry-after')]).toEqual([504, '2'])
    expect(await response.text()).toBe('service slow does not answer; gc service logs slow shows what it printed\n')
    await waitForState(city, 'slow', 'ready')
    expect(await (await fetch(addressOf(city, 'slow', '/x'))).text()).toBe('GET /x')
  })

  test('that the sender gives up is given up', async () => {
    const leave = new AbortController()
    const hanging = get('/hang', { signal: leave.signal }).catch(() => 'left')
    leave.abort()
    expect(await hanging).toBe('left')
    expect((await city.call('GET ~/service/echo')).body.local_state).toBe('ready')
  })
})

/** Opens a socket and sends texts one after the other; what came back, and how it was closed. */
async function talk(url: string, texts: readonly string[], protocols: string[] = []) {
  const socket = new WebSocket(url.replace('http', 'ws'), { protocols, headers: { 'X-Own': 'kept' } })
  const heard: unknown[] = []
  const closed = Promise.withResolvers<{ code: number; reason: string }>()
  socket.addEventListener('open', () => {
    for (const text of texts) socket.send(text)
  })
  socket.addEventListener('message', ({ data }) => heard.push(data))
  socket.addEventListener('close', ({ code, reason }) => closed.resolve({ code, reason }))
  return { ...(await closed.promise), heard, protocol: socket.protocol }
}

describe('a WebSocket to a service', () => {
  test('carries messages both ways, with its subprotocol, and closes as the service says', async () => {
    const talked = await talk(addressOf(city, 'echo', '/ws'), ['a', 'b', 'bye'], ['chat.v1', 'chat.v2'])
    expect(talked).toEqual({ code: 4001, reason: 'as asked', heard: ['a', 'b'], protocol: 'chat.v1' })
  })

  test('carries messages of 15 MB both ways, and is closed for one over 16 MB', async () => {
    const long = 'y'.repeat(15_000_000)
    const { heard, code } = await talk(addressOf(city, 'echo', '/ws'), [long, 'long', 'bye'])
    expect([heard.map((each) => String(each).length), heard[0] === long, code]).toEqual([
      [15_000_000, 15_000_000],
      true,
      4001,
    ])
    expect((await talk(addressOf(city, 'echo', '/ws'), ['z'.repeat(17_000_000)])).heard).toEqual([])
  })

  test('is not opened where there is no service, nor by pages of other sites', async () => {
    expect((await talk(addressOf(city, 'nope', '/ws'), ['a'])).heard).toEqual([])
    const upgrade = { Connection: 'Upgrade', Upgrade: 'websocket', Origin: 'https://evil.example' }
    expect((await get('/ws', { headers: upgrade })).status).toBe(403)
  })
})

describe('the public listener', () => {
  test('serves direct services, and nothing else', async () => {
    expect(await (await publicly('open', '/x')).text()).toBe('GET /x')
    expect(
      await (await publicly('open', '/x', { method: 'POST', headers: { Origin: 'https://a.example' } })).text(),
    ).toBe('POST /x')
    for (const path of [
      '/health',
      '/v0/cities',
      '/v0/city/mill/services',
      '/openapi.json',
      '/docs',
      '/',
      '/api/v1/agents/me',
    ])
      expect([path, (await fetch(publicUrl + path)).status]).toEqual([path, 404])
    const asOperator = { Authorization: `Bearer ${world.operatorToken}`, ...mark }
    expect((await fetch(`${publicUrl}/v0/city/mill/services`, { headers: asOperator })).status).toBe(404)
  })

  test('hides private services and cities from everybody, whatever they send', async () => {
    const asOperator = { Authorization: `Bearer ${world.operatorToken}`, ...mark }
    const hidden = await (await publicly('echo', '/', { headers: asOperator })).json()
    expect(hidden).toEqual(await (await publicly('nope')).json())
    const nowhere = await fetch(`${publicUrl}/v0/city/nowhere/svc/open/`)
    expect(await nowhere.json()).toEqual(hidden)
  })

  test('answers to its own names only', async () => {
    const { status } = await publicly('open', '/', { headers: { Host: 'evil.example' } })
    expect(status).toBe(404)
  })

  test('opens WebSockets where the service allows it', async () => {
    const at = (service: string) => `${publicUrl}/v0/city/mill/svc/${service}/ws`
    expect((await talk(at('open'), ['a', 'bye'])).heard).toEqual(['a'])
    expect((await talk(at('quiet'), ['a', 'bye'])).heard).toEqual([])
  })
})

test('a private service of the city is an adapter of a messenger, without a mark or a token of its own', async () => {
  const address = (path: string) => addressOf(city, 'echo', path)
  const account = { provider: 'chat', account_id: 'acct' }
  const register = (callback_url: string) =>
    city.call('POST ~/extmsg/adapters', { body: { ...account, callback_url } }).then(({ status }) => status)
  expect(await register(`${world.url}/v0/city/mill/beads`)).toBe(422)
  expect(await register(`${world.url}/v0/city/other/svc/echo`)).toBe(422)
  expect(await register(`${world.url}/v0/city/mill/svc/echo/../../beads`)).toBe(422)
  expect(await register(address('/talk/'))).toBe(201)
  const conversation = { ...account, scope_id: 'mill', conversation_id: 'ann', kind: 'dm' }
  await city.call('POST ~/extmsg/bind', { body: { conversation, session_id: 'mi-9' } })
  const send = async () => {
    const body = { session_id: 'mi-9', conversation, text: 'hello' }
    return (await city.call('POST ~/extmsg/outbound', { body })).body.Receipt
  }
  expect(await send()).toMatchObject({ Delivered: true, MessageID: 'hello' })
  expect(await register(addressOf(city, 'wrong', '/talk'))).toBe(201)
  expect(await send()).toMatchObject({
    ...{ Delivered: false, FailureKind: 'transient' },
    Metadata: { reason: 'the service of its adapter is not ready' },
  })
})
