import { AppError } from '../../core/errors.ts'
import { isLoopback } from '../../http/guard.ts'

export interface ArrivalSettings {
  /** What our addresses begin with, when the operator said so. */
  readonly baseUrl: string | undefined
  /** Names of this server beside those of this machine. */
  readonly hosts: readonly string[]
}

const HOST = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(:\d{1,5})?$/

/** What our own addresses begin with for this visitor; throws when the request meant another server. */
export function baseOf(request: Request, { baseUrl, hosts }: ArrivalSettings): string {
  const host = (request.headers.get('host') ?? '').toLowerCase()
  const name = host.replace(/:\d+$/, '').replace(/[[\]]/g, '')
  const ours =
    HOST.test(host) &&
    (isLoopback(name) ||
      hosts.some((one) => one.toLowerCase() === name) ||
      (baseUrl !== undefined && new URL(baseUrl).host === host))
  if (!ours)
    throw new AppError(
      'host-not-allowed',
      'this is not a name of this server; its operator can add it with --allow-host, or as base_url in social.toml',
    )
  return baseUrl ?? `http://${host}`
}
