import type { SessionUpdate } from '@agentclientprotocol/sdk'
import type { Deadline, Deadlines } from '../../core/deadlines.ts'
import type { Happening } from '../protocol/record.ts'
import type { Ledger } from './ledger.ts'

/** Words that come within this time are one record. */
const TOGETHER_MS = 200
const TEXT_MOST = 32 << 10
/** The last word is held back this far, so that no secret is cut in two. */
const WORD_MOST = 256

type Chunk = Extract<SessionUpdate, { sessionUpdate: 'agent_message_chunk' | 'agent_thought_chunk' }>

interface Words {
  chunk: Chunk
  text: string
  due: Deadline
}

/** Writes down what happens, in order; words that follow one another become one record. */
export class Scribe {
  #words: Words | undefined

  constructor(
    private readonly ledger: Ledger,
    private readonly deadlines: Deadlines,
  ) {}

  write(happening: Happening): void {
    this.flush()
    this.ledger.append(happening)
  }

  update(update: SessionUpdate): void {
    const text = wordsOf(update)
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
    if ((this.#words?.text.length ?? 0) > TEXT_MOST) this.flush()
  }

  #begin(chunk: Chunk, text: string): void {
    this.#words = { chunk, text, due: this.deadlines.after(TOGETHER_MS, () => this.#due(text)) }
  }

  /** Writes down the whole words; the last one waits for its end, once. */
  #due(begun: string): void {
    const words = this.#words
    if (!words) return
    const cut = /\S*$/.exec(words.text)?.index ?? 0
    const rest = words.text.slice(cut)
    if (rest === '' || rest.length > WORD_MOST || (cut === 0 && words.text === begun)) {
      this.flush()
      return
    }
    if (cut > 0) this.#append(words.chunk, words.text.slice(0, cut))
    this.#begin(words.chunk, rest)
  }

  #append(chunk: Chunk, text: string): void {
    const content = { type: 'text', text }
    this.ledger.append({ type: 'update', update: { ...chunk, content } })
  }
}

function wordsOf(update: SessionUpdate): { chunk: Chunk; text: string } | undefined {
  if (update.sessionUpdate !== 'agent_message_chunk' && update.sessionUpdate !== 'agent_thought_chunk') return undefined
  if (update.content.type !== 'text') return undefined
  return { chunk: update, text: update.content.text }
}

const continues = (before: Chunk, now: Chunk): boolean =>
  before.sessionUpdate === now.sessionUpdate && (before.messageId ?? '') === (now.messageId ?? '')
