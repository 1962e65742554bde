/** End of a request's body. */
export type BodyEnd = { length: number } | 'chunked'

/** The first lines of a request of HTTP/1. */
export interface RequestHead {
  method: string
  target: string
  headers: readonly (readonly [name: string, value: string])[]
  body: BodyEnd
}

export const MAX_HEAD_BYTES = 32 << 10
const MAX_HEADERS = 100
const END = '\r\n\r\n'
const REQUEST_LINE = /^([A-Z]{1,20}) ([\x21-\x7e]+) HTTP\/1\.[01]$/
const HEADER_LINE = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([\t\x20-\x7e\x80-\xff]*?)[ \t]*$/

/** Splits the head of a request from what follows it; undefined while it is not whole. */
export function splitHead(bytes: Buffer): { head: string; rest: Buffer } | undefined {
  const end = bytes.indexOf(END)
  if (end < 0) return undefined
  return { head: bytes.toString('latin1', 0, end), rest: bytes.subarray(end + END.length) }
}

/** Reads a head; undefined for one that two readers could understand in two ways. */
export function parseHead(text: string): RequestHead | undefined {
  const [first = '', ...lines] = text.split('\r\n')
  const [, method, target] = REQUEST_LINE.exec(first) ?? []
  if (!method || !target || lines.length > MAX_HEADERS) return undefined
  const headers: [string, string][] = []
  for (const line of lines) {
    const [, name, value] = HEADER_LINE.exec(line) ?? []
    if (name === undefined || value === undefined) return undefined
    headers.push([name, value])
  }
  const body = bodyEnd(headers)
  return body === undefined ? undefined : { method, target, headers, body }
}

function bodyEnd(headers: RequestHead['headers']): BodyEnd | undefined {
  const encodings = valuesOf(headers, 'transfer-encoding')
  const lengths = valuesOf(headers, 'content-length')
  if (encodings.length + lengths.length > 1) return undefined
  const [encoding] = encodings
  if (encoding !== undefined) return encoding.toLowerCase() === 'chunked' ? 'chunked' : undefined
  const [length = '0'] = lengths
  return /^\d{1,15}$/.test(length) ? { length: Number(length) } : undefined
}

export const valuesOf = (headers: RequestHead['headers'], name: string): string[] =>
  headers.flatMap(([each, value]) => (each.toLowerCase() === name ? [value] : []))

/** Headers between a program and its proxy only. */
const HOP_BY_HOP = new Set([
  ...['connection', 'proxy-connection', 'keep-alive', 'proxy-authorization', 'proxy-authenticate'],
  ...['te', 'trailer', 'upgrade', 'http2-settings', 'host'],
])

const FRAMING = new Set(['content-length', 'transfer-encoding'])

/** The head for the host that a request is about: it answers this one request, and closes. */
export function rewrittenHead(
  { method, headers }: RequestHead,
  path: string,
  host: string,
  change: { without?: ReadonlySet<string>; with?: readonly (readonly [string, string])[] } = {},
): string {
  const named = valuesOf(headers, 'connection').flatMap((value) => value.toLowerCase().split(/[\s,]+/))
  const dropped = new Set([...HOP_BY_HOP, ...named.filter((name) => !FRAMING.has(name)), ...(change.without ?? [])])
  const kept = headers.filter(([name]) => !dropped.has(name.toLowerCase()))
  const lines = [['Host', host], ...kept, ...(change.with ?? []), ['Connection', 'close']]
  return [`${method} ${path} HTTP/1.1`, ...lines.map(([name, value]) => `${name}: ${value}`)].join('\r\n') + END
}
