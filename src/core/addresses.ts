import { isIPv4, isIPv6 } from 'node:net'

/** `[2001:db8::1]:443` and `192.0.2.1:443`. */
const WITH_PORT = /^(?:\[([^\]]*)\]|([^:]*))(?::\d{1,5})?$/
const MAPPED = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/

/**
 * An address in its only form: without brackets, port and zone, an IPv4 address inside an IPv6 one as itself. Undefined
 * for anything that is not an address.
 */
export function parseAddress(text: string): string | undefined {
  const [, bracketed, plain] = WITH_PORT.exec(text) ?? []
  const [address = ''] = (bracketed ?? plain ?? text).split('%', 1)
  if (bracketed === undefined && isIPv4(address)) return address
  return isIPv6(address) ? withoutMapping(new URL(`http://[${address}]`).hostname.slice(1, -1)) : undefined
}

function withoutMapping(address: string): string {
  const [, high, low] = MAPPED.exec(address) ?? []
  if (high === undefined || low === undefined) return address
  const bits = [high, low].map((half) => Number.parseInt(half, 16))
  return bits.flatMap((half) => [half >> 8, half & 255]).join('.')
}

/** The last part of an `X-Forwarded-For` header, which is what the nearest proxy says of the sender. */
export const forwardedAddress = ({ headers }: Request): string | undefined =>
  headers.get('x-forwarded-for')?.split(',').at(-1)?.trim() || undefined
