import type { SseFrame } from '../../../http/sse.ts'
import type { SessionRow } from '../../sessions/table.ts'
import type { Entry } from '../entries/entry.ts'
import type { LogReader } from '../entries/log-reader.ts'
import type { Message } from '../structured/messages.ts'
import { toHistory } from './history.ts'
import { isMessage, toMessage } from './messages.ts'
import { sessionFields, type TranscriptOptions } from './options.ts'
import { paginate } from './page.ts'
import { resumeMessages } from './resume-token.ts'
import { isTurn, toTurn } from './turns.ts'

/** Puts a log into frames: first what there is, then what is new. */
export interface FrameFormatter {
  /** Frames for what differs from what was shown before. */
  frames(reader: LogReader): Generator<SseFrame>
  /** The next `id` of frames that are counted. */
  nextId(): { id?: string }
}

/** The frames of one format. `promoted`: the reader was shown a screen until now. */
export function createFrameFormatter(row: SessionRow, wanted: TranscriptOptions, promoted: boolean): FrameFormatter {
  return wanted.format === 'structured'
    ? new StructuredFrames(row, wanted, promoted)
    : new EntryFrames(row, wanted.format)
}

/** Turns or raw entries: the newest segment, then each one once, when it is done. */
class EntryFrames implements FrameFormatter {
  readonly #sent = new Set<string>()
  #stream: string | undefined
  #count = 0

  constructor(
    private readonly row: SessionRow,
    private readonly format: 'conversation' | 'raw',
  ) {}

  nextId(): { id: string } {
    return { id: String(++this.#count) }
  }

  *frames(reader: LogReader): Generator<SseFrame> {
    const { entries } = reader.snapshot
    const first = this.#stream !== reader.stream
    if (first) this.#sent.clear()
    this.#stream = reader.stream
    const shows = (entry: Entry) => !entry.partial && !this.#sent.has(entry.id) && this.#shows(entry)
    const part = first ? paginate(entries, { tail: 1 }, shows) : { entries: entries.filter(shows) }
    for (const entry of entries) if (!entry.partial) this.#sent.add(entry.id)
    if (first || part.entries.length > 0) yield this.#frame(part)
  }

  #shows(entry: Entry): boolean {
    return this.format === 'raw' || isTurn(entry)
  }

  #frame({ entries, pagination }: ReturnType<typeof paginate>): SseFrame {
    const whose = { ...sessionFields(this.row), format: this.format }
    const rest = pagination && { pagination }
    if (this.format === 'raw') {
      return {
        ...this.nextId(),
        event: 'message',
        data: { ...whose, messages: entries.map(({ raw }) => raw), ...rest },
      }
    }
    return { ...this.nextId(), event: 'turn', data: { ...whose, turns: entries.map(toTurn), ...rest } }
  }
}

/** Messages that are merged by id; each frame says up to where a reader has come. */
class StructuredFrames implements FrameFormatter {
  readonly #messages = new WeakMap<Entry, Message>()
  #resumeToken: string

  constructor(
    private readonly row: SessionRow,
    private readonly options: TranscriptOptions,
    private promoted: boolean,
  ) {
    this.#resumeToken = options.after
  }

  nextId(): Record<string, never> {
    return {}
  }

  *frames(reader: LogReader): Generator<SseFrame> {
    const messages = reader.snapshot.entries.filter(isMessage).map((entry) => this.#message(entry))
    const next = this.promoted
      ? ({ how: 'frame', operation: 'reset', reset_reason: 'stream_changed', messages } as const)
      : resumeMessages(this.#resumeToken, reader.stream, messages, this.options.thinking)
    this.promoted = false
    if (next.how === 'same') return
    const { how: _, messages: structured_messages, ...operation } = next
    const history = toHistory(this.row, reader, messages, this.options.thinking)
    this.#resumeToken = history.cursor.resume_token
    const whose = { ...sessionFields(this.row), format: 'structured', schema_version: 'session.structured.v1' }
    yield { id: this.#resumeToken, event: 'structured', data: { ...whose, ...operation, history, structured_messages } }
  }

  #message(entry: Entry): Message {
    const known = this.#messages.get(entry) ?? toMessage(entry, this.row.provider, this.options.thinking)
    this.#messages.set(entry, known)
    return known
  }
}
