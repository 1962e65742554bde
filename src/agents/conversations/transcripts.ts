import { AppError } from '../../core/errors.ts'
import type { SessionHost } from '../sessions/host.ts'
import type { SessionRepository } from '../sessions/repository.ts'
import type { SessionRow } from '../sessions/table.ts'
import { isRunning } from '../sessions/view.ts'
import type { Logs } from './logs/logs.ts'
import { Pulse } from './pulse.ts'
import { structuredOf } from './structured/fallback.ts'
import type { OutputTurn, Transcript, TranscriptFormat } from './structured/transcript.ts'

/** What a session said: turns of a conversation, or the text on its screen as one turn. */
export interface Said {
  format: 'conversation' | 'text'
  turns: OutputTurn[]
}

/** Somewhere that what a session said can be read. */
export interface TranscriptSource {
  /** Undefined when this source knows nothing of the session. */
  read(row: SessionRow): Promise<Said | undefined>
  /** Hears that there may be more to read; returns how to stop. */
  watch(row: SessionRow, hear: () => void): () => void
}

export interface TranscriptQuery {
  format?: TranscriptFormat | undefined
  tail?: string | undefined
  before?: string | undefined
  after?: string | undefined
  include_thinking?: boolean | undefined
}

/** How many lines of the screen stand for a conversation. */
const LINES = 100

/** The screen of a running session: what is shown of one whose program keeps no log that we can read. */
export class ScreenSource implements TranscriptSource {
  constructor(private readonly host: Pick<SessionHost, 'screen' | 'onOutput'>) {}

  async read(row: SessionRow): Promise<Said | undefined> {
    if (!row.hostKey || !isRunning(row)) return undefined
    const { lines } = await this.host.screen(row.hostKey, LINES)
    const text = lines.slice(-LINES).join('\n').trimEnd()
    return { format: 'text', turns: text === '' ? [] : [{ role: 'output', text }] }
  }

  watch(row: SessionRow, hear: () => void): () => void {
    return row.hostKey ? this.host.onOutput(row.hostKey, hear) : () => {}
  }
}

/** What sessions said: by the logs of their programs, else from the first source that knows. */
export class Transcripts {
  /** The logs that programs keep themselves, once they are read. */
  logs: Logs | undefined

  constructor(
    private readonly sources: readonly TranscriptSource[],
    private readonly book: SessionRepository,
  ) {}

  async said(row: SessionRow): Promise<Said | undefined> {
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
    const logged = await this.logs?.transcript(row, { format, thinking }, { tail: Number(tail || 0), before, after })
    if (logged) return logged
    refuseCursor(query)
    const said = await this.said(row)
    const whose = whoseIs(row)
    if (query.format === 'structured') return { ...structuredOf(row, said), operation: 'snapshot' }
    if (query.format === 'raw') return { ...whose, format: 'raw', messages: rawOf(said) }
    const turns = said?.turns ?? []
    return { ...whose, format: said?.format ?? 'conversation', ...(turns.length > 0 && { turns }) }
  }

  /** What a session says, now and whenever it differs, until the signal aborts or its program is gone. */
  async *follow(row: SessionRow, signal: AbortSignal): AsyncGenerator<Said, void, void> {
    const pulse = new Pulse(signal)
    const stops = this.sources.map((source) => source.watch(row, () => pulse.beat()))
    const gone = () => this.book.find(row.id)?.hostKey !== row.hostKey
    stops.push(this.book.onChange(() => gone() && pulse.beat()))
    try {
      let shown = ''
      while (!signal.aborted && !gone()) {
        const said = await this.said(row).catch(() => undefined)
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

export const whoseIs = ({ id, template, provider }: SessionRow) => ({ id, template, provider })

/** The screen as a message of an assistant. */
export const rawOf = (said: Said | undefined): unknown[] =>
  (said?.turns ?? []).map(({ text }) => ({ role: 'assistant', content: [{ type: 'text', text }] }))

function checkQuery({ tail, before, after }: TranscriptQuery): void {
  if (tail && !/^\d{1,9}$/.test(tail)) throw wrong('tail', 'tail is a number of compaction segments; 0 for all')
  if (before && after) throw wrong('after', 'give before or after, not both')
}

/** A screen has no entries to page by. */
function refuseCursor({ before, after }: TranscriptQuery): void {
  if (!before && !after) return
  throw new AppError(
    'transcript-cursor-invalidated',
    'that entry is not in the transcript any more; read it from the start',
  )
}

const wrong = (field: string, message: string) =>
  new AppError('validation-failed', 'validation failed', { fieldErrors: [{ message, location: `query.${field}` }] })
