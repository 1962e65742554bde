import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { resolve } from 'node:path'
import { PAGES } from '../../src/manual/index.ts'
import { hasPhrase, statistics } from '../docs/prose.ts'
import { apiTexts, headless, sentencesIn } from '../docs/texts.ts'
import { documentProblems } from '../support/document-problems.ts'
import { takesKey } from '../support/repeats.ts'
import { World } from '../support/world.ts'

const FROZEN = resolve(import.meta.dir, '../operations.txt')

interface Operation extends Record<string, unknown> {
  operationId: string
  'x-gc-extension'?: boolean
}

let world: World
let document: { openapi: string; paths: Record<string, Record<string, Operation>> } & Record<string, unknown>

beforeAll(async () => {
  world = await World.open()
  document = (await world.call('GET /openapi.json')).body
})
afterAll(() => world[Symbol.asyncDispose]())

const operations = () =>
  Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  )

describe('the served document', () => {
  test('is valid OpenAPI 3.1', () => {
    expect(document.openapi).toBe('3.1.0')
    const byName = ['EventStreamEnvelope', 'TaggedEventStreamEnvelope', 'SessionStreamCommonEvent']
    expect(documentProblems(document, byName)).toEqual([])
  })

  test('has short summaries and descriptions that name what they describe', async () => {
    const network = (await world.call('GET /api/v1/openapi.json')).body
    const texts = [...apiTexts(document), ...apiTexts(network)]
    expect(texts.length).toBeGreaterThan(5000)
    expect(headless(texts)).toEqual([])
    expect(texts.filter(({ text }) => hasPhrase(text))).toEqual([])
    expect(statistics(sentencesIn(texts)).mean).toBeLessThanOrEqual(16)
    const summaries = operations().map(({ operation }) => String(operation.summary))
    expect(
      summaries.filter((summary) => summary.length > 72 || !/^[A-Z]/.test(summary) || summary.endsWith('.')),
    ).toEqual([])
  })

  test('takes an Idempotency-Key for every change, and names those whose answer is not kept', async () => {
    const network: typeof document = (await world.call('GET /api/v1/openapi.json')).body
    const paths = [...Object.entries(document.paths), ...Object.entries(network.paths)]
    const changes = paths.flatMap(([, item]) =>
      Object.entries(item).flatMap(([method, operation]) => (method === 'get' ? [] : [operation])),
    )
    const unkeyed = changes.filter((operation) => !takesKey(operation)).map(({ operationId }) => operationId)
    expect(unkeyed.sort()).toEqual([
      'check-sling',
      'compile-formula',
      'post-v0-city-by-city-name-formulas-by-name-preview',
      'post-v0-city-by-city-name-formulas-by-name-validate',
      'verifyIdentity',
    ])
    const secret = changes.filter((operation) => JSON.stringify(operation.responses).includes('idempotency-secret'))
    expect(secret.map(({ operationId }) => operationId).sort()).toEqual([
      'add-person',
      ...['create-terminal-ticket', 'createIdentityToken', 'createKey', 'lend-session', 'registerAgent', 'reissueKey'],
      'renewClaim',
    ])
  })

  test('offers exactly one of the named payloads of an event', () => {
    const { components, paths } = document as unknown as {
      components: { schemas: Record<string, { oneOf?: { $ref: string }[]; discriminator?: { propertyName: string } }> }
      paths: Record<string, Record<string, { responses: Record<string, { content: object }> }>>
    }
    const { EventPayload, TypedEventStreamEnvelope } = components.schemas
    expect(EventPayload).not.toHaveProperty('anyOf')
    expect(EventPayload?.oneOf?.every(({ $ref }) => $ref.startsWith('#/components/schemas/'))).toBe(true)
    expect(TypedEventStreamEnvelope?.discriminator?.propertyName).toBe('type')
    expect(Object.keys(paths['/metrics']?.get?.responses[200]?.content ?? {})).toEqual(['text/plain'])
  })

  test('names every operation once', () => {
    const ids = operations().map(({ operation }) => operation.operationId)
    expect(ids.length).toBeGreaterThan(90)
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([])
  })

  test('lists exactly the promised operations', async () => {
    const served = operations()
      .map(({ method, path, operation }) => {
        const line = `${method} ${path} ${operation.operationId}`
        return operation['x-gc-extension'] ? `${line} extension` : line
      })
      .sort()
      .join('\n')
    if (process.env.GC_WRITE_OPERATIONS) await Bun.write(FROZEN, `${served}\n`)
    const promised = (await Bun.file(FROZEN).text()).trim()
    const hint =
      'test/operations.txt and the served operations differ; if the change is meant, write it anew: ' +
      'GC_WRITE_OPERATIONS=1 npx bun test test/api/document.test.ts'
    const missing = promised.split('\n').filter((line) => !served.split('\n').includes(line))
    const added = served.split('\n').filter((line) => !promised.split('\n').includes(line))
    expect({ missing, added, hint }).toEqual({ missing: [], added: [], hint })
  })
})

describe('a client that asks every documented GET of a city for JSON', () => {
  test('gets 200 and JSON from all, but for streams, metrics, the file of a backup, and what asks for a scope or a conversation', async () => {
    const city = await world.city('sweep')
    const others: string[] = []
    for (const { method, path } of operations()) {
      const target = path.replace('{cityName}', city.name)
      if (method !== 'GET' || target.includes('{') || target.endsWith('/stream')) continue
      const { status, headers } = await world.call(`GET ${target}`, { headers: { Accept: 'application/json' } })
      const type = headers.get('content-type')
      if (status !== 200 || type !== 'application/json') others.push(`${path}: ${status} ${type}`)
    }
    expect(others.sort()).toEqual([
      '/metrics: 200 text/plain; version=0.0.4; charset=utf-8',
      '/v0/city/{cityName}/backup: 200 application/gzip',
      '/v0/city/{cityName}/extmsg/bindings: 400 application/problem+json',
      '/v0/city/{cityName}/extmsg/groups: 404 application/problem+json',
      '/v0/city/{cityName}/extmsg/transcript: 422 application/problem+json',
      '/v0/city/{cityName}/formulas/feed: 400 application/problem+json',
      '/v0/city/{cityName}/formulas: 400 application/problem+json',
      '/v0/city/{cityName}/orders/feed: 400 application/problem+json',
      '/v0/city/{cityName}/orders/history: 422 application/problem+json',
    ])
  })
})

describe('/docs', () => {
  test('is one page that loads nothing from other hosts and runs no script', async () => {
    const { status, headers, body } = await world.call('GET /docs')
    expect(status).toBe(200)
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(headers.get('content-security-policy')).toContain("default-src 'none'")
    const loads = [...body.matchAll(/<(\w+)[^>]*?\s(?:src|href|srcset|data|action)=["']?([^"'\s>]+)/g)]
    const foreign = loads.filter(([, element, target]) => element !== 'a' || /^(https?:)?\/\//.test(target ?? ''))
    expect(foreign.map(([whole]) => whole)).toEqual([])
    expect(body).not.toMatch(/<script|<iframe|<link|@import|url\(/i)
  })

  test('shows every operation and every schema, and each link in it has a target', async () => {
    const { body } = await world.call('GET /docs')
    const ids = new Set([...body.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id))
    for (const { operation } of operations()) expect(ids).toContain(operation.operationId)
    const anchors = [...body.matchAll(/href="#([^"]+)"/g)].map(([, anchor]) => anchor)
    expect(anchors.length).toBeGreaterThan(100)
    expect(anchors.filter((anchor) => !ids.has(anchor))).toEqual([])
  })
})

describe('/manual/', () => {
  test('shows every page of the manual without a token, and each link in it has a target', async () => {
    const read = async (path: string) => {
      const response = await fetch(`${world.url}${path}`, { headers: { authorization: 'Bearer invalid' } })
      return {
        status: response.status,
        policy: response.headers.get('content-security-policy'),
        body: await response.text(),
      }
    }
    const pages = new Map<string, string>()
    for (const path of ['/manual', '/manual/', ...PAGES.map(({ topic }) => `/manual/${topic}`)]) {
      const { status, policy, body } = await read(path)
      expect({ path, status, policy }).toMatchObject({
        status: 200,
        policy: expect.stringContaining("default-src 'none'"),
      })
      pages.set(path, body)
    }
    const links = [...pages].flatMap(([from, body]) =>
      [...body.matchAll(/href="([^"]+)"/g)].map(([, to = '']) => (to.startsWith('#') ? from + to : to)),
    )
    const missing = links.filter((link) => {
      const [path = '', anchor] = link.split('#')
      const body = pages.get(path)
      return link.startsWith('/manual') && (body === undefined || (anchor && !body.includes(`id="${anchor}"`)))
    })
    expect(links.length).toBeGreaterThan(700)
    expect(missing).toEqual([])
    expect((await world.call('POST /manual/')).status).toBe(405)
  })
})

describe('addresses without an operation', () => {
  test('respond with a plain 404 to every method', async () => {
    for (const path of ['/v0', '/v0/', '/v0/nothing', '/v0/city/town/nothing', '/v0/city/town/bead', '/health/x']) {
      for (const method of ['GET', 'POST', 'DELETE']) {
        const { status, headers, body } = await world.call(`${method} ${path}`)
        expect([method, path, status]).toEqual([method, path, 404])
        expect(headers.get('content-type')).toStartWith('text/plain')
        expect(body).toBe('there is nothing at this address\n')
      }
    }
  })

  test('with another method respond 405 with the supported methods', async () => {
    const byPath = new Map<string, string[]>()
    for (const { method, path } of operations()) byPath.set(path, [...(byPath.get(path) ?? []), method])
    // A parameter can match a literal of another path, as in agent/{base}/{action} and formulas/{name}: those overlap.
    const plain = [...byPath].filter(([path]) => !path.includes('/agent/') && !path.endsWith('/formulas/feed'))
    for (const [path, methods] of plain) {
      const wrong = ['PUT', 'DELETE', 'PATCH', 'POST'].find((method) => !methods.includes(method))
      const { status, headers } = await world.call(`${wrong} ${path.replace(/\{\w+\}/g, 'x')}`)
      expect([wrong, path, status]).toEqual([wrong, path, 405])
      const allowed = headers.get('allow')?.split(', ') ?? []
      expect([path, methods.filter((method) => !allowed.includes(method))]).toEqual([path, []])
    }
  })
})
