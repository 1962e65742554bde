import type { ToolCall } from '../entries/tool-kinds.ts'

/** A call is answered before so many others are made. */
const MOST = 500

/** Calls of tools that may still be answered, by their id. */
export class Calls {
  readonly #known = new Map<string, ToolCall>()

  add(id: string, call: ToolCall): void {
    this.#known.delete(id)
    this.#known.set(id, call)
    if (this.#known.size > MOST) this.#known.delete(this.#known.keys().next().value ?? '')
  }

  of(id: string | undefined): ToolCall | undefined {
    return id === undefined ? undefined : this.#known.get(id)
  }
}
