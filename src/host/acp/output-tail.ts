import type { SessionUpdate } from '@agentclientprotocol/sdk'
import type { Redactor } from '../../core/redact.ts'

const MAX_LINES = 1_000
const MAX_LINE_LENGTH = 4_000

/** The last lines of what an agent says and does, as a person would read them. */
export class OutputTail {
  #lines: string[] = []
  #open = false
  /** How much was shown in all. */
  bytes = 0

  constructor(private readonly redactor: Redactor) {}

  get lines(): string[] {
    return this.#lines.map((appendLine) => this.redactor.redact(appendLine))
  }

  /** Words that go on where the last ones ended. */
  appendText(text: string): void {
    this.bytes += Buffer.byteLength(text)
    const [first = '', ...more] = text.split('\n')
    const last = this.#open ? (this.#lines.pop() ?? '') : ''
    this.#push(last + first)
    for (const line of more) this.#push(line)
    this.#open = true
  }

  line(text: string): void {
    if (this.#open && this.#lines.at(-1) === '') this.#lines.pop()
    this.#open = false
    this.appendText(text)
    this.#open = false
  }

  /** Appends what is worth showing of an update. */
  update(update: SessionUpdate): void {
    if (update.sessionUpdate === 'agent_message_chunk' && update.content.type === 'text')
      this.appendText(update.content.text)
    if (update.sessionUpdate === 'tool_call') this.line(`▸ ${update.title}`)
    if (update.sessionUpdate === 'tool_call_update' && update.status === 'failed') this.line('▸ failed')
    if (update.sessionUpdate === 'plan') {
      for (const { content, status } of update.entries) this.line(`${status === 'completed' ? '☑' : '☐'} ${content}`)
    }
  }

  #push(line: string): void {
    this.#lines.push(line.slice(-MAX_LINE_LENGTH))
    if (this.#lines.length > MAX_LINES) this.#lines.shift()
  }
}
