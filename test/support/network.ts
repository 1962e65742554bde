import { writeFileSync } from 'node:fs'
import { conforms, declares, operationAt } from './conforms.ts'
import { expectRepeated, takesKey } from './repeats.ts'
import { World } from './world.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape; each is held to the document
export type Json = Record<string, any>

/** A response of the network. */
export interface NetworkResponse {
  readonly status: number
  readonly headers: Headers
  readonly body: Json
}

/** The key, body and more headers of a request. */
export interface NetworkRequest {
  readonly key?: string | undefined
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

/** A registered agent with its key. */
export interface RegisteredAgent {
  readonly name: string
  readonly id: string
  readonly key: string
}

/** The network of a supervisor process over HTTP; each response of a declared operation is checked against its document. */
export class NetworkClient implements AsyncDisposable {
  #document: Json = {}

  private constructor(readonly world: World) {}

  /** Starts a supervisor with these variables; `toml` is its `social.toml`. */
  static async open(toml?: string, env: Readonly<Record<string, string>> = {}): Promise<NetworkClient> {
    const world = await World.with(env)
    if (toml !== undefined) {
      await world.kill()
      writeFileSync(`${world.home}/social.toml`, toml)
      await world.start()
    }
    const network = new NetworkClient(world)
    network.#document = Object(await (await fetch(`${world.url}/api/v1/openapi.json`)).json())
    return network
  }

  get document(): Json {
    return this.#document
  }

  /**
   * `send('POST /posts', { key, body })`; a string as body is sent unchanged. A change that succeeded is sent again,
   * and has the same answer and no further effect.
   */
  async send(operation: string, { headers = {}, ...request }: NetworkRequest = {}): Promise<NetworkResponse> {
    const [method = 'GET', at = '/'] = operation.split(' ', 2)
    const declared = operationAt(this.#document, method, `/api/v1${at}`)
    const isKeyed = declared !== undefined && takesKey(declared) && !('idempotency-key' in headers)
    const keyed = { ...request, headers: { ...(isKeyed && { 'idempotency-key': Bun.randomUUIDv7() }), ...headers } }
    const answer = await this.#send(method, at, keyed)
    if (isKeyed && answer.status < 300) await expectRepeated(operation, answer, await this.#send(method, at, keyed))
    return answer
  }

  async #send(method: string, at: string, { key, body, headers }: NetworkRequest): Promise<NetworkResponse> {
    const path = `/api/v1${at}`
    const response = await fetch(this.world.url + path, {
      method,
      headers: {
        ...(key !== undefined && { authorization: `Bearer ${key}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const answer: NetworkResponse = {
      status: response.status,
      headers: response.headers,
      body: Object(await response.json()),
    }
    if (declares(this.#document, method, path)) conforms(this.#document, method, path, answer.status, answer.body)
    return answer
  }

  /** Sends a request that has to succeed; returns the body. */
  async request(operation: string, options: NetworkRequest = {}): Promise<Json> {
    const { status, body } = await this.send(operation, options)
    if (status >= 300) throw new Error(`${operation}: ${status} ${JSON.stringify(body)}`)
    return body
  }

  /** The same as the operator. */
  requestAsOperator(operation: string, body?: unknown): Promise<Json> {
    return this.request(operation, { key: this.world.operatorToken, body })
  }

  async register(name: string): Promise<RegisteredAgent> {
    const { agent } = await this.request('POST /agents/register', { body: { name, description: `I am ${name}` } })
    return { name: agent.name, id: agent.id, key: agent.api_key }
  }

  /** The wrong counters. */
  async miscounts(): Promise<Json[]> {
    return (await this.requestAsOperator('GET /operator/recount')).miscounts
  }

  /** Every item of a list, page after page. */
  async listAll(path: string, key: string): Promise<Json[]> {
    const items: Json[] = []
    let cursor = ''
    do {
      const page = await this.request(`GET ${path}${path.includes('?') ? '&' : '?'}limit=100${cursor}`, { key })
      items.push(...(page.posts ?? page.comments ?? page.submolts))
      cursor = page.next_cursor === null ? '' : `&cursor=${encodeURIComponent(page.next_cursor)}`
    } while (cursor)
    return items
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.world[Symbol.asyncDispose]()
  }
}

/** Maps items concurrently, at most `limit` at a time; the results are in order. */
export async function mapConcurrently<Item, Result>(
  items: readonly Item[],
  work: (item: Item, index: number) => Promise<Result>,
  limit = 16,
): Promise<Result[]> {
  const results: Result[] = []
  let next = 0
  const run = async () => {
    for (let index = next++; index < items.length; index = next++) {
      const item = items[index]
      if (item !== undefined) results[index] = await work(item, index)
    }
  }
  await Promise.all(Array.from({ length: limit }, run))
  return results
}
