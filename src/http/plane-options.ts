import type { TSchema } from '@sinclair/typebox'
import type { Clock } from '../core/clock.ts'
import type { Deadlines } from '../core/deadlines.ts'
import type { Caller } from './caller.ts'
import type { PlaneDialect } from './dialect.ts'
import type { Info } from './document.ts'
import type { GuardSettings } from './guard.ts'
import type { FindReplays } from './idempotency.ts'
import type { AccessPolicy } from './needs.ts'
import type { RequestGuard } from './request-guard.ts'
import type { RequestMetrics } from './request-metrics.ts'
import type { JsonReplacer, ResponseWriter } from './respond/index.ts'
import type { Connection, Route } from './route.ts'
import type { SecretFilter } from './secret-filter.ts'

/** A change that not every session may make. */
export interface PermittedChange {
  id: string
  actor: string
  summary: string
  method: string
  path: string
}

/** The request during which an error occurred, for the log. */
export interface FailedRequest {
  id: string
  method: string
  path: string
}

/**
 * Resolves when an event newer than `index` is recorded or an answer may differ without one, when `ms` have passed, or
 * when the signal aborts.
 */
export type WaitForEvent = (
  params: Readonly<Record<string, string>>,
  index: number,
  ms: number,
  signal: AbortSignal,
) => Promise<void>

/** A page of documentation; `html` is called when the first reader asks for it. */
export interface DocsPage {
  readonly path: string
  html(): string
}

export interface PlaneOptions {
  readonly info: Info
  readonly routes: readonly Route[]
  /** Guard of callers: settings for the standard guard, or the plane's own. */
  readonly guard: GuardSettings | RequestGuard
  /** Holds callers to what each operation needs; absent on a plane whose operations decide for themselves. */
  readonly access?: AccessPolicy
  readonly clock: Clock
  readonly deadlines: Deadlines
  /** Called with an unexpected error and the request it occurred in. */
  report(error: unknown, occasion: FailedRequest): void
  /** Called after a change that not every session may make, with who made it. */
  onChange?(change: PermittedChange): void
  /** Lets the reads of a GET request share one transaction of what the parameters name. */
  beginRead?(params: Readonly<Record<string, string>>): unknown
  /** The number of the last durable event of what the parameters name: `X-GC-Index`. */
  index?(params: Readonly<Record<string, string>>): number | undefined
  readonly waitForEvent?: WaitForEvent
  /** Replacer of values in a response to older clients. */
  replacerFor?(request: Request): JsonReplacer | undefined
  /** Filter of secrets in responses to a caller; undefined for one who may read everything. */
  filterFor?(caller: Caller): SecretFilter | undefined
  /** Cache headers of public reads, for browsers and proxies; not shared without it. */
  cacheControlOf?(caller: Caller, request: Request): string
  /** True if answers are compressed for readers that take it. */
  readonly compresses?: boolean
  /** The request as it reached the server, if this one was made of it. */
  originalOf?(request: Request): Request | undefined
  /** Counts requests and streams. */
  readonly metrics?: RequestMetrics
  /** Writes the responses, within memory that all planes share. */
  readonly writer?: ResponseWriter
  /** Finds the store of answers for repeated requests; without it, keys have no effect. */
  replays?: FindReplays
  /** The longest body, in bytes. */
  readonly bodyLimit?: number
  /** Maximum time a body may take to arrive, in milliseconds. */
  readonly bodyTimeoutMs?: number
  /** Between the heartbeats of a stream, in milliseconds. */
  readonly heartbeatMs?: number
  /** Maximum time the reader of a stream or a large body may leave what was sent unread, in milliseconds. */
  readonly stallTimeoutMs?: number
  readonly dialect?: PlaneDialect
  /** Error codes that clients may meet and that no operation declares, for the document. */
  readonly reservedCodes?: readonly string[]
  /** Pages beside the operations. */
  readonly pages?: readonly DocsPage[]
  /** Shapes that clients know by name and no operation refers to, for the document. */
  readonly shapes?: readonly TSchema[]
}

/** Event handlers that a WebSocket carries. */
export interface SocketData {
  readonly connection: Connection
}
