import type { Server } from 'bun'
import type { SocketData } from '../../http/plane-options.ts'
import { addressGroup, parseAddress, UNKNOWN_ADDRESS } from '../limits/addresses.ts'

/** The network addresses that requests come from. */
export class ClientAddresses {
  readonly #addresses = new WeakMap<Request, string>()

  constructor(
    /** Whether a proxy in front of the server says who sent a request. */
    private readonly proxied: boolean,
  ) {}

  /** Remembers the address of a request while its connection is known. */
  remember(request: Request, original: Request, server: Server<SocketData>): void {
    const sender = this.#forwardedFor(original) ?? server.requestIP(original)?.address ?? ''
    this.#addresses.set(request, parseAddress(sender) ?? UNKNOWN_ADDRESS)
  }

  addressOf(request: Request): string {
    return this.#addresses.get(request) ?? UNKNOWN_ADDRESS
  }

  /** The group of addresses that limits count together. */
  groupOf(request: Request): string {
    return addressGroup(this.addressOf(request))
  }

  /** What the proxy says, which is the last part of the header. */
  #forwardedFor(request: Request): string | undefined {
    if (!this.proxied) return undefined
    return request.headers.get('x-forwarded-for')?.split(',').at(-1)?.trim() || undefined
  }
}
