import { isIPv4, isIPv6 } from 'node:net'

const BRACKETED = /^\[([0-9a-f:.]+)\](?::(\d{0,5}))?$/i
const NAMED = /^([a-z0-9_](?:[a-z0-9._-]*[a-z0-9_])?)(?::(\d{0,5}))?$/i
/** A name whose last label is a number is an IPv4 address, or nothing. */
const NUMERIC_END = /(?:^|\.)(?:\d+|0x[0-9a-f]*)$/i
const MAX_LENGTH = 255 + ':65535'.length
const MAX_PORT = 65_535

/** Last parsed value: nearly all requests name one host, and each needs it several times. */
const last: { header: string | null; host: string | undefined } = { header: null, host: undefined }

/** The host that a `Host` header names: lower case, without port and brackets; undefined when it names none. */
export function parseHost(header: string | null): string | undefined {
  if (header !== last.header) Object.assign(last, { header, host: hostIn(header) })
  return last.host
}

function hostIn(header: string | null): string | undefined {
  if (!header || header.length > MAX_LENGTH) return undefined
  const match = BRACKETED.exec(header) ?? NAMED.exec(header)
  const [, name = '', port = ''] = match ?? []
  if (!name || Number(port) > MAX_PORT) return undefined
  const isHost = header.startsWith('[') ? isIPv6(name) : isHostName(name)
  return isHost ? name.toLowerCase() : undefined
}

function isHostName(name: string): boolean {
  if (NUMERIC_END.test(name)) return isIPv4(name)
  return !/xn--/i.test(name) || URL.canParse(`http://${name}`)
}

/** True if a request says to which host it is sent; the URL of any other request must not be parsed. */
export const hasHost = (request: Request): boolean => parseHost(request.headers.get('host')) !== undefined

/** True if a name or address is this machine and nothing else. */
export function isLoopback(name: string): boolean {
  if (name === '127.0.0.1' || name === 'localhost' || name === '::1') return true
  const address = name.startsWith('::ffff:') ? name.slice('::ffff:'.length) : name
  return address.startsWith('127.') && isIPv4(address)
}

const SHORTEST_ORIGIN = 'http://h'.length

/** The path of a request's URL as it was sent, also of one that has no host. */
export function pathOf(url: string): string {
  const start = url.startsWith('/') ? 0 : url.indexOf('/', SHORTEST_ORIGIN)
  const end = url.indexOf('?', start)
  return start < 0 ? '/' : url.slice(start, end < 0 ? undefined : end)
}

/** The query of a request's URL, without the `?`. */
export function searchOf(url: string): string {
  const start = url.indexOf('?')
  return start < 0 ? '' : url.slice(start + 1)
}
