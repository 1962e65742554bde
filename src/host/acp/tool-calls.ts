import type { SessionUpdate, ToolCallUpdate } from '@agentclientprotocol/sdk'

/** How many calls of tools are remembered. */
const MAX_CALLS = 50

/** What an agent told of its tool calls. A request for permission may name a call and leave the rest to what was told before. */
export class ToolCalls {
  readonly #calls = new Map<string, Record<string, unknown>>()

  onUpdate(update: SessionUpdate): void {
    if (update.sessionUpdate !== 'tool_call' && update.sessionUpdate !== 'tool_call_update') return
    const { sessionUpdate: _, status, ...told } = update
    const call = this.complete(told)
    this.#calls.delete(told.toolCallId)
    if (status === 'completed' || status === 'failed') return
    this.#calls.set(told.toolCallId, call)
    for (const id of [...this.#calls.keys()].slice(0, -MAX_CALLS)) this.#calls.delete(id)
  }

  /** A call with what was told of it before; what it says itself counts. */
  complete(call: ToolCallUpdate): Record<string, unknown> {
    const said = Object.entries(call).filter(([, value]) => value !== undefined && value !== null)
    return { ...this.#calls.get(call.toolCallId), ...Object.fromEntries(said) }
  }
}
