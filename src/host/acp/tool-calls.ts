import type { SessionUpdate, ToolCallUpdate } from '@agentclientprotocol/sdk'

/** Number of calls of tools that are remembered. */
const MAX_CALLS = 50

/** The tool calls of an agent. A request for permission may name a call and leave the rest to its earlier updates. */
export class ToolCalls {
  readonly #calls = new Map<string, Record<string, unknown>>()

  onUpdate(update: SessionUpdate): void {
    if (update.sessionUpdate !== 'tool_call' && update.sessionUpdate !== 'tool_call_update') return
    const { sessionUpdate: _, status, ...fields } = update
    const call = this.complete(fields)
    this.#calls.delete(fields.toolCallId)
    if (status === 'completed' || status === 'failed') return
    this.#calls.set(fields.toolCallId, call)
    for (const id of [...this.#calls.keys()].slice(0, -MAX_CALLS)) this.#calls.delete(id)
  }

  /** A call with the fields of its earlier updates; its own come first. */
  complete(call: ToolCallUpdate): Record<string, unknown> {
    const present = Object.entries(call).filter(([, value]) => value !== undefined && value !== null)
    return { ...this.#calls.get(call.toolCallId), ...Object.fromEntries(present) }
  }
}
