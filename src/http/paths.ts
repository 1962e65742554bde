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

export function methodsOf(routes: readonly Pick<Route, 'method' | 'path'>[]): Methods {
  const byPath = Map.groupBy(routes, ({ path }) => path)
  const patterns = [...byPath].map(([path, these]) => ({
    pattern: patternOf(path),
    methods: these.map(({ method }) => method),
  }))
  return (path) => {
    const allowed = patterns.filter(({ pattern }) => pattern.test(path)).flatMap(({ methods }) => methods)
    if (allowed.length === 0) return undefined
    const head = allowed.includes('GET') ? ['HEAD'] : []
    return [...new Set([...allowed, ...head, 'OPTIONS'])].sort()
  }
}

const patternOf = (path: string): RegExp =>
  new RegExp(`^${path.replace(/[.*+?^$()|[\]\\]/g, '\\$&').replace(/\{[^}]*\}/g, '[^/]+')}$`)

/** One segment of a path without its percent-encoding; empty when that is malformed. */
export function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return ''
  }
}
