import { AppError } from '../../core/errors.ts'
import { isLoopback, parseHost } from '../../http/authority.ts'

export interface BaseUrlSettings {
  /** The configured base URL. */
  readonly baseUrl: string | undefined
  /** Host names of this server besides the loopback ones. */
  readonly hosts: readonly string[]
}

/** The base of our URLs for a request; throws when the request is for another host. */
export function baseUrlOf(request: Request, { baseUrl, hosts }: BaseUrlSettings): string {
  const host = (request.headers.get('host') ?? '').toLowerCase()
  const name = parseHost(host)
  const isOurs =
    name !== undefined &&
    (isLoopback(name) ||
      hosts.some((each) => each.toLowerCase() === name) ||
      (baseUrl !== undefined && new URL(baseUrl).host === host))
  if (!isOurs)
    throw new AppError(
      'host-not-allowed',
      'this server does not answer to this host name; its operator can allow it with --allow-host, or as base_url in social.toml',
    )
  return baseUrl ?? `http://${host}`
}
