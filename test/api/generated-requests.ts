import type { Operation } from '../support/sample.ts'
import { resolve } from '../support/schema.ts'
import type { TestCity, World } from '../support/world.ts'

type Json = Record<string, unknown>

/** Operations that end the server under test, or remove its city. */
export const LEFT_OUT = new Set([
  'stop-supervisor',
  'stop-city',
  'start-city',
  'post-v0-city-by-city-name-unregister',
  'post-v0-city',
  'register-city',
])

const WORDS = [
  '',
  ' ',
  'x',
  'to-1',
  'to-999999999999999999999',
  'web/worker',
  '../../etc/passwd',
  'a/b%2Fc?d#e',
  '%',
  '%25',
  'né🎉\u202e\u0000',
  "'; DROP TABLE beads; --",
  '<script>',
  '\ud800',
  '0',
  '-1',
  '1e9',
  'null',
  'true',
  '9'.repeat(1024),
  '/%'.repeat(512),
  'é'.repeat(600),
  '__proto__',
  'constructor',
  '\n',
  'a\r\nb',
  '\u2028',
  '* * * * *',
  '61 25 32 13 8',
  'P1Y',
  '-1h',
  `${'9'.repeat(30)}d`,
  '(',
  '[z-a]',
  '{{',
  '{{x}}',
  '{{.a.b}}',
  '[[a]]',
  'a = {',
  'Europe/Nowhere',
]
const NUMBERS = [0, -1, 1, 0.5, 2 ** 31, 2 ** 53, -(2 ** 53), 1e308, 1000, 1001, Number.MAX_SAFE_INTEGER]

/** Generates values for a document's schemas: valid, at the limits, and of another type. */
export class Maker {
  constructor(
    private readonly document: Json,
    private readonly random: () => number,
  ) {}

  chance(of: number): boolean {
    return this.random() < of
  }

  one<T>(items: readonly T[]): T {
    const item = items[Math.floor(this.random() * items.length)]
    if (item === undefined) throw new Error('there is nothing to choose from')
    return item
  }

  word(): string {
    return this.one(WORDS)
  }

  value(schema: unknown, depth = 0): unknown {
    const of: Json = Object(schema)
    if (typeof of.$ref === 'string') return this.value(resolve(this.document, of.$ref), depth)
    if (depth > 5 || this.chance(0.06)) return this.stray()
    if ('const' in of) return of.const
    if (Array.isArray(of.enum)) return this.one(of.enum)
    const choices = [of.anyOf, of.oneOf].flat().filter((choice) => typeof choice === 'object' && choice !== null)
    if (choices.length > 0) return this.value(this.one(choices), depth)
    const [type] = [of.type].flat()
    if (type === 'object') return this.object(of, depth)
    if (type === 'array') return Array.from({ length: this.one([0, 1, 2, 300]) }, () => this.value(of.items, depth + 1))
    if (type === 'boolean') return this.chance(0.5)
    if (type === 'integer' || type === 'number') return this.one(NUMBERS)
    return this.text(of)
  }

  text(of: Json): string {
    if (of.format === 'date-time') return this.one(['2030-01-01T00:00:00Z', '2030-13-45T99:00:00Z', 'now', ''])
    const most = Number(of.maxLength ?? 0)
    if (most > 0 && this.chance(0.3)) return 'm'.repeat(this.one([most, most + 1]))
    return this.word()
  }

  object(of: Json, depth: number): Json {
    const required = [of.required].flat()
    const made: Json = {}
    for (const [name, schema] of Object.entries(Object(of.properties))) {
      if (this.chance(required.includes(name) ? 0.95 : 0.3)) made[name] = this.value(schema, depth + 1)
    }
    if (typeof of.additionalProperties === 'object') made[this.word()] = this.value(of.additionalProperties, depth + 1)
    if (this.chance(0.03)) made[this.word()] = this.stray()
    return made
  }

  stray(): unknown {
    return this.one([null, [], {}, '', 'x', 0, -1, true, false, [null], { a: { b: [] } }, 'z'.repeat(3000)])
  }

  /** The address of an operation with its parameters filled in; always a valid URL. */
  address({ path, parameters }: Operation, city: string): string {
    const filled = path.replace(/\{(\w+)\}/g, (_, name) => {
      if (name === 'cityName') return city
      const examples: Record<string, string[]> = { action: ['suspend', 'resume', 'x'] }
      return (
        encodeURIComponent(this.chance(0.4) ? this.one(examples[name] ?? ['to-1', 'to-2', 'to-3']) : this.safe()) || 'x'
      )
    })
    const query = parameters.filter((one) => one.in === 'query' && one.name !== 'wait' && this.chance(0.4))
    // Waiting for a future event is supposed to take long.
    const pairs = query
      .filter(({ name }) => name !== 'index')
      .map(({ name, schema }) => {
        const value = this.value(schema)
        return `${encodeURIComponent(name)}=${encodeURIComponent(wellFormed(String(value)))}`
      })
    return pairs.length > 0 ? `${filled}?${pairs.join('&')}` : filled
  }

  safe(): string {
    return wellFormed(this.word())
  }
}

const wellFormed = (text: string): string => text.replaceAll('\ud800', '?').slice(0, 1024)

export interface Sent {
  operation: Operation
  address: string
  body: string | undefined
  status: number
  /** Part of the response that was read. */
  text: string
}

export async function send(
  world: World,
  city: TestCity,
  make: Maker,
  operation: Operation,
  token?: string,
): Promise<Sent> {
  const address = make.address(operation, city.name)
  const body = operation.body && JSON.stringify(make.value(operation.body))
  const stop = new AbortController()
  const late = setTimeout(() => stop.abort(), 40_000)
  try {
    const response = await fetch(world.url + address, {
      method: operation.method,
      headers: {
        'X-GC-Request': '1',
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
        ...(token !== undefined && { Authorization: `Bearer ${token}` }),
      },
      signal: stop.signal,
      ...(body !== undefined && { body }),
    })
    const { status } = response
    const isStream = operation.kind === 'stream' && status === 200
    const text = isStream ? await firstChunk(response) : await response.text()
    return { operation, address, body, status, text }
  } catch (error) {
    throw new Error(`${operation.id} ${address} ${body?.slice(0, 300)}: ${error}`)
  } finally {
    clearTimeout(late)
    stop.abort()
  }
}

/** First chunk of a stream. */
async function firstChunk(response: Response): Promise<string> {
  const reader = response.body?.getReader()
  const chunk = await Promise.race([reader?.read(), Bun.sleep(20)])
  return chunk?.value ? new TextDecoder().decode(chunk.value) : ''
}
