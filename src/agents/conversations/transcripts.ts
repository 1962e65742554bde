import { AppError } from '../../core/errors.ts'
import type { SessionHost } from '../sessions/host.ts'
import type { SessionRepository } from '../sessions/repository.ts'
import { isRunning } from '../sessions/running.ts'
import type { SessionRow } from '../sessions/table.ts'
import { TRANSCRIPT_CURSOR_INVALIDATED } from './errors.ts'
import { sessionFields } from './formats/options.ts'
import { type SessionOutput, toRawMessages, toStructured } from './formats/screen.ts'
import type { Transcript, TranscriptFormat } from './structured/transcript.ts'
import type { SessionLogs } from './tracking/session-logs.ts'
import { Pulse } from './tracking/wakeup.ts'

/** Somewhere that what a session said can be read. */
export interface TranscriptSource {
  /** Undefined when this source knows nothing of the session. */
  read(row: SessionRow): Promise<SessionOutput | undefined>
  /** Hears that there may be more to read; returns how to stop. */
  subscribe(row: SessionRow, hear: () => void): () => void
}

export interface TranscriptQuery {
  format?: TranscriptFormat | undefined
  tail?: string | undefined
  before?: string | undefined
  after?: string | undefined
  include_thinking?: boolean | undefined
}

/** How many lines of the screen stand for a conversation. */
const SCREEN_LINES = 100

/** The screen of a running session: what is shown of one whose program keeps no log that we can read. */
export class ScreenSource implements TranscriptSource {
  constructor(private readonly host: Pick<SessionHost, 'screen' | 'onOutput'>) {}

  async read(row: SessionRow): Promise<SessionOutput | undefined> {
    if (!row.hostKey || !isRunning(row)) return undefined
    const { lines } = await this.host.screen(row.hostKey, SCREEN_LINES)
    const text = lines.slice(-SCREEN_LINES).join('\n').trimEnd()
    return { format: 'text', turns: text === '' ? [] : [{ role: 'output', text }] }
  }

  subscribe(row: SessionRow, hear: () => void): () => void {
    return row.hostKey ? this.host.onOutput(row.hostKey, hear) : () => {}
  }
}

/** What sessions said: by the logs of their programs, else from the first source that knows. */
export class Transcripts {
  constructor(
    private readonly sources: readonly TranscriptSource[],
    private readonly book: SessionRepository,
    /** The logs that programs keep themselves. */
    readonly logs: SessionLogs,
  ) {}

  async read(row: SessionRow): Promise<SessionOutput | undefined> {
    for (const source of this.sources) {
      const said = await source.read(row)
      if (said) return said
    }
    return undefined
  }

  /** What a session said, in one of three shapes. */
  async get(row: SessionRow, query: TranscriptQuery): Promise<Transcript> {
    checkQuery(query)
    const { format = 'conversation', include_thinking: thinking = false, tail, before, after } = query
    const logged = await this.logs.transcript(row, { format, thinking }, { tail: Number(tail || 0), before, after })
    if (logged) return logged
    rejectCursor(query)
    const said = await this.read(row)
    const whose = sessionFields(row)
    if (query.format === 'structured') return { ...toStructured(row, said), operation: 'snapshot' }
    if (query.format === 'raw') return { ...whose, format: 'raw', messages: toRawMessages(said) }
    const turns = said?.turns ?? []
    return { ...whose, format: said?.format ?? 'conversation', ...(turns.length > 0 && { turns }) }
  }

  /** What a session says, now and whenever it differs, until the signal aborts or its program is gone. */
  async *follow(row: SessionRow, signal: AbortSignal): AsyncGenerator<SessionOutput, void, void> {
    const pulse = new Pulse(signal)
    const stops = this.sources.map((source) => source.subscribe(row, () => pulse.beat()))
    const gone = () => this.book.find(row.id)?.hostKey !== row.hostKey
    stops.push(this.book.onChange(() => gone() && pulse.beat()))
    try {
      let shown = ''
      while (!signal.aborted && !gone()) {
        const said = await this.read(row).catch(() => undefined)
        if (!said) return
        const text = JSON.stringify(said)
        if (text !== shown) yield said
        shown = text
        await pulse.next()
      }
    } finally {
      for (const stop of stops) stop()
    }
  }
}

function checkQuery({ tail, before, after }: TranscriptQuery): void {
  if (tail && !/^\d{1,9}$/.test(tail)) throw invalidQuery('tail', 'tail is a number of compaction segments; 0 for all')
  if (before && after) throw invalidQuery('after', 'give before or after, not both')
}

/** A screen has no entries to page by. */
function rejectCursor({ before, after }: TranscriptQuery): void {
  if (!before && !after) return
  throw new AppError(
    TRANSCRIPT_CURSOR_INVALIDATED,
    'that entry is not in the transcript any more; read it from the start',
  )
}

const invalidQuery = (field: string, message: string) =>
  new AppError('validation-failed', 'validation failed', { fieldErrors: [{ message, location: `query.${field}` }] })
