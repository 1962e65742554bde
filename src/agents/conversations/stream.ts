import { AppError } from '../../core/errors.ts'
import type { SseFrame } from '../../http/sse.ts'
import type { SessionRepository } from '../sessions/repository.ts'
import { isRunning, wireState } from '../sessions/running.ts'
import type { SessionRow } from '../sessions/table.ts'
import { sessionFields } from './formats/options.ts'
import { resumeScreen, type SessionOutput, toRawMessages, toStructured } from './formats/screen.ts'
import type { TranscriptFormat } from './structured/transcript.ts'
import { Pulse } from './tracking/wakeup.ts'
import type { Transcripts } from './transcripts.ts'

export interface StreamQuery {
  format?: TranscriptFormat | undefined
  /** What a structured reader has seen already. */
  after?: string | undefined
  thinking?: boolean | undefined
}

/** An opened stream: what its headers say, and its frames. */
export interface OpenedStream {
  headers: Record<string, string>
  frames: AsyncIterable<SseFrame>
}

/** Opens the stream of what a session says; refuses when there is nothing to show and nothing will come. */
export async function openStream(
  parts: { transcripts: Transcripts; book: SessionRepository },
  row: SessionRow,
  query: StreamQuery,
  signal: AbortSignal,
): Promise<OpenedStream> {
  const { logs } = parts.transcripts
  const { format = 'conversation', thinking = false, after = '' } = query
  const logged = logs.frames(row, { format, thinking, after }, signal)
  if (logged) return { headers: headersOf(row), frames: logged }
  const said = await parts.transcripts.read(row)
  if (!said && !isRunning(row) && query.format !== 'structured' && row.state !== 'closed') {
    throw new AppError('session-not-found', `session ${row.id} has no live output`)
  }
  const screen = (until: AbortSignal) => frames(parts, row, query, until)
  const shown = logs.screenThenLog(row, { format, thinking, after }, signal, screen)
  return { headers: headersOf(row), frames: shown }
}

const headersOf = (row: SessionRow): Record<string, string> => ({
  'GC-Session-State': wireState(row),
  ...(!isRunning(row) && { 'GC-Session-Status': 'stopped' }),
})

/** SseFrames until the client goes away or the session's program is gone; a closed session gets one snapshot. */
async function* frames(
  { transcripts, book }: { transcripts: Transcripts; book: SessionRepository },
  row: SessionRow,
  query: StreamQuery,
  signal: AbortSignal,
): AsyncGenerator<SseFrame, void, void> {
  const shape = new ScreenFrames(row, query)
  yield* shape.opening()
  const pulse = new Pulse(signal)
  const unlisten = book.onChange(() => pulse.beat())
  try {
    for (let first = true; !signal.aborted; first = false) {
      const now = book.find(row.id) ?? row
      if (isRunning(now)) for await (const said of transcripts.follow(now, signal)) yield* shape.frame(said)
      else if (first) yield* shape.frame(undefined)
      if (now.state === 'closed') return yield* shape.closing()
      if (!isRunning(book.find(row.id) ?? now)) await pulse.next()
    }
  } finally {
    unlisten()
  }
}

/** Puts what was said into the frames of one format, numbered where the format numbers them. */
class ScreenFrames {
  #count = 0
  #seen: string

  constructor(
    private readonly row: SessionRow,
    private readonly query: StreamQuery,
  ) {
    this.#seen = query.after ?? ''
  }

  /** A raw stream begins with nothing, so that a client knows it is open. */
  *opening(): Generator<SseFrame> {
    if (this.query.format !== 'raw') return
    yield { event: 'message', data: { ...sessionFields(this.row), format: 'raw', messages: [] } }
  }

  *frame(said: SessionOutput | undefined): Generator<SseFrame> {
    if (this.query.format === 'structured') return yield* this.#structured(said)
    if (!said) return
    const id = String(++this.#count)
    const whose = sessionFields(this.row)
    if (this.query.format === 'raw')
      yield { id, event: 'message', data: { ...whose, format: 'raw', messages: toRawMessages(said) } }
    else yield { id, event: 'turn', data: { ...whose, format: said.format, turns: said.turns } }
  }

  *closing(): Generator<SseFrame> {
    const id = this.query.format === 'structured' ? {} : { id: String(++this.#count) }
    yield { ...id, event: 'activity', data: { activity: 'idle' } }
  }

  *#structured(said: SessionOutput | undefined): Generator<SseFrame> {
    const now = toStructured(this.row, said)
    const how = resumeScreen(this.#seen, now)
    if (how === 'same') return
    this.#seen = now.history.cursor.resume_token
    yield { id: this.#seen, event: 'structured', data: { ...now, ...how } }
  }
}
