import type { Server } from 'bun'
import type { SocketData } from '../../http/plane-options.ts'
import { addressGroup } from '../limits/address-groups.ts'

/** The network addresses that requests come from. */
export class ClientAddresses {
  readonly #addresses = new WeakMap<Request, string>()

  constructor(
    /** Whether a proxy in front of the server says who sent a request. */
    private readonly proxied: boolean,
  ) {}

  /** Remembers the address of a request while its connection is known. */
  remember(request: Request, original: Request, server: Server<SocketData>): void {
    this.#addresses.set(request, this.#forwardedFor(original) ?? server.requestIP(original)?.address ?? '')
  }

  addressOf(request: Request): string {
    return this.#addresses.get(request) ?? ''
  }

  /** The group of addresses that limits count together. */
  groupOf(request: Request): string {
    return addressGroup(this.addressOf(request))
  }

  #forwardedFor(request: Request): string | undefined {
    if (!this.proxied) return undefined
    return request.headers.get('x-forwarded-for')?.split(',').at(-1)?.trim().slice(0, 64) || undefined
  }
}
