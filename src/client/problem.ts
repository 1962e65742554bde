/** One thing that is wrong with a request, and where: `body.title`. */
export interface Fault {
  message?: string
  location?: string
  value?: unknown
}

/** Words before a sentence that are for programs. */
const CODE_PREFIX =
  /^(?:ambiguous|not_found|internal|invalid|conflict|unsupported|pending_interaction|no_pending|invalid_interaction|illegal_transition|csrf|read_only|forbidden): /

/** A request the server turned down, with what it said about it. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    /** The word for programs, such as `bead-not-found`; empty when the server gave none. */
    readonly code: string,
    detail: string,
    readonly details: readonly Fault[] = [],
  ) {
    super(detail)
    this.name = 'ClientProblem'
  }

  /** The sentence for people: the detail without its word for programs, and each fault with its place. */
  get sentence(): string {
    const faults = this.details.filter(({ message }) => message && !this.message.includes(message))
    const said = this.message.replace(CODE_PREFIX, '')
    if (faults.length === 0) return said
    const told = faults.map(({ location, message }) => (location ? `${location}: ${message}` : message))
    return `${said} (${told.join('; ')})`
  }
}

/** Nobody answers at the address. */
export class Unreachable extends Error {
  constructor(
    readonly url: string,
    readonly reason: string,
  ) {
    super(`nothing answers at ${url} (${reason})`)
    this.name = 'Unreachable'
  }
}

/** Reads a response that is not a success. */
export async function readApiError(response: Response): Promise<ApiError> {
  const text = await response.text().catch(() => '')
  const body = parseJson(text)
  if (!isRecord(body)) {
    return new ApiError(response.status, '', text.trim() || `${response.status} ${response.statusText}`.trim())
  }
  const detail = body.detail ?? body.error ?? body.title ?? `${response.status} ${response.statusText}`
  const faults = Array.isArray(body.errors) ? body.errors.filter(isRecord) : []
  return new ApiError(response.status, typeof body.code === 'string' ? body.code : '', String(detail), faults)
}

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
