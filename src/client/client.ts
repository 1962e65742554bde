import type { Access } from './home.ts'
import type { Answer, CityOperation, Given, RootOperation } from './operations.ts'
import { problemOf, Unreachable } from './problem.ts'

/** One call without its types: what every typed call comes down to. */
export interface Call {
  params?: Readonly<Record<string, string>>
  query?: object
  body?: unknown
  /** A body that is not JSON, as it travels. */
  raw?: string
  headers?: Readonly<Record<string, string>>
  signal?: AbortSignal
}

/** Speaks to the supervisor in its own wire shapes. */
export class Client {
  /** `signal` ends every call of this client. */
  constructor(
    readonly access: Access,
    private readonly signal?: AbortSignal,
  ) {}

  /** Calls one operation that belongs to no city: `client.call('GET /v0/cities', {})`. */
  async call<Op extends RootOperation>(operation: Op, given: Given<Op> & Call): Promise<Answer<Op>> {
    return (await this.send(operation, given)).json() as Promise<Answer<Op>>
  }

  /** This client, bound to one city. */
  city(name: string): CityClient {
    return new CityClient(this, name)
  }

  /** The response as it came; a refusal is thrown as `ClientProblem`, silence as `Unreachable`. */
  async send(operation: string, call: Call): Promise<Response> {
    const [method = 'GET', path = '/'] = operation.split(' ', 2)
    const signal = call.signal ?? this.signal
    const response = await this.#fetch(this.access.url + filled(path, call.params ?? {}) + queryOf(call.query ?? {}), {
      method,
      headers: { ...this.headers(), ...call.headers, ...(call.body !== undefined && JSON_TYPE) },
      ...(call.body !== undefined && { body: JSON.stringify(call.body) }),
      ...(call.raw !== undefined && { body: call.raw }),
      ...(signal && { signal }),
    })
    if (!response.ok) throw await problemOf(response)
    return response
  }

  /** What goes with every request: who asks, and the mark that no other site's page can set. */
  headers(): Record<string, string> {
    return { 'X-GC-Request': '1', ...(this.access.token && { Authorization: `Bearer ${this.access.token}` }) }
  }

  async #fetch(url: string, init: RequestInit): Promise<Response> {
    try {
      return await fetch(url, init)
    } catch (error) {
      if (init.signal?.aborted) throw error
      throw new Unreachable(this.access.url, reason(error))
    }
  }
}

/** Speaks to one city; its operations are those whose path begins with `~`. */
export class CityClient {
  constructor(
    readonly client: Client,
    readonly name: string,
  ) {}

  /** `city.call('GET ~/bead/{id}', { params: { id } })`. */
  async call<Op extends CityOperation>(operation: Op, given: Given<Op> & Call): Promise<Answer<Op>> {
    return (await this.send(operation, given)).json() as Promise<Answer<Op>>
  }

  send(operation: string, call: Call): Promise<Response> {
    return this.client.send(operation, { ...call, params: { ...call.params, cityName: this.name } })
  }
}

const JSON_TYPE = { 'Content-Type': 'application/json' }

/** Puts parameters where the contract path names them; each is one path segment. */
export function filled(path: string, params: Readonly<Record<string, string>>): string {
  return path.replace(/^~/, '/v0/city/{cityName}').replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = params[name]
    if (value === undefined) throw new RangeError(`${path} needs ${name}`)
    return encodeURIComponent(value)
  })
}

function queryOf(query: object): string {
  const told = new URLSearchParams()
  for (const [name, value] of Object.entries(query))
    if (value !== undefined && value !== '') told.set(name, String(value))
  return told.size === 0 ? '' : `?${told}`
}

function reason(error: unknown): string {
  if (error instanceof Error && 'code' in error && typeof error.code === 'string') {
    return /refused/i.test(error.code) ? 'connection refused' : error.code
  }
  return error instanceof Error ? error.message : String(error)
}
