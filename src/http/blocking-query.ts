import { parseDuration } from '../core/durations.ts'
import type { FieldError } from '../core/errors.ts'
import { validationFailed } from './respond/index.ts'

/** Until which event a query waits, and for how long in milliseconds. */
export interface BlockingQuery {
  readonly index: number
  readonly ms: number
}

const DEFAULT_WAIT_MS = 30_000
const MAX_WAIT_MS = 300_000

/** A text without this has neither parameter, however it is encoded. */
const MAY_WAIT = /index|wait|%/

/** Values of `index` and `wait`; undefined if the query does not wait. */
export function parseBlockingQuery(text: string): BlockingQuery | undefined {
  if (!MAY_WAIT.test(text)) return undefined
  const given = new URLSearchParams(text)
  const index = given.get('index')
  const wait = given.get('wait')
  const fieldErrors: FieldError[] = []
  if (index && !/^\d{1,20}$/.test(index)) fieldErrors.push(fieldError('index', 'must be the number of an event', index))
  const ms = wait ? parseDuration(wait) : DEFAULT_WAIT_MS
  if (!ms) fieldErrors.push(fieldError('wait', 'must be a length of time above 0, such as 30s or 1m30s', wait))
  if (fieldErrors.length > 0) throw validationFailed(fieldErrors)
  return index ? { index: Number(index), ms: Math.min(ms ?? DEFAULT_WAIT_MS, MAX_WAIT_MS) } : undefined
}

const fieldError = (name: string, message: string, value: string | null): FieldError => ({
  message,
  location: `query.${name}`,
  value: value?.slice(0, 200),
})
