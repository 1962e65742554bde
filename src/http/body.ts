import type { Deadlines } from '../core/deadlines.ts'
import { AppError, errorMessage } from '../core/errors.ts'
import { isNestedTooDeep, MAX_JSON_DEPTH, withoutLoneSurrogates } from '../core/text/index.ts'
import { describeJsonError } from './respond/index.ts'

/** Maximum size and duration of a body. */
export interface BodyReaderOptions {
  readonly deadlines: Deadlines
  /** In bytes. */
  readonly limit: number
  /** In milliseconds. */
  readonly timeoutMs: number
  /** Throws an error for a body that does not fit its request. */
  check?(request: Request, bytes: Uint8Array): void
}

/** Maximum time for a body of an operation that takes larger ones. */
const LARGE_TIMEOUT_MS = 60_000

/** A closing connection carries the answer: the rest of the body is not wanted. */
const CLOSE = { connection: 'close' }

/** The one reader of request bodies of a plane. */
export class BodyReader {
  readonly #decoder = new TextDecoder('utf-8', { fatal: true })

  constructor(private readonly rules: BodyReaderOptions) {}

  /** Maximum size of a body in bytes, unless its reader allows more. */
  get limit(): number {
    return this.rules.limit
  }

  /** The value of a JSON body; undefined when there is none. */
  async json(request: Request, limit?: number): Promise<unknown> {
    requireJson(request)
    const bytes = await this.bytes(request, limit)
    return bytes.length === 0 ? undefined : this.#parse(bytes)
  }

  /** The body as it came, whatever its type. */
  async bytes(request: Request, limit = this.rules.limit): Promise<Uint8Array> {
    const bytes = await this.#read(request, limit)
    this.rules.check?.(request, bytes)
    return bytes
  }

  async #read(request: Request, limit: number): Promise<Uint8Array> {
    const { body } = request
    if (!body) return new Uint8Array()
    const announced = request.headers.get('content-length')
    const most = announced === null ? limit : Math.min(Number(announced), limit)
    const timeoutMs = most > this.rules.limit ? LARGE_TIMEOUT_MS : this.rules.timeoutMs
    if (announced === null) return this.#inTime(this.#collect(body, limit), timeoutMs)
    if (Number(announced) > limit) throw tooLarge(limit)
    return this.#inTime(request.bytes(), timeoutMs)
  }

  #parse(bytes: Uint8Array): unknown {
    let text: string
    try {
      text = this.#decoder.decode(bytes)
    } catch {
      throw unreadable('the body is not UTF-8')
    }
    if (isNestedTooDeep(text)) throw tooDeep()
    try {
      return JSON.parse(withoutLoneSurrogates(text))
    } catch {
      throw unreadable(`the body is not JSON: ${describeJsonError(text)}`)
    }
  }

  #inTime(reading: Promise<Uint8Array>, timeoutMs: number): Promise<Uint8Array> {
    const { deadlines } = this.rules
    return new Promise((resolve, reject) => {
      const deadline = deadlines.after(timeoutMs, () => {
        reject(
          new AppError('request-timeout', `the body did not arrive within ${timeoutMs / 1000} s`, { headers: CLOSE }),
        )
      })
      const settle = () => deadline.cancel()
      reading.then(resolve, (error) => reject(error instanceof AppError ? error : broken(error))).finally(settle)
    })
  }

  /** A body of unknown length, up to the limit; leaving the loop cancels the rest. */
  async #collect(body: ReadableStream<Uint8Array>, limit: number): Promise<Uint8Array> {
    const chunks: Uint8Array[] = []
    let length = 0
    for await (const chunk of body) {
      length += chunk.length
      if (length > limit) throw tooLarge(limit)
      chunks.push(chunk)
    }
    return Buffer.concat(chunks)
  }
}

/** Throws 415 for a request whose content type is another than JSON; without one it is JSON. */
function requireJson({ headers }: Request): void {
  const media = (headers.get('content-type') ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? ''
  if (media === '' || media === 'application/json' || media.endsWith('+json')) return
  throw new AppError('validation-failed', `a body of type ${media.slice(0, 100)} is not read here; send JSON`, {
    status: 415,
  })
}

/** Throws 415 for a change with a body that is not JSON, even where no body is read. An empty body has no type. */
export function requireJsonIfAny(request: Request): void {
  const { headers } = request
  if (Number(headers.get('content-length') ?? 0) > 0 || headers.has('transfer-encoding')) requireJson(request)
}

const tooLarge = (limit: number): AppError =>
  new AppError('body-too-large', `a body may have ${limit} bytes at most`, { headers: CLOSE })

const broken = (error: unknown): AppError =>
  new AppError('invalid-request', `the body broke off: ${errorMessage(error)}`)

const tooDeep = (): AppError =>
  new AppError('body-too-deep', `the body is nested more than ${MAX_JSON_DEPTH} levels deep; send a flatter one`)

const unreadable = (detail: string): AppError => new AppError('validation-failed', detail, { status: 400 })
