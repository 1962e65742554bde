import type { Caller } from './caller.ts'
import type { UntypedExchange } from './route.ts'

/** The requests that are being answered, for those who must hear when one ends early. */
export class ActiveRequests {
  readonly #open = new Map<AbortController, Caller>()
  #stopped = false

  /** A controller that aborts when the client goes away or the server stops. */
  begin(request: Request, caller: Caller): AbortController {
    const controller = new AbortController()
    const leave = () => {
      this.#open.delete(controller)
      controller.abort(request.signal.reason)
    }
    if (this.#stopped || request.signal.aborted) {
      leave()
      return controller
    }
    this.#open.set(controller, caller)
    request.signal.addEventListener('abort', leave, { once: true, signal: controller.signal })
    return controller
  }

  end(controller: AbortController): void {
    if (this.#open.delete(controller)) controller.abort()
  }

  /** Number that are open. */
  get size(): number {
    return this.#open.size
  }

  /** Ends all, and whatever begins after. */
  stop(): void {
    this.#stopped = true
    for (const controller of this.#open.keys()) this.end(controller)
  }

  /** Ends those of some callers, who may not continue. */
  endOf(isOver: (caller: Caller) => boolean): void {
    for (const [controller, caller] of this.#open) if (isOver(caller)) this.end(controller)
  }
}

/** One request on its way through its operation. */
export class ActiveExchange implements UntypedExchange {
  #controller: AbortController | undefined
  #reply: UntypedExchange['response'] | undefined
  /** True if the answer is that of an earlier request with the same key. */
  isRepeated = false
  /** The number of the last event that the result knows of, once that is read. */
  index: number | undefined

  constructor(
    readonly request: Request,
    readonly id: string,
    public caller: Caller,
    readonly params: Readonly<Record<string, string>>,
    readonly query: unknown,
    readonly body: unknown,
    private readonly activeRequests: ActiveRequests,
  ) {}

  get controller(): AbortController {
    this.#controller ??= this.activeRequests.begin(this.request, this.caller)
    return this.#controller
  }

  get signal(): AbortSignal {
    return this.controller.signal
  }

  get response(): UntypedExchange['response'] {
    this.#reply ??= { headers: {} }
    return this.#reply
  }

  /** Values set by the handler; undefined without any. */
  get explicitResponse(): UntypedExchange['response'] | undefined {
    return this.#reply
  }

  end(): void {
    if (this.#controller) this.activeRequests.end(this.#controller)
  }
}
