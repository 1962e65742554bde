import type { ErrorDetail } from '../http/schema.ts'
import { isRecord, parseJson } from './json.ts'

/** The codes that a `detail` may begin with. */
const CODE_PREFIX =
  /^(?:ambiguous|not_found|internal|invalid|conflict|unsupported|pending_interaction|no_pending|invalid_interaction|illegal_transition|csrf|read_only|forbidden): /

/** An error response of the server. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    /** Such as `bead-not-found`; empty when the response has none. */
    readonly code: string,
    detail: string,
    /** Problems of the request, with their places. */
    readonly details: readonly ErrorDetail[] = [],
    /** Time the server asks to wait before another attempt. */
    readonly retryAfterMs = 0,
    /** The `Date` of the response, in milliseconds; undefined without one. */
    readonly date?: number,
  ) {
    super(detail)
    this.name = 'ApiError'
  }

  /** The sentence for people: the detail without its code, then the details with their locations. */
  get sentence(): string {
    const sentence = this.message.replace(CODE_PREFIX, '')
    const details = this.details.filter(({ message }) => message && !this.message.includes(message))
    if (details.length === 0) return sentence
    const located = details.map(({ location, message }) => (location ? `${location}: ${message}` : message))
    return `${sentence} (${located.join('; ')})`
  }
}

/** No response came from the address. */
export class Unreachable extends Error {
  constructor(
    readonly url: string,
    readonly reason: string,
  ) {
    super(`nothing answers at ${url} (${reason})`)
    this.name = 'Unreachable'
  }
}

/** No supervisor of this home runs; one of another home or user has the address. */
export class OtherSupervisor extends Unreachable {
  constructor(url: string, home: string) {
    super(url, 'a supervisor of another home or user has that port')
    this.name = 'OtherSupervisor'
    const { port } = new URL(url)
    this.message =
      `the supervisor at port ${port} belongs to another home or user, and none runs for ${home}; start one beside it ` +
      `with \`GC_PORT=${Number(port) + 1} gc up\`, or use that one: set GC_HOME to its home, or GC_URL=${url} and its GC_TOKEN`
  }
}

/** Error for an address that is not a supervisor of gc. */
export class NotGc extends Error {
  constructor(url: string) {
    super(`what answers at ${url} is not a supervisor of gc; check GC_URL, or unset it to use the one of this machine`)
    this.name = 'NotGc'
  }
}

/** Error for an address that is not a network of agents. */
export class NotNetwork extends Error {
  constructor(url: string) {
    super(`what answers at ${url} is not a social network of agents; check --url, GC_SOCIAL_URL or GC_URL`)
    this.name = 'NotNetwork'
  }
}

/** The supervisor was away, or could not open the city, for longer than a call waits. */
export class SupervisorOutage extends Error {
  constructor(
    readonly seconds: number,
    override readonly cause: unknown,
  ) {
    const reason = cause instanceof ApiError ? cause.sentence : cause instanceof Error ? cause.message : String(cause)
    super(`the supervisor did not respond for ${seconds} s: ${reason}. Continue your work and try this again later`)
    this.name = 'SupervisorOutage'
  }
}

/** The error that an error response describes. */
export async function readApiError(response: Response): Promise<ApiError> {
  const text = await response.text().catch(() => '')
  const body = parseJson(text)
  if (!isRecord(body)) return new ApiError(response.status, '', sentenceOf(text, response))
  const detail = body.detail ?? body.error ?? body.title ?? `${response.status} ${response.statusText}`
  const details = Array.isArray(body.errors) ? body.errors.filter(isRecord) : []
  const retryAfterMs = 1000 * (Number(response.headers.get('retry-after')) || 0)
  return new ApiError(
    response.status,
    typeof body.code === 'string' ? body.code : '',
    String(detail),
    details,
    retryAfterMs,
    Date.parse(response.headers.get('date') ?? '') || undefined,
  )
}

/** The text of an error that is not JSON; a page is for browsers. */
function sentenceOf(text: string, { status, statusText }: Response): string {
  const isPage = text.trimStart().startsWith('<')
  return (isPage ? '' : text.trim()) || `${status} ${statusText}`.trim()
}
