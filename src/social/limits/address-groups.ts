/**
 * The addresses that limits count together: an IPv4 address alone, an IPv6 address with its /64 network, since whoever
 * has one address there has them all.
 */
export function addressGroup(address: string): string {
  if (!address.includes(':') || address.includes('.')) return address
  const [front, back] = address.split('::', 2).map(groupsOf)
  const zeros = back === undefined ? 0 : Math.max(8 - (front?.length ?? 0) - back.length, 0)
  return [...(front ?? []), ...Array.from({ length: zeros }, () => '0'), ...(back ?? [])].slice(0, 4).join(':')
}

/** The groups of a part of an IPv6 address, without leading zeros. */
const groupsOf = (part: string): string[] =>
  part === '' ? [] : part.split(':').map((group) => group.toLowerCase().replace(/^0+(?=.)/, ''))
