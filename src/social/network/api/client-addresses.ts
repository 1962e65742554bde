import type { Server } from 'bun'
import { forwardedAddress, parseAddress } from '../../../core/addresses.ts'
import type { SocketData } from '../../../http/plane-options.ts'
import { addressGroup, UNKNOWN_ADDRESS } from '../../limits/index.ts'
import type { PassedRequests } from './passed-requests.ts'

/** The network addresses that requests come from. */
export class ClientAddresses {
  readonly #addresses = new WeakMap<Request, string>()

  constructor(
    private readonly passed: PassedRequests,
    /** True if a proxy in front of the server says who sent a request. */
    private readonly proxied: boolean,
  ) {}

  /** Remembers the address of a request while its connection is known. */
  remember(request: Request, original: Request, server: Server<SocketData>): void {
    const forwarded = this.proxied ? forwardedAddress(original) : undefined
    const sender = forwarded ?? this.passed.senderOf(original) ?? server.requestIP(original)?.address ?? ''
    this.#addresses.set(request, parseAddress(sender) ?? UNKNOWN_ADDRESS)
  }

  addressOf(request: Request): string {
    return this.#addresses.get(request) ?? UNKNOWN_ADDRESS
  }

  /** The group of addresses that limits count together. */
  groupOf(request: Request): string {
    return addressGroup(this.addressOf(request))
  }
}
