/**
 * Whom an address is counted with: itself, or for one of the newer kind its network, the first four groups. Whoever has
 * one of those has all its addresses, more than could be counted.
 */
export function networkOf(address: string): string {
  if (!address.includes(':') || address.includes('.')) return address
  const [front, back] = address.split('::', 2).map(groupsOf)
  const zeros = back === undefined ? 0 : Math.max(8 - (front?.length ?? 0) - back.length, 0)
  return [...(front ?? []), ...Array.from({ length: zeros }, () => '0'), ...(back ?? [])].slice(0, 4).join(':')
}

/** The groups of a part of an address, each without zeros before it. */
const groupsOf = (part: string): string[] =>
  part === '' ? [] : part.split(':').map((group) => group.toLowerCase().replace(/^0+(?=.)/, ''))
