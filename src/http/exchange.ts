import { type Attempt, firstAttempt, type SaveResponse, withoutReplay } from '../core/replays/replays.ts'
import type { Caller } from './caller.ts'
import type { UntypedExchange } from './route.ts'

/** The requests that are being answered, for those who must hear when one ends early. */
export class ActiveRequests {
  readonly #open = new Set<AbortController>()
  #stopped = false

  /** A controller that aborts when the client goes away or the server stops. */
  begin(request: Request): AbortController {
    const life = new AbortController()
    const leave = () => {
      this.#open.delete(life)
      life.abort(request.signal.reason)
    }
    if (this.#stopped || request.signal.aborted) {
      leave()
      return life
    }
    this.#open.add(life)
    request.signal.addEventListener('abort', leave, { once: true, signal: life.signal })
    return life
  }

  end(life: AbortController): void {
    if (this.#open.delete(life)) life.abort()
  }

  /** How many are open. */
  get size(): number {
    return this.#open.size
  }

  /** Ends all, and whatever begins after. */
  stop(): void {
    this.#stopped = true
    for (const life of this.#open) this.end(life)
  }
}

/** One request on its way through its operation. */
export class ActiveExchange implements UntypedExchange {
  #life: AbortController | undefined
  #reply: UntypedExchange['response'] | undefined
  saveResponse: SaveResponse = withoutReplay
  attempt: Attempt = firstAttempt

  constructor(
    readonly request: Request,
    readonly id: string,
    readonly caller: Caller,
    readonly params: Readonly<Record<string, string>>,
    readonly query: unknown,
    readonly body: unknown,
    private readonly activeRequests: ActiveRequests,
  ) {}

  get life(): AbortController {
    this.#life ??= this.activeRequests.begin(this.request)
    return this.#life
  }

  get signal(): AbortSignal {
    return this.life.signal
  }

  get response(): UntypedExchange['response'] {
    this.#reply ??= { headers: {} }
    return this.#reply
  }

  /** What the handler set; undefined when it set nothing. */
  get explicitResponse(): UntypedExchange['response'] | undefined {
    return this.#reply
  }

  end(): void {
    if (this.#life) this.activeRequests.end(this.#life)
  }
}
