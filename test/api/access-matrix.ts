import { least, leastQuery, type Operation, operationsOf } from '../support/sample.ts'
import type { Answer, CallOptions, TestCity, World } from '../support/world.ts'

/** Requirement of an operation in the document. */
export interface StatedNeed {
  needs: string
  ownable?: string
  always?: boolean
  fields?: Record<string, string>
  grant?: string
}

/** Response, as far as access decides it. */
type Outcome = Pick<Answer, 'status' | 'body'>

/** Needs that every session has; the last two only where the city is not strict. */
const FREE = ['work', 'session', 'watch', 'coordinate']

/** Operations that end a city when allowed, tried last. */
const LAST = ['stop-city', 'post-v0-city-by-city-name-unregister']
/** Operations that end something or take long when allowed. */
const HEAVY = ['stop-supervisor', 'backup-city']

/** Operations without a required permission. */
export const isFree = ({ needs, always }: StatedNeed): boolean => !always && (needs === 'read' || FREE.includes(needs))
export const isWork = ({ needs }: StatedNeed): boolean => ['read', 'work', 'session'].includes(needs)
export const isOfNobody = ({ needs }: StatedNeed): boolean => needs !== 'operator'

/** True if a person with these grants may carry an operation out. */
export const isOfPerson = (grants: readonly string[]) => (need: StatedNeed) =>
  need.needs === 'read' || need.needs === 'watch' || (need.grant !== undefined && grants.includes(need.grant))

/** Every operation of a supervisor, to be tried as one caller after the other. */
export class AccessMatrix {
  private constructor(
    private readonly world: World,
    private readonly document: Record<string, unknown>,
    readonly operations: readonly Operation[],
  ) {}

  static async of(world: World): Promise<AccessMatrix> {
    const { body } = await world.call('GET /openapi.json')
    return new AccessMatrix(world, body, operationsOf(body))
  }

  /** Those that are asked by a request; a WebSocket is opened with a ticket. */
  get requests(): Operation[] {
    return this.operations.filter(({ kind }) => kind !== 'socket')
  }

  get ofCities(): Operation[] {
    const isLast = ({ id }: Operation) => Number(LAST.includes(id))
    return this.requests.filter(({ path }) => path.includes('{cityName}')).sort((a, b) => isLast(a) - isLast(b))
  }

  needOf({ method, path, id }: Operation): StatedNeed {
    const item = Object(Object(this.document.paths)[path])[method.toLowerCase()]
    const stated = item['x-gc-needs'] ?? (method === 'GET' ? 'read' : undefined)
    if (stated === undefined) throw new Error(`${id} does not state what it needs`)
    return typeof stated === 'string' ? { needs: stated } : stated
  }

  /** The operations for which a caller got another answer than expected; what is heavy is tried only where it must be rejected. */
  async surprises(
    city: TestCity,
    isAllowed: (need: StatedNeed) => boolean,
    options: CallOptions & { message?: string } = {},
    some: readonly Operation[] = this.requests,
  ): Promise<string[]> {
    const found: string[] = []
    for (const operation of some) {
      const expected = isAllowed(this.needOf(operation))
      if (expected && HEAVY.includes(operation.id)) continue
      const answer = await this.#send(operation, city, options)
      if (isRejected(answer) === expected) found.push(`${operation.id}: ${answer.status} ${answer.body?.detail ?? ''}`)
    }
    return found
  }

  /** An operation on something that does not exist, so that a caller who is allowed changes little. */
  #send(operation: Operation, city: TestCity, { message = 'nobody', ...options }: CallOptions & { message?: string }) {
    const path = operation.path
      .replace('{cityName}', city.name)
      .replace('/mail/{id}', `/mail/${message}`)
      .replace(/\{\w+\}/g, 'nobody')
    const address = `${path}${leastQuery(this.document, operation)}`
    if (operation.kind === 'stream') return this.#open(address, options)
    const { takesBytes, body: schema } = operation
    const body = takesBytes ? { raw: '{}' } : schema ? { body: least(this.document, schema) } : {}
    return this.world.call(`${operation.method} ${address}`, { ...body, ...options })
  }

  /** Asks for a stream and leaves it once it is answered. */
  async #open(path: string, { token }: CallOptions): Promise<Outcome> {
    const left = new AbortController()
    const headers = { ...(token !== undefined && { Authorization: `Bearer ${token}` }) }
    const response = await fetch(this.world.url + path, { headers, signal: left.signal })
    const body = response.ok ? undefined : await response.json()
    left.abort()
    return { status: response.status, body }
  }
}

/** True if the access of a caller was rejected, whatever else may be wrong with the request. */
const isRejected = ({ status, body }: Outcome): boolean =>
  status === 403 && /may not do|acts in no other/.test(String(body?.detail))
