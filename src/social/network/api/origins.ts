import { AppError } from '../../../core/errors.ts'
import { isLoopback } from '../../../http/authority.ts'
import { allowsOrigin, isOriginOf } from '../../../http/guard.ts'
import { type HostSettings, isOwnHost } from './hosts.ts'

/** Address of the network, with its allowed callers. */
export interface NetworkAddress extends HostSettings {
  /** The address on which it listens. */
  readonly host: string
  /** True if nothing but the network is served there. */
  readonly isOwn: boolean
  /** True if a proxy is in front. */
  readonly proxied: boolean
  /** Origins beside the loopback ones whose pages may call. */
  readonly origins: readonly string[]
}

const CORS_HEADERS = {
  'access-control-allow-methods': 'GET, POST, PUT, PATCH, DELETE, OPTIONS',
  'access-control-allow-headers': 'Authorization, Content-Type, Idempotency-Key',
  'access-control-expose-headers':
    'X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, Retry-After, X-GC-Request-Id',
  'access-control-max-age': '86400',
}

const FOR_ALL = { 'access-control-allow-origin': '*', ...CORS_HEADERS }

/**
 * Decides which pages may call the network. On an address of its own, pages of every origin may read what they have a
 * key for. Where only this machine can reach it, a request has to name this server, and pages of other sites change
 * nothing.
 */
export class OriginPolicy {
  readonly #isLocal: boolean

  constructor(private readonly address: NetworkAddress) {
    const { baseUrl, host, isOwn, proxied } = address
    const isPublished = proxied || (baseUrl !== undefined && !isLoopback(new URL(baseUrl).hostname))
    this.#isLocal = !isOwn || (isLoopback(host) && !isPublished)
  }

  /** The headers with which a browser lets a page read the response. */
  headersFor({ headers }: Request): Readonly<Record<string, string>> {
    if (this.address.isOwn) return FOR_ALL
    const origin = headers.get('origin')
    if (origin === null || !allowsOrigin(origin, this.address)) return { vary: 'Origin' }
    return { vary: 'Origin', 'access-control-allow-origin': origin, ...CORS_HEADERS }
  }

  /** Throws when a request is for another server, or when a page of another site wants to change something. */
  check({ method, headers }: Request): void {
    if (!this.#isLocal) return
    const host = headers.get('host')
    if (!isOwnHost(host, this.address)) throw hostNotAllowed()
    const origin = headers.get('origin')
    const changes = !['GET', 'HEAD', 'OPTIONS'].includes(method)
    if (!changes || origin === null || isOriginOf(origin, host) || allowsOrigin(origin, this.address)) return
    throw originNotAllowed()
  }
}

const hostNotAllowed = (): AppError =>
  new AppError(
    'host-not-allowed',
    'this server does not answer to this host name; its operator can allow it with --allow-host, or as base_url in social.toml',
  )

const originNotAllowed = (): AppError =>
  new AppError(
    'forbidden',
    'pages of this origin may not change anything here; the operator of this server can allow it with --allow-origin',
  )
