const [UNSPECIFIED, UNIX, INET, INET6] = [0, 1, 2, 10]
/** Prefix of an IPv4 address written as IPv6. */
const MAPPED = '00000000000000000000ffff'

/** Destination of a program's connection; an address is its bytes in hexadecimal. */
export type Destination =
  | { kind: 'path'; path: string }
  | { kind: 'abstract'; name: string }
  | { kind: 'tcp'; address: string; port: number }
  | { kind: 'nothing' }
  | { kind: 'other'; family: number }

/** Reads a `struct sockaddr`. */
export function parseSocketAddress(bytes: Buffer): Destination {
  const family = bytes.length >= 2 ? bytes.readUInt16LE(0) : -1
  if (family === UNSPECIFIED) return { kind: 'nothing' }
  if (family === UNIX) return parseUnix(bytes.subarray(2))
  if (family === INET && bytes.length >= 8) return tcp(bytes.readUInt16BE(2), bytes.subarray(4, 8))
  if (family === INET6 && bytes.length >= 24) return tcp(bytes.readUInt16BE(2), bytes.subarray(8, 24))
  return { kind: 'other', family }
}

function parseUnix(bytes: Buffer): Destination {
  if (bytes.length === 0 || bytes[0] === 0) return { kind: 'abstract', name: bytes.subarray(1).toString() }
  const end = bytes.indexOf(0)
  return { kind: 'path', path: bytes.subarray(0, end < 0 ? bytes.length : end).toString() }
}

const LOOPBACK = ['7f000001', '1'.padStart(32, '0')] as const

/**
 * Replaces an address that stands for all by the one of loopback. The kernel would take the address that the socket
 * is bound to, which may be another one of this machine.
 */
export function nameLoopback(bytes: Buffer): void {
  const to = parseSocketAddress(bytes)
  if (to.kind !== 'tcp' || !isWildcard(to.address)) return
  const [four, six] = LOOPBACK
  if (bytes.readUInt16LE(0) === INET) bytes.write(four, 4, 'hex')
  else if (to.address.length === four.length) bytes.write(four, 20, 'hex')
  else bytes.write(six, 8, 'hex')
}

const tcp = (port: number, bytes: Buffer): Destination => ({ kind: 'tcp', address: fold(bytes.toString('hex')), port })

const fold = (address: string): string => (address.startsWith(MAPPED) ? address.slice(MAPPED.length) : address)

/** Reads an address of `/proc/net/tcp` or `tcp6`: groups of four bytes, each from its last to its first. */
export function parseListed(hex: string): string {
  const groups = hex.toLowerCase().match(/.{8}/g) ?? []
  return fold(groups.map((group) => Buffer.from(group, 'hex').reverse().toString('hex')).join(''))
}

/** True if an address stands for all addresses of this machine; one connects to loopback by it. */
const isWildcard = (address: string): boolean => /^0+$/.test(address)

/**
 * Closeness of a listening address to a connected one: the kernel picks the closest socket. Undefined when the socket
 * hears nothing of it. One at all addresses of IPv6 may hear those of IPv4, where no other does.
 */
export function closeness(listening: string, address: string): number | undefined {
  if (listening === address) return 2
  if (!isWildcard(listening) || listening.length < address.length) return undefined
  return listening.length === address.length ? 1 : 0
}

export const isLoopback = (address: string): boolean =>
  isWildcard(address) || (address.length === 8 ? address.startsWith('7f') : /^0+1$/.test(address))

/** Metadata addresses of clouds besides link-local ones: 100.100.100.200, 192.0.0.192, 168.63.129.16. */
const METADATA = new Set(['646464c8', 'c00000c0', 'a83f8110'])

/** True if an address is one of the link, or of those where clouds hand out the keys of a machine. */
export const isOfMachine = (address: string): boolean =>
  address.length === 8 ? address.startsWith('a9fe') || METADATA.has(address) : /^fe[89ab]|^fd000ec2/.test(address)

/** An address and a port as people write them. */
export function showAddress(address: string, port: number): string {
  if (address.length === 8) return `${[...Buffer.from(address, 'hex')].join('.')}:${port}`
  const groups = address.match(/.{4}/g) ?? []
  return `[${groups.map((group) => Number.parseInt(group, 16).toString(16)).join(':')}]:${port}`
}
