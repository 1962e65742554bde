import { misfits, resolve } from './schema.ts'

type Json = Record<string, unknown>

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)
const child = (of: unknown, name: string): Json => {
  const value = isObject(of) ? of[name] : undefined
  return isObject(value) ? value : {}
}

/**
 * Holds one response to a served document: its operation, its status and the shape of its body are all declared there.
 * `path` is as it was requested; throws what does not fit.
 */
export function conforms(document: Json, method: string, path: string, status: number, body: unknown, type = ''): void {
  const operation = operationAt(document, method, path)
  if (!operation) throw new Error(`${method} ${path} is not in the document`)
  const response = child(operation, 'responses')[String(status)]
  if (!isObject(response)) throw new Error(`${method} ${path} answered ${status}, which is not declared`)
  const target = typeof response.$ref === 'string' ? resolve(document, response.$ref) : response
  const contents = child(target, 'content')
  const content = contents[type.split(';', 1)[0] ?? ''] ?? Object.values(contents)[0]
  if (!content) {
    if (body === undefined || body === '') return
    throw new Error(`${method} ${path} answered ${status} with a body, which is not declared`)
  }
  const mismatches = misfits(document, child(content, 'schema'), body)
  if (mismatches.length > 0) throw new Error(`${method} ${path} answered ${status}:\n  ${mismatches.join('\n  ')}`)
}

/** Reads a response and holds it to the document; returns its body. Streams are left unread. */
export async function conforming(document: Json, method: string, response: Response): Promise<unknown> {
  const { pathname } = new URL(response.url)
  const type = response.headers.get('content-type') ?? ''
  if (type.startsWith('text/event-stream')) {
    if (!operationAt(document, method, pathname)) throw new Error(`${method} ${pathname} is not in the document`)
    return undefined
  }
  const text = await response.text()
  const body: unknown = /[/+]json/.test(type) ? JSON.parse(text) : text
  conforms(document, method, pathname, response.status, body, type)
  return body
}

/** True if a document declares the operation of a request. */
export const declares = (document: Json, method: string, path: string): boolean =>
  operationAt(document, method, path) !== undefined

/** The operation that a requested path belongs to; where several fit, the one with the fewest parameters. */
export function operationAt(document: Json, method: string, path: string): Json | undefined {
  const bare = path.split('?', 1)[0] ?? ''
  const fitting = Object.entries(child(document, 'paths'))
    .filter(([template]) =>
      new RegExp(`^${template.replace(/[.+?^$()|[\]\\]/g, '\\$&').replace(/\{[^}]+\}/g, '[^/]+')}$`).test(bare),
    )
    .sort(([a], [b]) => a.split('{').length - b.split('{').length)
    .map(([, item]) => child(item, method.toLowerCase()))
  return fitting.find((operation) => Object.keys(operation).length > 0)
}
