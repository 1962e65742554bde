import { toErrorCode } from '../../src/core/errors.ts'
import { allRoutes } from '../../src/supervisor/all-routes.ts'
import { takesKey } from './repeats.ts'
import { misfits, resolve } from './schema.ts'

type Json = Record<string, unknown>

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)
const child = (parent: unknown, name: string): Json => {
  const value = isObject(parent) ? parent[name] : undefined
  return isObject(value) ? value : {}
}

/** True if an operation is one of those on changes and landings, which a test file of their own covers. */
export const ofChanges = (path: string): boolean =>
  /\/(changes?|landings?|land)(\/|$)/.test(path) && !path.endsWith('/land/settings')

/** Errors of any operation; one test triggers them on every operation of the document. */
const COMMON_ERRORS = new Set(['city-not-found', 'store-unavailable', 'internal'])

/** The errors that each operation declares. The handlers are never called. */
const DECLARED_ERRORS = new Map(
  allRoutes(Object({ gc: {} })).map(
    ({ spec }) => [spec.id, (spec.errors ?? []).map((error) => toErrorCode(error).code)] as const,
  ),
)

/**
 * Records which errors and fields of operations occurred, so that a test file can assert that it covers all of its
 * operations: `new OperationCoverage((operation) => operation.tag === 'beads')`.
 */
export class OperationCoverage {
  readonly #errors = new Set<string>()
  readonly #successes = new Set<string>()
  readonly #repeated = new Set<string>()
  readonly #filled = new Set<string>()
  #document: Json = {}

  constructor(private readonly covers: (operation: { tag: string; path: string; id: string }) => boolean) {}

  recordResponse(document: Json, operation: Json, { status, body }: { status: number; body: unknown }): void {
    this.#document = document
    const id = String(operation.operationId)
    if (status >= 400) {
      this.#errors.add(`${id} ${child({ body }, 'body').code}`)
      return
    }
    this.#successes.add(id)
    for (const schema of schemasOf(operation, String(status))) this.#recordFields(schema, body)
  }

  /** Records that a success was repeated with its key. */
  recordRepeat(operation: Json): void {
    this.#repeated.add(String(operation.operationId))
  }

  recordFrame(document: Json, operation: Json, { event, data }: { event: string; data: unknown }): void {
    this.#document = document
    this.#successes.add(String(operation.operationId))
    this.#recordFields(frameSchema(operation, event), data)
  }

  /** Operations that never succeeded or whose success was never repeated, and their declared errors that never occurred. */
  uncovered(): string[] {
    return this.#operations().flatMap((operation) => {
      const id = String(operation.operationId)
      const isRepeated = !takesKey(operation) || this.#repeated.has(id)
      const unseen = (DECLARED_ERRORS.get(id) ?? []).filter(
        (code) => !COMMON_ERRORS.has(code) && !this.#errors.has(`${id} ${code}`),
      )
      return [
        ...(this.#successes.has(id) ? [] : [`${id} never succeeded`]),
        ...(isRepeated ? [] : [`${id} was never repeated`]),
        ...unseen.map((code) => `${id} ${code}`),
      ]
    })
  }

  /** The fields in the responses of these operations that were always absent or empty. */
  emptyFields(): string[] {
    const declared = new Set<string>()
    for (const operation of this.#operations()) {
      for (const status of Object.keys(child(operation, 'responses'))) {
        if (!status.startsWith('2')) continue
        for (const schema of schemasOf(operation, status)) this.#collectFields(schema, declared, new Set())
      }
    }
    return [...declared].filter((field) => !this.#filled.has(field)).sort()
  }

  #operations(): Json[] {
    return Object.entries(child(this.#document, 'paths')).flatMap(([path, item]) =>
      Object.values(isObject(item) ? item : {}).filter((operation): operation is Json => {
        if (!isObject(operation)) return false
        return this.covers({ tag: String([operation.tags].flat()[0]), path, id: String(operation.operationId) })
      }),
    )
  }

  #recordFields(reference: unknown, value: unknown, outer = '?'): void {
    const { schema, name } = this.#resolve(reference, outer)
    for (const choice of choices(schema)) {
      if (misfits(this.#document, choice, value).length === 0) this.#recordFields(choice, value, name)
    }
    if (Array.isArray(value)) for (const item of value) this.#recordFields(schema.items, item, name)
    if (!isObject(value)) return
    for (const [key, inner] of Object.entries(child(schema, 'properties'))) {
      if (isFilled(value[key])) this.#filled.add(`${name}.${key}`)
      this.#recordFields(inner, value[key], `${name}.${key}`)
    }
  }

  #collectFields(reference: unknown, fields: Set<string>, visited: Set<unknown>, outer = '?'): void {
    const { schema, name } = this.#resolve(reference, outer)
    if (visited.has(schema) || Object.keys(schema).length === 0) return
    visited.add(schema)
    for (const choice of choices(schema)) this.#collectFields(choice, fields, visited, name)
    this.#collectFields(schema.items, fields, visited, name)
    for (const [key, inner] of Object.entries(child(schema, 'properties'))) {
      fields.add(`${name}.${key}`)
      this.#collectFields(inner, fields, visited, `${name}.${key}`)
    }
  }

  /** The schema of a value, with references resolved, and its name. */
  #resolve(reference: unknown, outer: string): { schema: Json; name: string } {
    const schema = isObject(reference) ? reference : {}
    const ref = schema.$ref
    if (typeof ref !== 'string') return { schema, name: outer }
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
  return Object.entries(content).flatMap(([media, entry]) => {
    if (media !== 'text/event-stream') return [child(entry, 'schema')]
    return [child(child(entry, 'schema'), 'items').oneOf].flat().map((kind) => child(child(kind, 'properties'), 'data'))
  })
}

/** The schema of the data of one kind of frame of a stream. */
export function frameSchema(operation: Json, event: string): unknown {
  const stream = child(child(child(child(operation, 'responses'), '200'), 'content'), 'text/event-stream')
  const kinds = [child(child(stream, 'schema'), 'items').oneOf].flat()
  const kind = kinds.find((candidate) => child(child(candidate, 'properties'), 'event').const === event)
  return kind ? child(child(kind, 'properties'), 'data') : undefined
}
