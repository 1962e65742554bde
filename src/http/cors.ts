import { allowsOrigin, type GuardSettings } from './guard.ts'

const METHODS = 'GET, POST, PUT, PATCH, DELETE, OPTIONS'
const ALLOWED = [
  'Authorization',
  'Content-Type',
  'Idempotency-Key',
  'Last-Event-ID',
  'X-GC-Request',
  'X-GC-City-Write',
  'X-GC-City-Read',
].join(', ')
const EXPOSED = [
  'X-GC-Index',
  'X-GC-Request-Id',
  'X-GC-Cache-Age-S',
  'X-GC-City-Failed',
  'Retry-After',
  'Location',
  'GC-Agent-Status',
  'GC-Session-State',
  'GC-Session-Status',
].join(', ')

/** Writes what a browser needs to let pages of an allowed origin read the response. */
export function setCorsHeaders(headers: Record<string, unknown>, origin: string | null, settings: GuardSettings): void {
  headers.vary = 'Origin'
  if (origin === null || !allowsOrigin(origin, settings)) return
  headers['access-control-allow-origin'] = origin
  headers['access-control-allow-methods'] = METHODS
  headers['access-control-allow-headers'] = ALLOWED
  headers['access-control-expose-headers'] = EXPOSED
}
