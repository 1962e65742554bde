import { AppError } from '../core/errors.ts'
import type { RequestHandler } from '../http/app.ts'
import { isLoopback, parseHost } from '../http/authority.ts'
import type { ListenOptions } from '../http/listen.ts'
import { listenWithRetry } from '../http/listen-with-retry.ts'
import { notFoundHandler } from '../http/not-found.ts'

/** Where other machines reach hooks and direct services. */
export interface PublicListen {
  readonly host: string
  readonly port: number
  /** The addresses under which others know it, such as that of a tunnel or proxy before it; the first is shown. */
  readonly urls: readonly string[]
}

const WILDCARDS: ReadonlySet<string> = new Set(['0.0.0.0', '::'])

/** The address to show of a public listener: the first that was given, else that of its socket. */
export const publicUrlOf = ({ urls: [first] }: PublicListen, bound: string): string =>
  (first ?? bound).replace(/\/+$/, '')

/** Serves requests that name a host of the public listener; everything else is answered as if nothing were there. */
export function publicHandler({ host, urls }: PublicListen, handler: RequestHandler): RequestHandler {
  const names = new Set([host.toLowerCase(), ...urls.map((url) => new URL(url).hostname.replace(/^\[|\]$/g, ''))])
  const isKnown = (name: string) => names.has(name) || (isLoopback(host) && isLoopback(name))
  return {
    fetch(request, server) {
      const name = parseHost(request.headers.get('host'))
      return (name !== undefined && isKnown(name) ? handler : notFoundHandler).fetch(request, server)
    },
    stop: () => handler.stop(),
  }
}

/** Opens the public listener. It takes no credential: whoever comes through it is nobody. */
export async function listenPublicly(
  options: PublicListen,
  handler: RequestHandler,
  { deadlines, report }: Pick<ListenOptions, 'deadlines' | 'report'>,
): Promise<{ url: string; stop(): Promise<void> }> {
  const { host, port, urls } = options
  if (urls.length === 0 && WILDCARDS.has(host)) {
    throw new AppError(
      'invalid-request',
      `${host} is no name that others can use: add --public-url with the address they reach`,
    )
  }
  const listening = await listenWithRetry(publicHandler(options, handler), {
    host,
    port,
    deadlines,
    report,
    anySize: true,
  })
  return { url: publicUrlOf(options, listening.url), stop: () => listening.stop() }
}
