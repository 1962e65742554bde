import type { SessionUpdate } from '@agentclientprotocol/sdk'
import type { Deadline, Deadlines } from '../../core/deadlines.ts'
import type { AgentRecordContent } from '../protocol/record.ts'
import type { RecordQueue } from './record-queue.ts'

/** Words that come within this time are one record. */
const MERGE_MS = 200
const MAX_TEXT = 32 << 10
/** The last word is held back this far, so that no secret is cut in two. */
const MAX_WORD = 256

type Chunk = Extract<SessionUpdate, { sessionUpdate: 'agent_message_chunk' | 'agent_thought_chunk' }>

interface HeldText {
  chunk: Chunk
  text: string
  due: Deadline
}

/** Writes down what happens, in order; words that follow one another become one record. */
export class RecordWriter {
  #words: HeldText | undefined

  constructor(
    private readonly queue: RecordQueue,
    private readonly deadlines: Deadlines,
  ) {}

  write(happening: AgentRecordContent): void {
    this.flush()
    this.queue.append(happening)
  }

  update(update: SessionUpdate): void {
    const text = textOf(update)
    if (text) this.#say(text.chunk, text.text)
    else this.write({ type: 'update', update: { ...update } })
  }

  /** Writes down the words that are held. */
  flush(): void {
    const words = this.#words
    if (!words) return
    this.#words = undefined
    words.due.cancel()
    this.#append(words.chunk, words.text)
  }

  #say(chunk: Chunk, text: string): void {
    if (this.#words && !continues(this.#words.chunk, chunk)) this.flush()
    if (this.#words) this.#words.text += text
    else this.#begin(chunk, text)
    if ((this.#words?.text.length ?? 0) > MAX_TEXT) this.flush()
  }

  #begin(chunk: Chunk, text: string): void {
    this.#words = { chunk, text, due: this.deadlines.after(MERGE_MS, () => this.#due(text)) }
  }

  /** Writes down the whole words; the last one waits for its end, once. */
  #due(begun: string): void {
    const words = this.#words
    if (!words) return
    const cut = /\S*$/.exec(words.text)?.index ?? 0
    const rest = words.text.slice(cut)
    if (rest === '' || rest.length > MAX_WORD || (cut === 0 && words.text === begun)) {
      this.flush()
      return
    }
    if (cut > 0) this.#append(words.chunk, words.text.slice(0, cut))
    this.#begin(words.chunk, rest)
  }

  #append(chunk: Chunk, text: string): void {
    const content = { type: 'text', text }
    this.queue.append({ type: 'update', update: { ...chunk, content } })
  }
}

function textOf(update: SessionUpdate): { chunk: Chunk; text: string } | undefined {
  if (update.sessionUpdate !== 'agent_message_chunk' && update.sessionUpdate !== 'agent_thought_chunk') return undefined
  if (update.content.type !== 'text') return undefined
  return { chunk: update, text: update.content.text }
}

const continues = (before: Chunk, now: Chunk): boolean =>
  before.sessionUpdate === now.sessionUpdate && (before.messageId ?? '') === (now.messageId ?? '')
