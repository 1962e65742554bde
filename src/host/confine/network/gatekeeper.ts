import { HostRules } from '../../../core/host-rules.ts'
import { isForbiddenAddress, isPublicAddress } from '../../../core/public-addresses.ts'
import type { ProxyRules } from '../../protocol/proxy.ts'
import type { Resolve } from './dial.ts'
import { listedHost } from './ledger.ts'

/** A connection is refused, for this reason, or fails. */
export class Refusal extends Error {
  constructor(
    readonly status: 400 | 403 | 502,
    message: string,
  ) {
    super(message)
  }
}

/** Decides where a session may connect to. */
export class Gatekeeper {
  readonly #rules: HostRules

  constructor(
    private readonly rules: Pick<ProxyRules, 'hosts' | 'advice'>,
    private readonly resolve: Resolve,
  ) {
    this.#rules = new HostRules(rules.hosts)
  }

  /** The addresses of a host that a session may connect to; throws a refusal when there are none. */
  async admit(host: string, port: number): Promise<readonly string[]> {
    if (!this.#rules.allows(host, port))
      throw new Refusal(403, this.#advise(`${host}:${port} is not allowed`, host, port))
    const addresses = await this.resolve(host).catch(() => [])
    if (addresses.length === 0) throw new Refusal(502, `${host} has no address`)
    // All of them: an address that is not looked at could be the one that is taken another time.
    const refused = addresses.find((address) => !this.#isReachable(address, port))
    if (refused === undefined) return addresses
    if (isForbiddenAddress(refused)) throw new Refusal(403, `${host} is ${refused}, which no session reaches`)
    throw new Refusal(
      403,
      this.#advise(`${host} is ${refused}, an address of this machine or its network`, refused, port),
    )
  }

  /** An address that is not public has to be allowed by itself: whoever has a name decides what it stands for. */
  #isReachable(address: string, port: number): boolean {
    if (isForbiddenAddress(address)) return false
    return isPublicAddress(address) || this.#rules.names(address, port)
  }

  #advise(what: string, host: string, port: number): string {
    return `${what}: ${this.rules.advice.replaceAll('{host}', listedHost(host, port))}`
  }
}
