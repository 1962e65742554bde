import { toErrorCode } from '../../src/core/errors.ts'
import { allRoutes } from '../../src/supervisor/all-routes.ts'
import type { Supervisor } from '../../src/supervisor/supervisor.ts'
import { misfits, resolve } from './schema.ts'

type Json = Record<string, unknown>

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)
const child = (of: unknown, name: string): Json => {
  const value = isObject(of) ? of[name] : undefined
  return isObject(value) ? value : {}
}

/** Any operation of a kind can meet these: one test sees them on every operation of the document. */
const ANYONES = new Set(['city-not-found', 'store-unavailable', 'internal'])

/** What each operation says its errors are, beyond what any operation can. Nobody calls the handlers. */
const OWN = new Map(
  allRoutes({} as Supervisor).map(
    ({ spec }) => [spec.id, (spec.errors ?? []).map((error) => toErrorCode(error).code)] as const,
  ),
)

/**
 * Notes which refusals and which fields of which operations were seen, so that a test file can say that it has seen
 * all of its operations: `new Ledger((operation) => operation.tag === 'beads')`.
 */
export class Ledger {
  readonly #refusals = new Set<string>()
  readonly #successes = new Set<string>()
  readonly #filled = new Set<string>()
  #document: Json = {}

  constructor(private readonly covers: (operation: { tag: string; path: string; id: string }) => boolean) {}

  /** An answer as it came in. */
  note(document: Json, operation: Json, { status, body }: { status: number; body: unknown }): void {
    this.#document = document
    const id = String(operation.operationId)
    if (status >= 400) {
      this.#refusals.add(`${id} ${child({ body }, 'body').code}`)
      return
    }
    this.#successes.add(id)
    for (const schema of schemasOf(operation, String(status))) this.#walk(schema, body)
  }

  /** A frame of a stream as it came in. */
  frame(document: Json, operation: Json, { event, data }: { event: string; data: unknown }): void {
    this.#document = document
    this.#successes.add(String(operation.operationId))
    this.#walk(frameSchema(operation, event), data)
  }

  /** Operations that never succeeded, and the refusals of their own that were never seen. */
  missing(): string[] {
    return this.#operations().flatMap(({ operationId }) => {
      const id = String(operationId)
      const unseen = (OWN.get(id) ?? []).filter((code) => !ANYONES.has(code) && !this.#refusals.has(`${id} ${code}`))
      return [...(this.#successes.has(id) ? [] : [`${id} never succeeded`]), ...unseen.map((code) => `${id} ${code}`)]
    })
  }

  /** The fields of the answers of these operations that were always absent or empty. */
  unfilled(): string[] {
    const declared = new Set<string>()
    for (const operation of this.#operations()) {
      for (const status of Object.keys(child(operation, 'responses'))) {
        if (!status.startsWith('2')) continue
        for (const schema of schemasOf(operation, status)) this.#declared(schema, declared, new Set())
      }
    }
    return [...declared].filter((field) => !this.#filled.has(field)).sort()
  }

  #operations(): Json[] {
    return Object.entries(child(this.#document, 'paths')).flatMap(([path, item]) =>
      Object.values(isObject(item) ? item : {}).filter((one): one is Json => {
        if (!isObject(one)) return false
        return this.covers({ tag: String([one.tags].flat()[0]), path, id: String(one.operationId) })
      }),
    )
  }

  #walk(at: unknown, value: unknown, outer = '?'): void {
    const { schema, name } = this.#named(at, outer)
    for (const choice of choices(schema)) {
      if (misfits(this.#document, choice, value).length === 0) this.#walk(choice, value, name)
    }
    if (Array.isArray(value)) for (const item of value) this.#walk(schema.items, item, name)
    if (!isObject(value)) return
    for (const [key, inner] of Object.entries(child(schema, 'properties'))) {
      if (isFilled(value[key])) this.#filled.add(`${name}.${key}`)
      this.#walk(inner, value[key], `${name}.${key}`)
    }
  }

  #declared(at: unknown, into: Set<string>, met: Set<unknown>, outer = '?'): void {
    const { schema, name } = this.#named(at, outer)
    if (met.has(schema) || Object.keys(schema).length === 0) return
    met.add(schema)
    for (const choice of choices(schema)) this.#declared(choice, into, met, name)
    this.#declared(schema.items, into, met, name)
    for (const [key, inner] of Object.entries(child(schema, 'properties'))) {
      into.add(`${name}.${key}`)
      this.#declared(inner, into, met, `${name}.${key}`)
    }
  }

  /** The schema that stands at a place, and the name of its shape. */
  #named(at: unknown, outer: string): { schema: Json; name: string } {
    const ref = child({ at }, 'at').$ref
    if (typeof ref !== 'string') return { schema: child({ at }, 'at'), name: outer }
    return { schema: resolve(this.#document, ref) ?? {}, name: ref.split('/').at(-1) ?? outer }
  }
}

const choices = (schema: Json): unknown[] => [schema.anyOf, schema.oneOf, schema.allOf].flat().filter(isObject)

const isFilled = (value: unknown): boolean => {
  if (value === undefined || value === null || value === '') return false
  return typeof value !== 'object' || Object.keys(value).length > 0
}

function schemasOf(operation: Json, status: string): unknown[] {
  const content = child(child(child(operation, 'responses'), status), 'content')
  return Object.entries(content).flatMap(([media, of]) => {
    if (media !== 'text/event-stream') return [child(of, 'schema')]
    return [child(child(of, 'schema'), 'items').oneOf].flat().map((kind) => child(child(kind, 'properties'), 'data'))
  })
}

/** The schema of the data of one kind of frame of a stream. */
export function frameSchema(operation: Json, event: string): unknown {
  const stream = child(child(child(child(operation, 'responses'), '200'), 'content'), 'text/event-stream')
  const kinds = [child(child(stream, 'schema'), 'items').oneOf].flat()
  const kind = kinds.find((one) => child(child(one, 'properties'), 'event').const === event)
  return kind ? child(child(kind, 'properties'), 'data') : undefined
}
