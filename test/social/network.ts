import { existsSync, writeFileSync } from 'node:fs'
import { Deadlines } from '../../src/core/deadlines.ts'
import { createApp } from '../../src/http/app.ts'
import { listen } from '../../src/http/listen.ts'
import type { FailedRequest } from '../../src/http/plane-options.ts'
import { socialMigrations } from '../../src/social/network/migrations.ts'
import { defaultSettings, type Settings } from '../../src/social/shared/settings.ts'
import { hashSecret } from '../../src/social/shared/strings.ts'
import { createSocial } from '../../src/social/social.ts'
import { TestClock } from '../support/clock.ts'
import { conforms, declares, operationAt } from '../support/conforms.ts'
import { emptyDatabase } from '../support/empty-database.ts'
import { tempFolder } from '../support/folder.ts'
import { expectRepeated, takesKey } from '../support/repeats.ts'
import { UNLIMITED } from '../support/unlimited.ts'

export type Json = Record<string, unknown>

/** A JSON answer: its status, its headers, its body. */
export interface TestResponse {
  status: number
  headers: Headers
  body: Json
}

/** The token of anyone who runs this network. */
export const OPERATOR_TOKEN = `gco_${'0'.repeat(64)}`

interface Options {
  settings?: Partial<Settings>
  /** The limits everybody has; what repeats another text is listed all the same. */
  limited?: boolean
  /** True if the network has an address of its own. */
  isOwn?: boolean
  /** Sends every change that succeeded again under its key. */
  repeats?: boolean
  folder?: ReturnType<typeof tempFolder>
  clock?: TestClock
}

/** A network on a port of its own, with time moved by hand; `await using` stops it. */
export async function openNetwork({
  settings = {},
  limited = false,
  isOwn = true,
  repeats = false,
  folder = tempFolder(),
  clock = new TestClock(),
}: Options = {}) {
  const database = folder.at('social.db')
  if (!existsSync(database)) writeFileSync(database, await emptyDatabase(socialMigrations))
  const deadlines = new Deadlines(clock, clock)
  const errors: unknown[] = []
  const limits = limited ? { ...defaultSettings.limits, repeats: undefined } : UNLIMITED
  const social = await createSocial({
    home: folder.path,
    clock,
    deadlines,
    settings: { limits, ...settings },
    listener: { host: '127.0.0.1', isOwn, url: () => listening.url },
    operator: hashSecret(OPERATOR_TOKEN),
    report: (error: unknown, occasion?: FailedRequest) => errors.push({ error, occasion }),
  })
  const nobody = { fetch: () => new Response('the supervisor', { status: 404 }), stop: () => {} }
  const app = createApp({ supervisor: nobody, network: social.handler })
  const listening = listen(app, { host: '127.0.0.1', port: 0, deadlines, report: (error) => errors.push(error) })
  const document = social.document()
  let lastSeq = social.network.log.head

  /** Every answer of a declared operation is held to the document. */
  const send = async (
    method: string,
    path: string,
    key?: string,
    body?: unknown,
    headers: Json = {},
  ): Promise<TestResponse> => {
    const response = await fetch(listening.url + path, {
      method,
      headers: {
        ...(key !== undefined && { authorization: `Bearer ${key}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(headers as Record<string, string>),
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const isJson = response.headers.get('content-type')?.startsWith('application/json')
    const text = await response.text()
    const testResponse = {
      status: response.status,
      headers: response.headers,
      body: text && isJson ? (JSON.parse(text) as Json) : {},
    }
    if (isJson && path.startsWith('/api/v1') && declares(document, method, path)) {
      conforms(document, method, path, response.status, testResponse.body)
    }
    return testResponse
  }
  /** Operations that succeeded again under the same key, with the same answer and no event more. */
  const repeated = new Set<string>()
  let asked = 0
  let asking = 0
  const ask = async (...request: Parameters<typeof send>) => {
    asked++
    asking++
    try {
      return await askAgain(...request)
    } finally {
      asking--
    }
  }
  const askAgain = async (method: string, path: string, key?: string, body?: unknown, headers: Json = {}) => {
    const operation = method === 'GET' ? undefined : operationAt(document, method, path)
    // The content of a deleted account is removed in slices, with events.
    const isLong = operation?.operationId === 'deleteMe'
    if (!repeats || isLong || !operation || !takesKey(operation)) return send(method, path, key, body, headers)
    const keyed = { 'idempotency-key': Bun.randomUUIDv7(), ...headers }
    const { log } = social.network
    const [before, turn] = [log.head, asking === 1 ? asked : undefined]
    const first = await send(method, path, key, body, keyed)
    if (first.status >= 300) return first
    const types = log.after(before, 1_000).map(({ type }) => type)
    const { head } = log
    await expectRepeated(`${method} ${path}`.replace('/api/v1', ''), first, await send(method, path, key, body, keyed))
    // Concurrent requests record events as well.
    const more = turn === asked ? log.after(head, 1_000).filter(({ type }) => types.includes(type)) : []
    if (more.length > 0) throw new Error(`${method} ${path} recorded events again`)
    repeated.add(String(operation.operationId))
    return first
  }
  const api = (method: string, path: string, key?: string, body?: unknown, headers?: Json) =>
    ask(method, `/api/v1${path}`, key, body, headers)

  const network = {
    ...{ url: listening.url, folder, clock, deadlines, errors, document, ask, api, repeated, listening },
    ...social.network,
    social,
    services: social.network,
    /** Registers an agent; its key. */
    async agent(name: string): Promise<string> {
      const { status, body } = await api('POST', '/agents/register', undefined, { name, description: `I am ${name}` })
      if (status !== 201) throw new Error(`${name} was not registered: ${JSON.stringify(body)}`)
      return String((body.agent as Json).api_key)
    },
    /** Posts; the post. */
    async post(key: string, title = 'A post', more: Json = {}): Promise<Json> {
      const { status, body } = await api('POST', '/posts', key, {
        submolt: 'general',
        title,
        content: `${title} it is`,
        ...more,
      })
      if (status !== 201) throw new Error(`nothing was posted: ${JSON.stringify(body)}`)
      return body.post as Json
    },
    /** Comments; the comment. */
    async comment(key: string, post: unknown, content = 'A comment', parent?: unknown): Promise<Json> {
      const draft = { content, ...(parent !== undefined && { parent_id: parent }) }
      const { status, body } = await api('POST', `/posts/${post}/comments`, key, draft)
      if (status !== 201) throw new Error(`nothing was said: ${JSON.stringify(body)}`)
      return body.comment as Json
    },
    /** The types of the events recorded since the last call. */
    recorded(): string[] {
      const events = social.network.log.after(lastSeq, 100_000)
      lastSeq = social.network.log.head
      return events.map(({ type }) => type)
    },
    /** The stored count of an agent, a post, … after everything was written. */
    recount: () => social.network.recounts.run(),
    async stop() {
      const stopped = listening.stop()
      await clock.advance(5_000)
      await stopped
      await social.close()
      deadlines.close()
    },
    async [Symbol.asyncDispose]() {
      await network.stop()
      folder[Symbol.dispose]()
    },
  }
  return network
}

export type TestNetwork = Awaited<ReturnType<typeof openNetwork>>
