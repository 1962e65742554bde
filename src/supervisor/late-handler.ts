import type { RequestHandler } from '../http/app.ts'
import { pathOf } from '../http/authority.ts'

/** Answers requests by what is loaded for them; what `first` has needs no loading. */
export class LateHandler<T> implements RequestHandler {
  #handler: RequestHandler | undefined
  #isStopped = false

  constructor(
    private readonly load: () => Promise<T>,
    private readonly choose: (loaded: T) => RequestHandler,
    private readonly first?: RequestHandler,
  ) {}

  fetch(...[request, server]: Parameters<RequestHandler['fetch']>): Response | Promise<Response> {
    if (this.#handler) return this.#handler.fetch(request, server)
    if (this.first && request.method === 'GET' && pathOf(request.url) === '/health')
      return this.first.fetch(request, server)
    return this.#loaded().then((handler) => handler.fetch(request, server))
  }

  stop(): void {
    this.#isStopped = true
    this.first?.stop()
    this.#handler?.stop()
  }

  async #loaded(): Promise<RequestHandler> {
    const handler = this.choose(await this.load())
    if (this.#handler !== handler && this.#isStopped) handler.stop()
    this.#handler = handler
    return handler
  }
}
