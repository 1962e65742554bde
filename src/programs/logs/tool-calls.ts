import type { ToolCall } from '../entries/index.ts'

/** A call is answered before this many others are made. */
const MAX_OPEN_CALLS = 500

/** The tool calls that may still be answered, by id. */
export class ToolCalls {
  readonly #calls = new Map<string, ToolCall>()

  add(id: string, call: ToolCall): void {
    this.#calls.delete(id)
    this.#calls.set(id, call)
    if (this.#calls.size > MAX_OPEN_CALLS) this.#calls.delete(this.#calls.keys().next().value ?? '')
  }

  find(id: string | undefined): ToolCall | undefined {
    return id === undefined ? undefined : this.#calls.get(id)
  }
}
