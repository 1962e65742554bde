import type { SessionUpdate } from '@agentclientprotocol/sdk'
import type { Deadline, Deadlines } from '../../core/deadlines.ts'
import type { Redactor } from '../../core/text/index.ts'
import type { AgentRecordContent } from '../protocol/index.ts'
import type { RecordQueue } from './record-queue.ts'

/** Words that come within this time are one record. */
const MERGE_MS = 200
const MAX_TEXT = 32 << 10
/** The last word is held back this far, so that no secret is cut in two. */
const MAX_WORD = 256

type Chunk = Extract<SessionUpdate, { sessionUpdate: 'agent_message_chunk' | 'agent_thought_chunk' }>

interface BufferedText {
  chunk: Chunk
  text: string
  due: Deadline
}

/** Writes down what happens, in order; text chunks that follow one another become one record. */
export class RecordWriter {
  #heldText: BufferedText | undefined

  constructor(
    private readonly queue: RecordQueue,
    private readonly deadlines: Deadlines,
    private readonly redactor: Redactor,
  ) {}

  write(content: AgentRecordContent): void {
    this.flush()
    this.queue.append(content)
  }

  update(update: SessionUpdate): void {
    const text = textOf(update)
    if (text) this.#say(text.chunk, text.text)
    else this.write({ type: 'update', update: { ...update } })
  }

  /** Writes the buffered text. */
  flush(): void {
    const held = this.#heldText
    if (!held) return
    this.#heldText = undefined
    held.due.cancel()
    this.#append(held.chunk, held.text)
  }

  #say(chunk: Chunk, text: string): void {
    if (this.#heldText && !continues(this.#heldText.chunk, chunk)) this.flush()
    if (this.#heldText) this.#heldText.text += text
    else this.#begin(chunk, text)
    if ((this.#heldText?.text.length ?? 0) > MAX_TEXT) this.#writeWords()
  }

  #begin(chunk: Chunk, text: string): void {
    this.#heldText = { chunk, text, due: this.deadlines.after(MERGE_MS, () => this.#due(text)) }
  }

  /** The last word waits for its end once; one that may be the beginning of a secret waits for what follows it. */
  #due(begun: string): void {
    const held = this.#heldText
    if (!held) return
    const isWaiting = held.text === begun && !/\s/.test(held.text)
    if (!isWaiting) this.#writeWords()
    else if (!this.redactor.endsInBeginning(held.text)) this.flush()
  }

  /** Writes the whole words, and holds the last one. */
  #writeWords(): void {
    const held = this.#heldText
    if (!held) return
    const cut = /\S*$/.exec(held.text)?.index ?? 0
    const rest = held.text.slice(cut)
    const isWord = rest.length <= MAX_WORD || (rest.length <= MAX_TEXT && this.redactor.endsInBeginning(rest))
    if (rest === '' || !isWord) {
      this.flush()
      return
    }
    held.due.cancel()
    if (cut > 0) this.#append(held.chunk, held.text.slice(0, cut))
    this.#begin(held.chunk, rest)
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
