import type { Deadlines } from '../../core/deadlines.ts'
import { AppError } from '../../core/errors.ts'
import { unsubscriber } from '../../core/signal.ts'
import type { SessionHost } from '../../host/client/index.ts'
import { isRunning, type SessionRepository, type SessionRow } from '../../work/sessions/index.ts'
import type { Questions } from '../questions/index.ts'
import type { LastOutputs } from './ended/last-outputs.ts'
import { TRANSCRIPT_CURSOR_INVALIDATED } from './formats/errors.ts'
import { sessionFields } from './formats/options.ts'
import { toMessages, withQuestions } from './formats/questions.ts'
import { type SessionOutput, toRawMessages, toStructured } from './formats/screen.ts'
import type { Transcript, TranscriptFormat } from './schema.ts'
import type { SessionLogs } from './tracking/session-logs.ts'
import { Wakeup } from './tracking/wakeup.ts'

/** A source of a session's output. */
export interface TranscriptSource {
  /** Undefined when this source has nothing of the session. With `styles`, a screen keeps its colours, as SGR sequences. */
  read(row: SessionRow, styles?: boolean): Promise<SessionOutput | undefined>
  /** Calls the listener when there may be more to read; returns the unsubscribe function. */
  subscribe(row: SessionRow, listener: () => void): () => void
}

export interface TranscriptQuery {
  format?: TranscriptFormat | undefined
  tail?: string | undefined
  before?: string | undefined
  after?: string | undefined
  include_thinking?: boolean | undefined
}

/** Number of lines of the screen that are shown in place of a conversation. */
const SCREEN_LINES = 100

/** Time what is shown stays before it is shown again: each time all of it is read, and most readers are sent all. */
const MIN_INTERVAL_MS = 250

/** The screen of a session, or what was last on it, shown when its program writes no log that can be read. */
export class ScreenSource implements TranscriptSource {
  constructor(
    private readonly host: Pick<SessionHost, 'screen' | 'onOutput'>,
    private readonly lastOutputs: LastOutputs,
  ) {}

  async read(row: SessionRow, styles = false): Promise<SessionOutput | undefined> {
    if (!row.hostKey || !isRunning(row)) return this.#readEnded(row)
    const { lines: plain, styled: lines = plain } = await this.host.screen(row.hostKey, SCREEN_LINES, styles)
    const text = lines.slice(-SCREEN_LINES).join('\n').trimEnd()
    return { format: 'text', turns: text === '' ? [] : [{ role: 'output', text }] }
  }

  #readEnded({ id }: SessionRow): SessionOutput | undefined {
    const text = this.lastOutputs.find(id, SCREEN_LINES)
    return text === undefined ? undefined : { format: 'text', turns: [{ role: 'output', text }] }
  }

  subscribe(row: SessionRow, listener: () => void): () => void {
    return row.hostKey ? this.host.onOutput(row.hostKey, listener) : () => {}
  }
}

/** The output of sessions: from the logs of their programs, else from the first source that has it. */
export class Transcripts {
  constructor(
    private readonly sources: readonly TranscriptSource[],
    private readonly sessionRepository: SessionRepository,
    readonly logs: SessionLogs,
    private readonly deadlines: Deadlines,
    private readonly questions: Pick<Questions, 'history' | 'onChange'>,
  ) {}

  async read(row: SessionRow, styles = false): Promise<SessionOutput | undefined> {
    for (const source of this.sources) {
      const output = await source.read(row, styles)
      if (output) return output
    }
    return undefined
  }

  /** The transcript of a session, in one of three formats. */
  async get(row: SessionRow, query: TranscriptQuery): Promise<Transcript> {
    checkQuery(query)
    return withQuestions(await this.#get(row, query), this.questions.history(row.id))
  }

  async #get(row: SessionRow, query: TranscriptQuery): Promise<Transcript> {
    const { format = 'conversation', include_thinking: thinking = false, tail, before, after } = query
    const logged = await this.logs.transcript(row, { format, thinking }, { tail: Number(tail || 0), before, after })
    if (logged) return logged
    rejectCursor(query)
    const output = await this.read(row)
    const session = sessionFields(row)
    if (query.format === 'structured') return { ...toStructured(row, output), operation: 'snapshot' }
    if (query.format === 'raw') return { ...session, format: 'raw', messages: toRawMessages(output) }
    const turns = output?.turns ?? []
    return { ...session, format: output?.format ?? 'conversation', ...(turns.length > 0 && { turns }) }
  }

  /**
   * The output of a session, now and when it has changed, until the signal is aborted or its program has ended. What
   * changes soon after it was shown is shown together.
   */
  async *follow(row: SessionRow, signal: AbortSignal, styles = false): AsyncGenerator<SessionOutput, void, void> {
    const ended = new AbortController()
    const until = AbortSignal.any([signal, ended.signal])
    const wakeup = new Wakeup(until)
    const checkEnd = () => {
      if (this.sessionRepository.find(row.id)?.hostKey !== row.hostKey) ended.abort()
    }
    let asked = toMessages(this.questions.history(row.id))
    const onQuestion = (session: string) => {
      if (session !== row.id) return
      asked = toMessages(this.questions.history(row.id))
      wakeup.notify()
    }
    const unsubscribe = unsubscriber(
      ...this.sources.map((source) => source.subscribe(row, () => wakeup.notify())),
      this.sessionRepository.onChange(checkEnd),
      this.questions.onChange(onQuestion),
    )
    try {
      checkEnd()
      for (let last = ''; !until.aborted; ) {
        const output = await this.read(row, styles).catch(() => undefined)
        if (!output) return
        const json = JSON.stringify([output, asked.map(({ id, status }) => [id, status])])
        if (json !== last) yield { ...output, asked }
        last = json
        await this.deadlines.sleep(MIN_INTERVAL_MS, until).catch(() => {})
        await wakeup.wait()
      }
    } finally {
      unsubscribe()
    }
  }
}

function checkQuery({ tail, before, after }: TranscriptQuery): void {
  if (tail && !/^\d{1,9}$/.test(tail))
    throw invalidQuery('tail', 'tail must be a number of compaction segments; 0 for all')
  if (before && after) throw invalidQuery('after', 'give before or after, not both')
}

/** A screen has no entries to use as cursors. */
function rejectCursor({ before, after }: TranscriptQuery): void {
  if (!before && !after) return
  throw new AppError(TRANSCRIPT_CURSOR_INVALIDATED, 'that entry is no longer in the transcript; read it from the start')
}

const invalidQuery = (field: string, message: string) =>
  new AppError('validation-failed', 'validation failed', { fieldErrors: [{ message, location: `query.${field}` }] })
