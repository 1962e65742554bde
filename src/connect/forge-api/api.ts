import { errorMessage } from '../../core/errors.ts'
import { isObject, parseJson } from '../../core/json.ts'
import { SECRET_MARKER } from '../../core/text/index.ts'

/** A forge asks to be left alone for so many milliseconds. */
export class TooSoon extends Error {
  constructor(readonly wait: number) {
    super(`the forge allows no more requests for ${Math.ceil(wait / 1000)} s`)
  }
}

/** A request without an answer: whatever it asks for may have happened. */
export class NoAnswer extends Error {}

const TIMEOUT_MS = 30_000
const MAX_BYTES = 8 * 1024 * 1024
const MAX_REASON = 500

/** The options of a request. */
export interface ForgeRequest {
  /** The token goes to the address that is asked and nowhere else: no redirect is followed. */
  readonly token: string | undefined
  /** The scheme of the token in its header; `Bearer` by default. */
  readonly scheme?: 'Bearer' | 'token'
  readonly now: number
  /** `POST` by default with a body, else `GET`. */
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** The ETag of the known answer. */
  readonly etag?: string
  /** Sent as JSON. */
  readonly body?: object
  readonly accept?: string
  readonly timeout?: number
}

/** An answer of a forge, whatever its status. */
export interface ForgeResponse {
  readonly status: number
  readonly etag: string
  /** The JSON of its body; undefined for a body that is none. */
  readonly value: unknown
  /** The reason it gives, on one line; empty when it gives none. */
  readonly reason: string
}

/** Sends a request to a forge; throws {@link TooSoon} at a rate limit, and {@link NoAnswer} without an answer. */
export async function send(address: string, request: ForgeRequest): Promise<ForgeResponse> {
  const { response, text } = await exchange(address, request)
  const value = text === '' ? undefined : parseJson(text)
  const reason = reasonOf(value)
  const wait = restOf(response, reason, request.now)
  if (wait !== undefined) throw new TooSoon(wait)
  return { status: response.status, etag: response.headers.get('etag') ?? '', value, reason }
}

async function exchange(address: string, request: ForgeRequest): Promise<{ response: Response; text: string }> {
  const { token, scheme = 'Bearer', etag = '', body, accept = 'application/json', timeout = TIMEOUT_MS } = request
  try {
    const response = await fetch(address, {
      redirect: 'manual',
      signal: AbortSignal.timeout(timeout),
      headers: {
        accept,
        'user-agent': 'gc',
        'x-github-api-version': '2022-11-28',
        ...(token !== undefined && { authorization: `${scheme} ${token}` }),
        ...(etag !== '' && { 'if-none-match': etag }),
        ...(body && { 'content-type': 'application/json' }),
      },
      method: request.method ?? (body ? 'POST' : 'GET'),
      ...(body && { body: JSON.stringify(body) }),
    })
    const text = await readText(response)
    return { response, text: token === undefined ? text : text.replaceAll(token, SECRET_MARKER) }
  } catch (error) {
    throw new NoAnswer(`${pathOf(address)}: ${errorMessage(error).replace(/\.? For more information.*$/, '')}`)
  }
}

/** The answer to a question to GitHub that changes nothing. */
export interface Answer {
  readonly etag: string
  readonly value: unknown
}

/** Asks GitHub's API; undefined when the answer is still the one of the etag. */
export async function ask(address: string, question: ForgeRequest): Promise<Answer | undefined> {
  const { status, etag, value } = await send(address, { accept: 'application/vnd.github+json', ...question })
  if (status === 304) return undefined
  if (status !== 200) throw new Error(`${pathOf(address)} answered ${status}`)
  if (value === undefined) throw new Error(`${pathOf(address)} did not answer with JSON`)
  return { etag, value }
}

const pathOf = (address: string): string => address.split('?')[0] ?? address

/** The reason in a body such as `{"message": "…", "errors": [{"message": "…"}]}`. */
function reasonOf(value: unknown): string {
  if (!isObject(value)) return ''
  const errors = Array.isArray(value.errors) ? value.errors : []
  const texts = [value.message, ...errors.map((error) => (isObject(error) ? error.message : error))]
  const line = texts.filter((text) => typeof text === 'string' && text !== '').join('; ')
  return line
    .replaceAll(/[\s\p{Cc}]+/gu, ' ')
    .trim()
    .slice(0, MAX_REASON)
    .toWellFormed()
}

/** The wait that a rate limit asks for; undefined without one. */
function restOf({ status, headers }: Response, reason: string, now: number): number | undefined {
  if (status !== 403 && status !== 429) return undefined
  const seconds = Number(headers.get('retry-after') ?? Number.NaN)
  if (seconds > 0) return seconds * 1000
  const reset = Number(headers.get('x-ratelimit-reset') ?? Number.NaN) * 1000
  if (headers.get('x-ratelimit-remaining') === '0' && reset > now) return reset - now
  return status === 429 || /secondary rate limit/i.test(reason) ? 60_000 : undefined
}

async function readText({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of body ?? []) {
    length += chunk.length
    if (length > MAX_BYTES) throw new Error('the answer is too long')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}
