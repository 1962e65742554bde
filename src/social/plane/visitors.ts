import type { Server } from 'bun'
import type { SocketData } from '../../http/plane-options.ts'
import { networkOf } from '../limits/networks.ts'

/** Where requests come from. */
export class Visitors {
  readonly #addresses = new WeakMap<Request, string>()

  constructor(
    /** Whether a proxy of ours stands before us and says who called. */
    private readonly proxied: boolean,
  ) {}

  /** Remembers where a request came from, while the connection is at hand. */
  note(request: Request, original: Request, server: Server<SocketData>): void {
    this.#addresses.set(request, this.#said(original) ?? server.requestIP(original)?.address ?? '')
  }

  addressOf(request: Request): string {
    return this.#addresses.get(request) ?? ''
  }

  /** Who is counted together with the caller. */
  groupOf(request: Request): string {
    return networkOf(this.addressOf(request))
  }

  #said(request: Request): string | undefined {
    if (!this.proxied) return undefined
    return request.headers.get('x-forwarded-for')?.split(',').at(-1)?.trim().slice(0, 64) || undefined
  }
}

/** The path of an address, as it was sent. */
export function pathOf(url: string): string {
  const start = url.indexOf('/', url.indexOf('://') + 3)
  const end = url.indexOf('?', start)
  return start < 0 ? '/' : url.slice(start, end < 0 ? undefined : end)
}
