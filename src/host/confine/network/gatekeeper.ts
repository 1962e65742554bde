import { isIP } from 'node:net'
import { HostRules } from '../../../core/host-rules.ts'
import { isForbiddenAddress, isPublicAddress } from '../../../core/public-addresses.ts'
import type { ProxyRules } from '../../protocol/index.ts'
import type { Resolve } from './dial.ts'
import type { HostConsent, Verdict } from './host-consent.ts'
import { listedHost } from './ledger.ts'

/** A connection is refused, for this reason, or fails. */
export class Refusal extends Error {
  constructor(
    readonly status: 400 | 403 | 502,
    message: string,
    /** The hosts that would must be allowed; none where that would not help. */
    readonly needed: readonly string[] = [],
  ) {
    super(message)
  }
}

/** Decides where a session may connect to. */
export class Gatekeeper {
  readonly #rules: HostRules

  constructor(
    private readonly rules: Pick<ProxyRules, 'hosts' | 'advice' | 'otherwise'>,
    private readonly resolve: Resolve,
    /** Asks people about other hosts. */
    private readonly consent?: Pick<HostConsent, 'request'>,
    /** True if a host is reached through a proxy that looks names up itself, also those that no one knows here. */
    private readonly isThrough: (host: string, port: number) => boolean = () => false,
  ) {
    this.#rules = new HostRules(rules.hosts)
  }

  /** The addresses of a host that a session may connect to; throws a refusal when there are none. */
  async admit(host: string, port: number): Promise<readonly string[]> {
    if (isForbidden(host)) throw new Refusal(403, `${host} is an address that no session reaches`)
    const isListed = this.#rules.allows(host, port)
    if (!isListed) await this.#requireConsent(host, port)
    const addresses = await this.resolve(host).catch(() => [])
    if (addresses.length === 0 && this.isThrough(host, port)) return []
    if (addresses.length === 0) throw new Refusal(502, `${host} has no address`)
    // All of them: an address that is not looked at could be the one that is taken another time.
    const isReachable = (address: string) => this.#isReachable(address, port) || (!isListed && address === host)
    const refused = addresses.filter((address) => !isReachable(address))
    if (refused.length === 0) return addresses
    const forbidden = refused.find(isForbiddenAddress)
    if (forbidden !== undefined) throw new Refusal(403, `${host} is ${forbidden}, which no session reaches`)
    const kind = refused.length === 1 ? 'an address' : 'addresses'
    const what = `${host} is ${refused.join(' and ')}, ${kind} of this machine or its network`
    throw this.#refusal(what, refused, port)
  }

  async #requireConsent(host: string, port: number): Promise<void> {
    const verdict = await this.consent?.request(host, port)
    if (verdict === 'allowed') return
    const why = verdict === undefined ? 'is not allowed' : WHY[verdict]
    throw this.#refusal(`${host}:${port} ${why}`, [host], port, this.rules.otherwise)
  }

  /** An address that is not public must be allowed automatically: anyone who has a name decides what it stands for. */
  #isReachable(address: string, port: number): boolean {
    if (isForbiddenAddress(address)) return false
    return isPublicAddress(address) || this.#rules.names(address, port)
  }

  #refusal(what: string, hosts: readonly string[], port: number, otherwise = ''): Refusal {
    const needed = hosts.map((host) => listedHost(host, port))
    return new Refusal(
      403,
      `${what}: ${this.rules.advice.replaceAll('{host}', needed.join('", "'))}${otherwise}`,
      needed,
    )
  }
}

const WHY: Readonly<Record<Exclude<Verdict, 'allowed'>, string>> = {
  refused: 'was denied',
  unanswered: 'is on no list, and the person who is asked has not answered yet; try again later',
  'too-many': 'is not allowed, and too many other hosts already wait for an answer',
}

const isForbidden = (host: string): boolean => isIP(host) !== 0 && isForbiddenAddress(host)
