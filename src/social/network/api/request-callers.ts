import type { AgentCaller, Caller, Operator } from '../../../http/caller.ts'
import { human } from '../../../http/guard.ts'

/** The key of an agent with which a request came. */
export interface RequestKey {
  readonly id: string
  /** True if the request is signed with it; otherwise it was sent. */
  readonly signs: boolean
}

interface AdmittedCaller {
  readonly caller: AgentCaller | Operator
  readonly key: RequestKey | undefined
}

/** Sender of each request, as found by the guard, with the key. */
export class RequestCallers {
  readonly #callers = new WeakMap<Request, AdmittedCaller>()

  set(request: Request, caller: AgentCaller | Operator, key?: RequestKey): void {
    this.#callers.set(request, { caller, key })
  }

  callerOf(request: Request): Caller {
    return this.#callers.get(request)?.caller ?? human
  }

  keyIdOf(request: Request): string {
    return this.#callers.get(request)?.key?.id ?? ''
  }

  isSigned(request: Request): boolean {
    return this.#callers.get(request)?.key?.signs ?? false
  }
}
