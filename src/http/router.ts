import type { Elysia } from 'elysia'
import type { Method } from './route.ts'

/**
 * Settings of every instance. Bodies are parsed and validated by us, so Elysia changes nothing in them. A host name may
 * be as short as one letter. Routes are few and stay, so what Elysia has inferred from their hooks is kept.
 */
export const ROUTER = {
  normalize: false,
  strictPath: true,
  handler: { standardHostname: false },
  sucrose: { gcTime: null },
} as const

const METHODS: readonly Method[] = ['DELETE', 'GET', 'PATCH', 'POST', 'PUT']

/** Methods of a path, for the `Allow` header; undefined for an unknown path. Pages beside the router's have one. */
export function allowedMethods(
  router: Elysia['router'],
  path: string,
  pages?: { has(path: string): boolean },
): readonly string[] | undefined {
  const isRouted = (method: Method) =>
    router.static[path]?.[method] !== undefined || router.http.find(method, path) !== null
  const allowed: string[] = METHODS.filter((method) => isRouted(method) || (method === 'GET' && pages?.has(path)))
  if (allowed.length === 0) return undefined
  if (allowed.includes('GET')) allowed.push('HEAD')
  return [...allowed, 'OPTIONS'].sort()
}
