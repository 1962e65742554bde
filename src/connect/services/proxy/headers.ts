/** Headers that are about one connection, and not about what travels on it (RFC 9110, 7.6.1). */
const HOP_BY_HOP = [
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]

/** The API's own credentials: a service has no business with them. */
const CREDENTIALS = ['authorization', 'cookie']

/** What would let a page of a service act on the API's origin. */
const OF_THE_ORIGIN = ['set-cookie', 'clear-site-data', 'service-worker-allowed', 'strict-transport-security']
const CORS = 'access-control-'

/** A page of a service has an origin of its own, which can read nothing of the API. */
const SANDBOX = 'sandbox allow-scripts allow-forms'

/** Who sent a request, and to which name. */
export interface Sender {
  readonly address: string | undefined
}

/** The headers of a request as a service gets them. */
export function requestHeaders(from: Headers, { address }: Sender): Headers {
  const headers = withoutHops(from)
  for (const name of CREDENTIALS) headers.delete(name)
  if (address !== undefined) {
    headers.set('x-forwarded-for', [from.get('x-forwarded-for'), address].filter(Boolean).join(', '))
  }
  const host = from.get('host')
  if (host !== null) headers.set('x-forwarded-host', host)
  // Without this, the client that asks the service would add encodings that the sender may not know.
  if (!headers.has('accept-encoding')) headers.set('accept-encoding', 'identity')
  return headers
}

/** The headers of a WebSocket's request: what the handshake itself needs is made anew. */
export function upgradeHeaders(from: Headers, sender: Sender): Record<string, string> {
  const headers = requestHeaders(from, sender)
  const isOfHandshake = (name: string) => name.startsWith('sec-websocket-') || name === 'host'
  return Object.fromEntries([...headers].filter(([name]) => !isOfHandshake(name)))
}

/** The headers of a response as they leave. */
export function responseHeaders(from: Headers): Headers {
  const headers = withoutHops(from)
  for (const name of OF_THE_ORIGIN) headers.delete(name)
  for (const name of [...headers.keys()]) if (name.startsWith(CORS)) headers.delete(name)
  headers.append('content-security-policy', SANDBOX)
  return headers
}

function withoutHops(from: Headers): Headers {
  const headers = new Headers(from)
  const named = from.get('connection')?.split(',') ?? []
  for (const name of [...HOP_BY_HOP, ...named.map((each) => each.trim()).filter(isName)]) headers.delete(name)
  return headers
}

const isName = (text: string): boolean => /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(text)
