import { AppError } from '../core/errors.ts'
import { isLoopback, parseHost } from './authority.ts'
import type { Caller, Human } from './caller.ts'

/** Settings of the standard guard. */
export interface GuardSettings {
  /** Host names beside the loopback ones under which this server may be addressed. */
  readonly hosts: readonly string[]
  /** Origins beside the loopback ones whose pages may call. */
  readonly origins: readonly string[]
  /** Rejects every mutation. */
  readonly readOnly: boolean
  /** Rejects requests without a credential, on loopback as well. */
  readonly requireToken: boolean
  /** Caller of this credential; undefined for an unknown or expired one; throws if that cannot be determined now. */
  resolve(token: string): Caller | undefined
  /** Waits a while until it can be told whose credential this is; undefined when it can be, or need not be. */
  settle?(token: () => string | undefined): Promise<void> | undefined
}

/** Parts of a request that the guard checks: the method and a few headers, null where absent. */
export interface GuardedRequest {
  readonly method: string
  readonly host: string | null
  readonly origin: string | null
  readonly authorization: string | null
  /** `X-GC-Request`. */
  readonly mark: string | null
  /** `Upgrade`. */
  readonly upgrade: string | null
}

/** No one in particular. */
export const human: Human = { kind: 'human' }

/** A human who has shown nothing although a token is required: only a socket continues, and asks for its ticket. */
export const unauthenticated: Human = { kind: 'human' }

/** Caller of an allowed request; throws if it is not allowed. */
export function checkRequest(facts: GuardedRequest, settings: GuardSettings): Caller {
  checkHost(facts.host, settings)
  if (facts.method === 'OPTIONS') return human
  const mutates = facts.method !== 'GET' && facts.method !== 'HEAD'
  const { origin } = facts
  if (origin !== null && (mutates || upgrades(facts))) checkOrigin(origin, facts.host, settings)
  const caller = identify(facts, mutates, settings)
  if (!mutates) return caller
  if (!facts.mark) throw new AppError('forbidden', 'csrf: X-GC-Request header required on mutation endpoints')
  if (settings.readOnly)
    throw new AppError('forbidden', 'read_only: this server takes no changes; it was started read-only')
  return caller
}

const upgrades = ({ upgrade }: GuardedRequest): boolean => upgrade?.toLowerCase() === 'websocket'

/** True if pages of this origin may read what we answer. */
export const allowsOrigin = (origin: string, { origins }: Pick<GuardSettings, 'origins'>): boolean =>
  /^https?:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/i.test(origin) || origins.includes(origin)

function checkHost(host: string | null, { hosts }: GuardSettings): void {
  const name = parseHost(host)
  if (name === undefined) throw malformedHost()
  if (isLoopback(name) || hosts.some((allowed) => allowed.toLowerCase() === name)) return
  throw new AppError('host-not-allowed', `host_not_allowed: ${name} is not a name of this server; list it to allow it`)
}

/** The error of a request that does not say to which host it is sent. */
export const malformedHost = (): AppError =>
  new AppError(
    'host-not-allowed',
    'host_not_allowed: the Host header does not name a host; send the host and port of this server',
  )

/** True if pages of this origin come from the server that the `Host` header names. */
export const isOriginOf = (origin: string, host: string | null): boolean =>
  host !== null && origin.replace(/^https?:\/\//i, '').toLowerCase() === host.toLowerCase()

function checkOrigin(origin: string, host: string | null, settings: GuardSettings): void {
  if (isOriginOf(origin, host) || allowsOrigin(origin, settings)) return
  throw new AppError('forbidden', 'origin_not_allowed: pages of this origin may not call; list the origin to allow it')
}

function identify(facts: GuardedRequest, mutates: boolean, settings: GuardSettings): Caller {
  const { authorization } = facts
  if (authorization === null) {
    if (!settings.requireToken) return human
    if (!mutates && upgrades(facts)) return unauthenticated
    throw unauthorized(
      'this server requires a token: send Authorization: Bearer <token>, with the one in $GC_HOME/token, or that of a session in its GC_TOKEN',
    )
  }
  const token = bearerTokenOf(authorization)
  if (!token) throw unauthorized('the Authorization header is not of the form Bearer <token>')
  const caller = settings.resolve(token)
  if (!caller)
    throw unauthorized(
      'invalid or expired token; a session gets a new one when it restarts, a person from the operator',
    )
  return caller
}

/** The token of an Authorization header. */
export const bearerTokenOf = (authorization: string): string | undefined =>
  /^bearer +(\S+) *$/i.exec(authorization)?.[1]

/** The error of a request without a valid credential. */
export const unauthorized = (detail: string): AppError =>
  new AppError('unauthorized', detail, { headers: { 'www-authenticate': 'Bearer' } })
