import { AppError } from '../../core/errors.ts'
import { type HostSettings, isOwnHost } from '../network/index.ts'

/** The base of our URLs for a request; throws when the request is for another host. */
export function baseUrlOf(request: Request, settings: HostSettings): string {
  const host = request.headers.get('host')
  if (!isOwnHost(host, settings))
    throw new AppError(
      'host-not-allowed',
      'this server does not answer to this host name; its operator can allow it with --allow-host, or as base_url in social.toml',
    )
  return settings.baseUrl ?? `http://${host?.toLowerCase()}`
}
