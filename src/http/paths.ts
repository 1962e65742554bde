import type { Route } from './route.ts'

/**
 * A contract's path as the router takes it: the router wants one name for each position,
 * the contract has `/agent/{base}` beside `/agent/{dir}/{base}`.
 */
export interface RouterPath {
  readonly path: string
  /** The contract's names with the router's. */
  readonly names: readonly (readonly [name: string, key: string])[]
}

export function toRouterPath(path: string): RouterPath {
  const names: [string, string][] = []
  const segments = path.split('/').map((segment, position) => {
    const name = /^\{(.+)\}$/.exec(segment)?.[1]
    if (name === undefined) return segment
    names.push([name, `at${position}`])
    return `:at${position}`
  })
  return { path: segments.join('/'), names }
}

/** The router keeps the first of two operations at one address and forgets the other: it is a mistake of ours, reported at start. */
export function assertUniqueOperations(routes: readonly Pick<Route, 'method' | 'path'>[]): void {
  const seen = new Set<string>()
  for (const { method, path } of routes) {
    const address = `${method} ${path.replace(/\{[^}]*\}/g, '{}')}`
    if (seen.has(address)) throw new TypeError(`two operations are declared at ${method} ${path}`)
    seen.add(address)
  }
}

/** Methods of a path; undefined for an unknown one. */
export type Methods = (path: string) => readonly string[] | undefined

/** The methods of paths with the same first segments. */
interface Branch {
  readonly next: Map<string, Branch>
  methods: readonly string[]
}

/** A segment of any text. */
const PARAMETER = '{}'

export function methodsOf(routes: readonly Pick<Route, 'method' | 'path'>[]): Methods {
  const root: Branch = { next: new Map(), methods: [] }
  for (const { method, path } of routes) {
    const branch = path.split('/').reduce((from, segment) => {
      const name = /^\{[^}]*\}$/.test(segment) ? PARAMETER : segment
      const to = from.next.get(name) ?? { next: new Map(), methods: [] }
      from.next.set(name, to)
      return to
    }, root)
    branch.methods = [...branch.methods, method]
  }
  return (path) => {
    const allowed = methodsIn(root, path.split('/'), 0)
    if (allowed.length === 0) return undefined
    const head = allowed.includes('GET') ? ['HEAD'] : []
    return [...new Set([...allowed, ...head, 'OPTIONS'])].sort()
  }
}

/** The methods of a path from one of its segments on, which may be a name in one route and a parameter in another. */
function methodsIn(branch: Branch, segments: readonly string[], at: number): readonly string[] {
  const segment = segments[at]
  if (segment === undefined) return branch.methods
  const named = segment === PARAMETER ? undefined : branch.next.get(segment)
  const other = segment === '' ? undefined : branch.next.get(PARAMETER)
  if (!named) return other ? methodsIn(other, segments, at + 1) : NONE
  if (!other) return methodsIn(named, segments, at + 1)
  return [...methodsIn(named, segments, at + 1), ...methodsIn(other, segments, at + 1)]
}

const NONE: readonly string[] = []

/** One segment of a path without its percent-encoding; empty when that is malformed. */
export function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return ''
  }
}
