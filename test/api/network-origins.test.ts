import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { NetworkClient } from '../support/network.ts'
import { sendRaw } from '../support/raw-http.ts'
import { World } from '../support/world.ts'

interface Response {
  status: number
  headers: Record<string, string>
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape
  body: any
}

/** Sends a request with exactly these headers, also a Host of another server. */
function send(url: string, operation: string, headers: Record<string, string>, body?: unknown): Promise<Response> {
  const text = body === undefined ? '' : JSON.stringify(body)
  const { host } = new URL(url)
  const sent = { Host: host, 'Content-Length': String(Buffer.byteLength(text)), Connection: 'close', ...headers }
  const lines = [`${operation} HTTP/1.1`, ...Object.entries(sent).map(([name, value]) => `${name}: ${value}`)]
  return sendRaw(url, `${lines.join('\r\n')}\r\n\r\n${text}`).then(({ status, head, body: content }) => {
    const [, ...fields] = head.split('\r\n')
    const pairs = fields.map((field) => [field.split(':', 1)[0]?.toLowerCase(), field.replace(/^[^:]*: */, '')])
    return {
      status,
      headers: Object.fromEntries(pairs),
      body: content && JSON.parse(content),
    }
  })
}

let count = 0
const register = (url: string, headers: Record<string, string>, path = '/api/v1/agents/register') =>
  send(url, `POST ${path}`, headers, { name: `agent-${++count}` })
const countAgents = async (world: World, url: string): Promise<number> => {
  const headers = { authorization: `Bearer ${world.operatorToken}` }
  const agents = Array.from({ length: count }, (_, at) => `agent-${at + 1}`)
  const statuses = agents.map(async (name) => (await fetch(`${url}/u/${name}`, { headers })).status)
  return (await Promise.all(statuses)).filter((status) => status === 200).length
}

const EVIL = 'http://evil.example'

describe('the network at the address of the supervisor', () => {
  let world: World
  beforeAll(async () => {
    world = await World.open('--allow-origin', 'https://friend.example', '--allow-host', 'gc.local')
  }, 30_000)
  afterAll(() => world[Symbol.asyncDispose]())

  test('takes no change from pages of other sites, at the root neither', async () => {
    const before = await countAgents(world, world.url)
    for (const origin of [EVIL, 'null', 'http://localhost.evil.example', 'https://127.0.0.1.evil.example', 'file://']) {
      for (const path of ['/api/v1/agents/register', '/agents/register']) {
        const { status, body } = await register(world.url, { Origin: origin }, path)
        expect([origin, path, status, body.code]).toEqual([origin, path, 403, 'FORBIDDEN'])
        expect(body.error).toContain('--allow-origin')
      }
    }
    const operator = { Origin: EVIL, Authorization: `Bearer ${world.operatorToken}` }
    expect((await send(world.url, 'POST /api/v1/operator/agents/x/approve', operator)).status).toBe(403)
    expect(await countAgents(world, world.url)).toBe(before)
  })

  test('lets pages of other sites read nothing', async () => {
    for (const operation of ['GET /api/v1/health', 'GET /api/v1/posts', 'OPTIONS /api/v1/posts', 'GET /posts']) {
      const { headers } = await send(world.url, operation, { Origin: EVIL })
      const varies = String(headers.vary).split(', ').includes('Origin')
      expect([operation, headers['access-control-allow-origin'], varies]).toEqual([operation, undefined, true])
    }
  })

  test('takes changes from its own pages, from those of this machine and of allowed sites', async () => {
    for (const origin of [world.url, 'http://localhost:3000', 'http://127.0.0.1:5173', 'https://friend.example']) {
      const { status, headers } = await register(world.url, { Origin: origin })
      expect([origin, status, headers['access-control-allow-origin']]).toEqual([origin, 201, origin])
    }
  })

  test('answers to no other host name', async () => {
    for (const operation of ['POST /api/v1/agents/register', 'POST /agents/register', 'GET /api/v1/health']) {
      const { status, body } = await send(world.url, operation, { Host: 'evil.example' }, { name: 'agent-x' })
      expect([operation, status, body.code]).toEqual([operation, 421, 'HOST_NOT_ALLOWED'])
    }
    for (const host of ['localhost:8372', '[::1]:8372', 'gc.local']) {
      expect([host, (await register(world.url, { Host: host })).status]).toEqual([host, 201])
    }
  })

  test('gives links to itself, whatever name it was called by', async () => {
    for (const path of ['/api/v1/agents/register', '/agents/register']) {
      const { agent } = (await register(world.url, { Host: 'gc.local:99' }, path)).body
      expect(agent.claim_url).toStartWith(`${world.url}/claim/`)
      expect(agent.profile_url).toStartWith(`${world.url}/u/`)
      const renewed = await send(world.url, 'POST /api/v1/agents/me/claim', {
        Host: 'gc.local:99',
        Authorization: `Bearer ${agent.api_key}`,
      })
      expect(renewed.body.claim_url).toStartWith(`${world.url}/claim/`)
    }
  })
})

describe('the network at an address of its own', () => {
  test('may be read by pages of every site, and changed by them only when other machines can reach it', async () => {
    await using world = await World.open('--social-listen', '127.0.0.1:0')
    const url = await world.waitForOutput(/network answers at (http:\S+)\.\s/)
    expect((await send(url, 'GET /api/v1/health', { Origin: EVIL })).headers['access-control-allow-origin']).toBe('*')
    expect((await register(url, { Origin: EVIL })).status).toBe(403)
    expect((await register(url, { Host: 'evil.example' })).status).toBe(421)
    expect((await register(url, {})).body.agent.claim_url).toStartWith(`${url}/claim/`)
  })

  test('is called by pages of every site when it has a public base URL, which its links have', async () => {
    await using world = await World.open()
    await world.kill()
    writeFileSync(`${world.home}/social.toml`, 'base_url = "https://agents.example"\nbehind_proxy = true\n')
    await world.start('--social-listen', '127.0.0.1:0')
    const url = await world.waitForOutput(/network answers at (http:\S+)\.\s/)
    const { status, headers, body } = await register(url, { Origin: EVIL, Host: 'evil.example' })
    expect([status, headers['access-control-allow-origin']]).toEqual([201, '*'])
    expect(body.agent.claim_url).toStartWith('https://agents.example/claim/')
  }, 20_000)

  test('that is every address of the machine has links with a name of it', async () => {
    await using world = await World.open('--social-listen', '0.0.0.0:0', '--allow-host', 'agents.example')
    const url = await world.waitForOutput(/network answers at (http:\S+)\.\s/)
    const { port } = new URL(url)
    const { status, body } = await register(url, { Host: 'evil.example', Origin: EVIL })
    expect([status, body.agent.claim_url.split('/claim/')[0]]).toEqual([201, `http://agents.example:${port}`])
  })
})

test('behind a proxy an address counts as one however it is written, and so does all that is none', async () => {
  await using client = await NetworkClient.open('behind_proxy = true\n[limits]\nregister = "2/1h"\n')
  const register = async (from: string) => {
    const headers = { 'x-forwarded-for': `198.51.100.1, ${from}` }
    return (await client.send('POST /agents/register', { body: { name: `from-${++count}` }, headers })).status
  }
  for (const same of [
    ['203.0.113.7', '203.0.113.7:51234', '::ffff:203.0.113.7', '[::ffff:cb00:7107]:443'],
    ['2001:db8::1', '[2001:DB8::2]:443', '2001:db8:0:0:9::', '[2001:db8::3]'],
    ['junk', 'unknown', '203.0.113.999', '203.0.113.8:http'],
  ]) {
    const statuses: number[] = []
    for (const from of same) statuses.push(await register(from))
    expect([same[0], statuses]).toEqual([same[0], [201, 201, 429, 429]])
  }
})

test('one page of this machine registers twenty agents in an hour, and all programs there a thousand', async () => {
  await using client = await NetworkClient.open('[limits]\ngeneral = "5000/1m"\n')
  const { url } = client.world
  const register = (headers: Record<string, string>) =>
    client.send('POST /agents/register', { body: { name: `here-${++count}` }, headers })
  for (let at = 0; at < 20; at++) expect((await register({ origin: url })).status).toBe(201)
  for (const origin of [url, 'http://localhost:1']) {
    const { status, body } = await register({ origin })
    expect([status, body.code, body.limit]).toEqual([429, 'RATE_LIMITED', 20])
  }
  for (let at = 0; at < 1_000; at++) expect((await register({})).status).toBe(201)
  const { status, body } = await register({})
  expect([status, body.code, body.limit]).toEqual([429, 'RATE_LIMITED', 1_000])
}, 30_000)
