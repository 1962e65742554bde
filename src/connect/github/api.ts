/** GitHub asks to be left alone for so many milliseconds. */
export class TooSoon extends Error {
  constructor(readonly wait: number) {
    super(`GitHub wants ${Math.ceil(wait / 1000)} s of rest`)
  }
}

const TIMEOUT_MS = 30_000
const MAX_BYTES = 8 * 1024 * 1024

/** What goes with a request. */
export interface Question {
  /** The token goes to the address that is asked and nowhere else. */
  readonly token: string | undefined
  readonly now: number
  /** What GitHub called the answer that is known. */
  readonly etag?: string
  /** Sent as JSON; without one it is a GET. */
  readonly body?: object
}

/** An answer of GitHub. */
export interface Answer {
  readonly etag: string
  readonly value: unknown
}

/** Asks GitHub's API; undefined when the answer is still the one of the etag. */
export async function ask(address: string, { token, now, etag = '', body }: Question): Promise<Answer | undefined> {
  const response = await fetch(address, {
    redirect: 'manual',
    signal: AbortSignal.timeout(TIMEOUT_MS),
    headers: {
      accept: 'application/vnd.github+json',
      'user-agent': 'gc',
      'x-github-api-version': '2022-11-28',
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(etag !== '' && { 'if-none-match': etag }),
      ...(body && { 'content-type': 'application/json' }),
    },
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
  })
  if (response.status === 304) return undefined
  const wait = restOf(response, now)
  if (wait !== undefined) throw new TooSoon(wait)
  const [path] = address.split('?')
  if (response.status !== 200) throw new Error(`${path} answered ${response.status}`)
  return { etag: response.headers.get('etag') ?? '', value: JSON.parse(await readText(response)) }
}

/** How long a rate limit asks to wait; undefined when it does not. */
function restOf({ status, headers }: Response, now: number): number | undefined {
  if (status !== 403 && status !== 429) return undefined
  const seconds = Number(headers.get('retry-after') ?? Number.NaN)
  if (seconds > 0) return seconds * 1000
  const reset = Number(headers.get('x-ratelimit-reset') ?? Number.NaN) * 1000
  if (headers.get('x-ratelimit-remaining') === '0' && reset > now) return reset - now
  return status === 429 ? 60_000 : undefined
}

async function readText({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of body ?? []) {
    length += chunk.length
    if (length > MAX_BYTES) throw new Error('what GitHub answered is too long')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}
