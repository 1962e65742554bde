import type { SseFrame } from '../../../http/sse.ts'
import type { Entry } from '../../../programs/entries/index.ts'
import type { LogReader } from '../../../programs/logs/index.ts'
import type { SessionRow } from '../../../work/sessions/index.ts'
import type { Message } from '../structured/messages.ts'
import { toHistory } from './history.ts'
import { isMessage, toMessage } from './messages.ts'
import { sessionFields, type TranscriptOptions } from './options.ts'
import { paginate } from './page.ts'
import { merged } from './questions.ts'
import { resumeMessages } from './resume-token.ts'
import { isTurn, toTurn } from './turns.ts'

/** Formats a log as frames: first its content, then what is new. */
export interface FrameFormatter {
  /** The frames for what changed since the last call. */
  frames(reader: LogReader): Generator<SseFrame>
  /** The next frame id, in formats that number their frames. */
  nextId(): { id?: string }
}

/**
 * Creates the formatter of a format. `asked`: what the program asked on its screen; `replacesScreen`: the client was shown
 * a screen before.
 */
export function createFrameFormatter(
  row: SessionRow,
  options: TranscriptOptions,
  asked: () => readonly Message[],
  replacesScreen: boolean,
): FrameFormatter {
  return options.format === 'structured'
    ? new StructuredFrames(row, options, asked, replacesScreen)
    : new EntryFrames(row, options.format)
}

/** Formats turns or raw entries: the newest segment, then each new one once, when it is complete. */
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
    const isFirst = this.#stream !== reader.stream
    if (isFirst) this.#sent.clear()
    this.#stream = reader.stream
    const isNew = (entry: Entry) => !entry.partial && !this.#sent.has(entry.id) && this.#isShown(entry)
    const page = isFirst ? paginate(entries, { tail: 1 }, isNew) : { entries: entries.filter(isNew) }
    for (const entry of entries) if (!entry.partial) this.#sent.add(entry.id)
    if (isFirst || page.entries.length > 0) yield this.#frame(page)
  }

  #isShown(entry: Entry): boolean {
    return this.format === 'raw' || isTurn(entry)
  }

  #frame({ entries, pagination }: ReturnType<typeof paginate>): SseFrame {
    const fields = { ...sessionFields(this.row), format: this.format }
    const rest = pagination && { pagination }
    if (this.format === 'raw') {
      return {
        ...this.nextId(),
        event: 'message',
        data: { ...fields, messages: entries.map(({ raw }) => raw), ...rest },
      }
    }
    return { ...this.nextId(), event: 'turn', data: { ...fields, turns: entries.map(toTurn), ...rest } }
  }
}

/** Formats messages that clients merge by id; the id of each frame is a resume token. */
class StructuredFrames implements FrameFormatter {
  readonly #messages = new WeakMap<Entry, Message>()
  #resumeToken: string

  constructor(
    private readonly row: SessionRow,
    private readonly options: TranscriptOptions,
    private readonly asked: () => readonly Message[],
    private replacesScreen: boolean,
  ) {
    this.#resumeToken = options.after
  }

  nextId(): Record<string, never> {
    return {}
  }

  *frames(reader: LogReader): Generator<SseFrame> {
    const logged = reader.snapshot.entries.filter(isMessage).map((entry) => this.#message(entry))
    const asked = this.asked()
    const messages = merged(logged, asked)
    const next = this.replacesScreen
      ? ({ how: 'frame', operation: 'reset', reset_reason: 'stream_changed', messages } as const)
      : resumeMessages(this.#resumeToken, reader.stream, messages, this.options.thinking)
    this.replacesScreen = false
    if (next.how === 'same') return
    const { how: _, messages: structured_messages, ...operation } = next
    const history = toHistory(this.row, reader, logged, this.options.thinking, asked)
    this.#resumeToken = history.cursor.resume_token
    const fields = { ...sessionFields(this.row), format: 'structured', schema_version: 'session.structured.v1' }
    yield {
      id: this.#resumeToken,
      event: 'structured',
      data: { ...fields, ...operation, history, structured_messages },
    }
  }

  #message(entry: Entry): Message {
    const message = this.#messages.get(entry) ?? toMessage(entry, this.row.provider, this.options.thinking)
    this.#messages.set(entry, message)
    return message
  }
}
