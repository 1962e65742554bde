import type { SessionRow } from '../../../work/sessions/index.ts'
import type { StructuredFrame } from '../schema.ts'
import type { Message } from '../structured/messages.ts'
import { linesOf, resumeScreen, type SessionOutput, toMessage, toStructured, withMessages } from './screen.ts'
import { ScreenParts } from './screen-parts.ts'

type Operation = Pick<StructuredFrame, 'operation' | 'reset_reason'>

/** A reader of a screen in the structured format: it is sent all of it once, then what changes. */
export class ScreenReader {
  /** The lines that it has; undefined while it is not known in which messages it has them. */
  #parts: ScreenParts | undefined
  /** Last state sent of each question. */
  #asked = new Map<string, string>()

  constructor(
    private readonly row: SessionRow,
    private token: string,
  ) {}

  /** Frame to send of a screen; undefined if the reader has all of it. */
  frame(output: SessionOutput | undefined): StructuredFrame | undefined {
    if (this.#parts && output) return this.#changes(this.#parts, output)
    const resume = resumeScreen(this.token, this.row, output)
    if (resume.how === 'same') {
      if (resume.count === 1) this.#begin(output)
      return undefined
    }
    const { how: _, ...operation } = resume
    return this.#whole(output, operation)
  }

  #changes(parts: ScreenParts, output: SessionOutput): StructuredFrame | undefined {
    const changed = parts.advance(linesOf(output))
    if (!changed) return this.#whole(output, { operation: 'reset', reset_reason: 'history_rewritten' })
    const messages = [...this.#changedQuestions(output), ...changed.map((part) => toMessage(this.row, part))]
    if (messages.length === 0) return undefined
    return this.#sent({ ...withMessages(this.row, output, { count: parts.count, messages }), operation: 'upsert' })
  }

  #whole(output: SessionOutput | undefined, operation: Operation): StructuredFrame {
    this.#begin(output)
    return this.#sent({ ...toStructured(this.row, output), ...operation })
  }

  /** The reader has all of a screen, as one message. */
  #begin(output: SessionOutput | undefined): void {
    this.#parts = output && new ScreenParts(linesOf(output))
    this.#asked = new Map()
    if (output) this.#changedQuestions(output)
  }

  #changedQuestions({ asked = [] }: SessionOutput): Message[] {
    return asked.filter((message) => {
      const json = JSON.stringify(message)
      if (this.#asked.get(message.id) === json) return false
      this.#asked.set(message.id, json)
      return true
    })
  }

  #sent(frame: StructuredFrame): StructuredFrame {
    this.token = frame.history.cursor.resume_token
    return frame
  }
}
