/** Placeholder for all senders without a known address. */
export const UNKNOWN_ADDRESS = 'unknown'

/**
 * The addresses that limits count together: an IPv4 address alone, an IPv6 address with its /64 network, since anyone
 * who has one address there has them all.
 */
export function addressGroup(address: string): string {
  if (!address.includes(':')) return address
  const [front = '', back] = address.split('::', 2)
  const parts = (side: string) => (side === '' ? [] : side.split(':'))
  const zeros = back === undefined ? 0 : 8 - parts(front).length - parts(back).length
  return [...parts(front), ...Array.from({ length: zeros }, () => '0'), ...parts(back ?? '')].slice(0, 4).join(':')
}
