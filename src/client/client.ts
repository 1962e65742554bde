import { type BridgeOptions, bridgeRestart, repeatLost } from './bridge.ts'
import { ApiError, NotGc, NotNetwork, OtherSupervisor, readApiError, Unreachable } from './errors.ts'
import { type FollowOptions, follow, type OpenStream } from './follow.ts'
import type { Access } from './home.ts'
import type {
  CityOperation,
  FrameOf,
  Input,
  JsonOperation,
  Operation,
  Output,
  RootOperation,
  StreamOperation,
} from './operations.ts'
import { reasonOf } from './reason.ts'
import type { ReceivedFrame } from './sse.ts'

/** Options of any call besides the input of its operation. */
export interface CallOptions {
  headers?: Readonly<Record<string, string>>
  signal?: AbortSignal
  /** For an operation that can wait: answers once something newer than this `X-GC-Index` is recorded, or after a while. */
  newerThan?: string
}

/** One call without its types: what every typed call comes down to. */
export interface Call extends CallOptions {
  params?: Readonly<Record<string, string>>
  query?: object
  body?: unknown
  /** A body that is not JSON, as it travels. */
  bytes?: string | Uint8Array<ArrayBuffer>
  /** Handling of redirects; followed by default. */
  redirect?: 'manual'
}

/** The arguments of a call after its operation: none are needed where nothing must be sent. */
type CallArguments<Op extends Operation> =
  Record<never, never> extends Input<Op> ? [call?: Input<Op> & CallOptions] : [call: Input<Op> & CallOptions]

/** Speaks to the supervisor in its own wire shapes. */
export class Client {
  /** `signal` ends every call of this client; with `bridge`, calls wait while the supervisor restarts. */
  constructor(
    readonly access: Access,
    private readonly signal?: AbortSignal,
    private readonly bridge?: BridgeOptions,
    private readonly onResponse?: (response: Response) => void,
  ) {}

  /** This client; what it gets is shown to the listener first. */
  observed(onResponse: (response: Response) => void): Client {
    return new Client(this.access, this.signal, this.bridge, onResponse)
  }

  /** This client without credentials, for what everybody may read. */
  anonymous(): Client {
    return new Client({ url: this.access.url, token: undefined }, this.signal, undefined, this.onResponse)
  }

  /** Calls an operation that belongs to no city: `client.call('GET /v0/cities')`. */
  async call<Op extends RootOperation & JsonOperation>(
    operation: Op,
    ...[call]: CallArguments<Op>
  ): Promise<Output<Op>> {
    return (await this.json(operation, call)).body as Output<Op>
  }

  /** The response of an operation that belongs to no city, with its headers and its body unread. */
  send<Op extends RootOperation>(operation: Op, ...[call]: CallArguments<Op>): Promise<Response> {
    return this.request(operation, call)
  }

  /** The frames of a stream that belongs to no city; reconnects until its signal aborts. */
  follow<Op extends RootOperation & StreamOperation>(
    operation: Op,
    input: Input<Op> & CallOptions,
    options: FollowOptions,
  ): AsyncGenerator<FrameOf<Op>> {
    return this.stream(operation, input, options) as AsyncGenerator<FrameOf<Op>>
  }

  /** This client, bound to one city. */
  city(name: string): CityClient {
    return new CityClient(this, name)
  }

  /** Requests any path; throws `ClientProblem` for an error response and `Unreachable` for none. */
  request(operation: string, call: Call = {}): Promise<Response> {
    return this.#bridged(operation, call, (response) => response)
  }

  /** The response of any path as it is written, whatever its status, with its body unread; redirects are not followed. */
  exchange(operation: string, call: Call = {}): Promise<Response> {
    return this.#fetch(operation, { ...withKey(operation, call), redirect: 'manual' }, this.access)
  }

  /** Requests any path whose response is JSON, and reads all of it. */
  json(operation: string, call: Call = {}): Promise<{ body: unknown; headers: Headers }> {
    return this.#bridged(operation, call, async (response) => {
      const { url, headers } = response
      const body = await response.json().catch((error) => {
        throw new Unreachable(url, reasonOf(error))
      })
      if (new URL(url).pathname.startsWith(NETWORK) && !saysSuccess(body)) throw new NotNetwork(new URL(url).origin)
      return { body, headers }
    })
  }

  /** Sends a request and reads its response, again where the response was lost; it is carried out once. */
  async #bridged<T>(operation: string, call: Call, read: (response: Response) => T | Promise<T>): Promise<T> {
    const first = withKey(operation, call)
    const send = (keyed: Call) => {
      const attempt = async (access: Access) => read(await this.#send(operation, keyed, access))
      const signal = call.signal ?? this.signal
      return this.bridge ? bridgeRestart(attempt, this.bridge, signal) : repeatLost(() => attempt(this.access), signal)
    }
    try {
      return await send(first)
    } catch (error) {
      const isLate = error instanceof ApiError && error.code === 'idempotency-expired' && first !== call
      if (!isLate) throw error
      return await send(withKey(operation, call, error.date))
    }
  }

  async #send(operation: string, call: Call, access: Access): Promise<Response> {
    const response = await this.#fetch(operation, call, access)
    if (!operation.split(' ')[1]?.startsWith(NETWORK) && !isFromGc(response)) throw new NotGc(access.url)
    if (!response.ok) throw await readApiError(response)
    return response
  }

  async #fetch(operation: string, call: Call, access: Access): Promise<Response> {
    const [method = 'GET', path = '/'] = operation.split(' ', 2)
    const signal = call.signal ?? this.signal
    const query = formatQuery({ ...call.query, index: call.newerThan })
    const target = fillPath(path, call.params ?? {}) + query
    const body = call.bytes ?? (call.body === undefined ? undefined : JSON.stringify(call.body))
    if (access.strangeTo !== undefined) throw await foreignServerAt(access.url, access.strangeTo, signal)
    const signature = access.signer?.headersFor({ method, url: access.url + target, body })
    const response = await fetchFrom(access, target, {
      method,
      headers: { ...headersOf(access), ...call.headers, ...(call.body !== undefined && JSON_TYPE), ...signature },
      ...(body !== undefined && { body }),
      ...(signal && { signal }),
      ...(call.redirect && { redirect: call.redirect }),
    })
    this.onResponse?.(response)
    return response
  }

  /** Follows any path whose answer is a stream of server-sent events. */
  stream(operation: string, call: Call, options: FollowOptions): AsyncGenerator<ReceivedFrame> {
    const open: OpenStream = (after, signal) => {
      const headers = { Accept: 'text/event-stream', ...(after !== undefined && { 'Last-Event-ID': after }) }
      return this.#send(operation, { ...call, headers, signal }, this.bridge?.locate() ?? this.access)
    }
    return follow(open, options)
  }

  /** Headers of every request: the sender, and the mark that pages of other sites cannot set. */
  headers(): Record<string, string> {
    return headersOf(this.access)
  }
}

/** Speaks to one city; its operations are those whose path begins with `~`. */
export class CityClient {
  constructor(
    readonly client: Client,
    readonly name: string,
  ) {}

  /** `city.call('GET ~/bead/{id}', { params: { id } })`. */
  async call<Op extends CityOperation & JsonOperation>(
    operation: Op,
    ...[call]: CallArguments<Op>
  ): Promise<Output<Op>> {
    return (await this.client.json(operation, this.#addressed(call))).body as Output<Op>
  }

  /** Calls an operation, and reads which event was the city's last when it was answered. */
  async callIndexed<Op extends CityOperation & JsonOperation>(
    operation: Op,
    ...[call]: CallArguments<Op>
  ): Promise<{ answer: Output<Op>; index: string }> {
    const { body, headers } = await this.client.json(operation, this.#addressed(call))
    return { answer: body as Output<Op>, index: headers.get('X-GC-Index') ?? '0' }
  }

  /** The response of an operation, with its headers and its body unread. */
  send<Op extends CityOperation>(operation: Op, ...[call]: CallArguments<Op>): Promise<Response> {
    return this.client.request(operation, this.#addressed(call))
  }

  /** The frames of a stream; reconnects until its signal aborts. */
  follow<Op extends CityOperation & StreamOperation>(
    operation: Op,
    input: Input<Op> & CallOptions,
    options: FollowOptions,
  ): AsyncGenerator<FrameOf<Op>> {
    return this.client.stream(operation, this.#addressed(input), options) as AsyncGenerator<FrameOf<Op>>
  }

  #addressed(call: Call | undefined): Call {
    return { ...call, params: { ...call?.params, cityName: this.name } }
  }
}

const KEY = 'Idempotency-Key'

/** A call that changes something with a key of its own, so that it can be sent again; any other call unchanged. */
function withKey(operation: string, call: Call, at?: number): Call {
  const isKeyed = Object.keys(call.headers ?? {}).some((name) => name.toLowerCase() === KEY.toLowerCase())
  if (operation.startsWith('GET ') || isKeyed) return call
  return { ...call, headers: { ...call.headers, [KEY]: Bun.randomUUIDv7('hex', at) } }
}

const JSON_TYPE = { 'Content-Type': 'application/json' }

/** Puts parameters where the contract path names them; each is one path segment. */
export function fillPath(path: string, params: Readonly<Record<string, string>>): string {
  return path.replace(/^~/, '/v0/city/{cityName}').replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = params[name]
    if (value === undefined) throw new RangeError(`${path} needs ${name}`)
    return encodeURIComponent(value)
  })
}

function headersOf({ token }: Access): Record<string, string> {
  return { 'X-GC-Request': '1', ...(token && { Authorization: `Bearer ${token}` }) }
}

async function fetchFrom({ url }: Access, path: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url + path, init)
  } catch (error) {
    if (init.signal?.aborted) throw error
    throw new Unreachable(url, reasonOf(error))
  }
}

/** The agents' network, which may be one of another program. */
const NETWORK = '/api/v1'

/** Checks the common success field of such a network's responses. */
const saysSuccess = (body: unknown): boolean => typeof body === 'object' && body !== null && 'success' in body

const STRANGER_MS = 3_000

/** Reason no supervisor of a home answers at an address that is not its own; it sends nothing to that address. */
export async function foreignServerAt(
  url: string,
  home: string,
  signal: AbortSignal | undefined,
): Promise<Unreachable> {
  const late = AbortSignal.timeout(STRANGER_MS)
  const both = signal ? AbortSignal.any([signal, late]) : late
  const response = await fetch(`${url}/health`, { signal: both }).catch((error) => {
    if (signal?.aborted) throw error
    if (!late.aborted) throw new Unreachable(url, reasonOf(error))
  })
  if (response?.headers.has('X-GC-Request-Id')) return new OtherSupervisor(url, home)
  return new Unreachable(url, 'another program has that port')
}

/** True if gc answered: it numbers its answers. What stands before it may answer that it is away. */
const isFromGc = ({ headers, status }: Response): boolean =>
  headers.has('X-GC-Request-Id') || (status >= 502 && status <= 504)

function formatQuery(query: object): string {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query))
    if (value !== undefined && value !== '') search.set(name, String(value))
  return search.size === 0 ? '' : `?${search}`
}
