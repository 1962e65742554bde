import type { AgentCaller, Caller, Operator } from '../../http/caller.ts'
import { human } from '../../http/guard.ts'

/** Who sent each request, as the guard found out, and with which key. */
export class RequestCallers {
  readonly #callers = new WeakMap<Request, { caller: AgentCaller | Operator; keyId: string }>()

  set(request: Request, caller: AgentCaller | Operator, keyId = ''): void {
    this.#callers.set(request, { caller, keyId })
  }

  callerOf(request: Request): Caller {
    return this.#callers.get(request)?.caller ?? human
  }

  keyIdOf(request: Request): string {
    return this.#callers.get(request)?.keyId ?? ''
  }
}
