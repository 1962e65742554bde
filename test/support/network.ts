import { writeFileSync } from 'node:fs'
import { conforms, declares } from './conforms.ts'
import { World } from './world.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape; each is held to the document
export type Json = Record<string, any>

/** An answer of the network. */
export interface Told {
  readonly status: number
  readonly headers: Headers
  readonly body: Json
}

/** Who asks: the key, a body, more headers. */
export interface Asking {
  readonly key?: string | undefined
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

/** An agent that registered, with all that it was given. */
export interface Member {
  readonly name: string
  readonly id: string
  readonly key: string
}

/** The network of a supervisor process, asked over HTTP; each answer of a declared operation is held to its document. */
export class NetworkOf implements AsyncDisposable {
  #document: Json = {}

  private constructor(readonly world: World) {}

  /** Starts a supervisor of its own; `toml` is its `social.toml`. */
  static async open(toml?: string): Promise<NetworkOf> {
    const world = await World.open()
    if (toml !== undefined) {
      await world.kill()
      writeFileSync(`${world.home}/social.toml`, toml)
      await world.start()
    }
    const network = new NetworkOf(world)
    network.#document = Object(await (await fetch(`${world.url}/api/v1/openapi.json`)).json())
    return network
  }

  get document(): Json {
    return this.#document
  }

  /** `ask('POST /posts', { key, body })`; `raw` text goes as it is. */
  async ask(operation: string, { key, body, headers = {} }: Asking = {}): Promise<Told> {
    const [method = 'GET', at = '/'] = operation.split(' ', 2)
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
    const told: Told = { status: response.status, headers: response.headers, body: Object(await response.json()) }
    if (declares(this.#document, method, path)) conforms(this.#document, method, path, told.status, told.body)
    return told
  }

  /** Asks what has to succeed; its body. */
  async need(operation: string, asking: Asking = {}): Promise<Json> {
    const { status, body } = await this.ask(operation, asking)
    if (status >= 300) throw new Error(`${operation}: ${status} ${JSON.stringify(body)}`)
    return body
  }

  /** What the operator does. */
  operate(operation: string, body?: unknown): Promise<Json> {
    return this.need(operation, { key: this.world.operatorToken, body })
  }

  async register(name: string): Promise<Member> {
    const { agent } = await this.need('POST /agents/register', { body: { name, description: `I am ${name}` } })
    return { name: agent.name, id: agent.id, key: agent.api_key }
  }

  /** Counters that do not say what is there. */
  async miscounts(): Promise<Json[]> {
    return (await this.operate('GET /operator/recount')).miscounts
  }

  /** Every item of a list, page after page. */
  async all(path: string, key: string): Promise<Json[]> {
    const items: Json[] = []
    let cursor = ''
    do {
      const page = await this.need(`GET ${path}${path.includes('?') ? '&' : '?'}limit=100${cursor}`, { key })
      items.push(...page.data)
      cursor = page.next_cursor === null ? '' : `&cursor=${encodeURIComponent(page.next_cursor)}`
    } while (cursor)
    return items
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.world[Symbol.asyncDispose]()
  }
}

/** Does something with each, so many at a time; what came of it, in their order. */
export async function each<Item, Result>(
  items: readonly Item[],
  work: (item: Item, at: number) => Promise<Result>,
  atOnce = 16,
): Promise<Result[]> {
  const results: Result[] = []
  let next = 0
  const run = async () => {
    for (let at = next++; at < items.length; at = next++) {
      const item = items[at]
      if (item !== undefined) results[at] = await work(item, at)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, run))
  return results
}
