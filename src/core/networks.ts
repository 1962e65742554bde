import { BlockList, isIP, isIPv4 } from 'node:net'

/** Networks of IPv4 and IPv6 addresses, such as `192.0.2.0/24`, `2001:db8::/32` or one address alone. */
export class Networks {
  readonly #list = new BlockList()

  /** Throws a sentence for a text that is not a network. */
  constructor(networks: readonly string[]) {
    for (const network of networks) this.#add(network)
  }

  /** An IPv4 address inside an IPv6 one counts as itself. */
  includes(address: string): boolean {
    const family = isIP(address)
    return family !== 0 && this.#list.check(address, family === 4 ? 'ipv4' : 'ipv6')
  }

  #add(network: string): void {
    const [address = '', bits] = network.split('/', 2)
    const longest = isIPv4(address) ? 32 : 128
    const length = bits === undefined ? longest : /^\d{1,3}$/.test(bits) ? Number(bits) : -1
    if (isIP(address) === 0 || length < 0 || length > longest || network.split('/').length > 2) {
      throw new Error(`"${network}" is not a network such as 192.0.2.0/24 or 2001:db8::/32`)
    }
    this.#list.addSubnet(address, length, longest === 32 ? 'ipv4' : 'ipv6')
  }
}
