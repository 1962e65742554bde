import { isIP } from 'node:net'
import { parseAddress } from './addresses.ts'
import { Networks } from './networks.ts'

/** Addresses outside of the public internet: this machine, its networks, its cloud's services, and their aliases. */
const PRIVATE = new Networks([
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.0.0.0/24'],
  ...['192.88.99.0/24', '192.168.0.0/16', '198.18.0.0/15', '224.0.0.0/3'],
  // An IPv4 address is also written inside one of IPv6: by compatibility, translation, 6to4 and Teredo.
  ...['::/96', '64:ff9b::/96', '64:ff9b:1::/48', '2002::/16', '2001::/32'],
  ...['100::/64', 'fc00::/7', 'fe80::/10', 'fec0::/10', 'ff00::/8'],
])

/** True if an address is one of the open internet: not this machine, not its network, not a cloud's metadata. */
export function isPublicAddress(text: string): boolean {
  const address = isIP(text) === 0 ? undefined : parseAddress(text.includes(':') ? `[${text}]` : text)
  return address !== undefined && !PRIVATE.includes(address)
}

/** Addresses that hand out the keys of a machine, or belong to no single host. */
const NEVER = new Networks([
  ...['0.0.0.0/8', '169.254.0.0/16', '224.0.0.0/3', '100.100.100.200', '192.0.0.192', '168.63.129.16'],
  ...['::/96', 'fe80::/10', 'fd00:ec2::/32', 'ff00::/8', '64:ff9b::/96', '64:ff9b:1::/48', '2002::/16', '2001::/32'],
])

/** True if an address is of a cloud's metadata, of the link or of no one: nothing is let there, anyone who names it. */
export function isForbiddenAddress(text: string): boolean {
  const address = isIP(text) === 0 ? undefined : parseAddress(text.includes(':') ? `[${text}]` : text)
  return address === undefined || (address !== '::1' && NEVER.includes(address))
}
