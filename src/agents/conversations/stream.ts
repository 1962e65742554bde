import { AppError } from '../../core/errors.ts'
import type { SseFrame } from '../../http/sse.ts'
import { isRunning, type SessionRepository, type SessionRow, wireState } from '../../work/sessions/index.ts'
import { sessionFields } from './formats/options.ts'
import { type SessionOutput, toRawMessages } from './formats/screen.ts'
import { ScreenReader } from './formats/screen-reader.ts'
import type { TranscriptFormat } from './schema.ts'
import { Wakeup } from './tracking/wakeup.ts'
import type { Transcripts } from './transcripts.ts'

export interface StreamQuery {
  format?: TranscriptFormat | undefined
  /** The resume token of a structured reader. */
  after?: string | undefined
  thinking?: boolean | undefined
}

/** An opened stream: its headers and frames. */
export interface OpenedStream {
  headers: Record<string, string>
  frames: AsyncIterable<SseFrame>
}

/** Opens the stream of a session's output; fails when there is none and none will come. */
export async function openStream(
  dependencies: { transcripts: Transcripts; sessionRepository: SessionRepository },
  row: SessionRow,
  query: StreamQuery,
  signal: AbortSignal,
): Promise<OpenedStream> {
  const { logs } = dependencies.transcripts
  const { format = 'conversation', thinking = false, after = '' } = query
  const logged = logs.frames(row, { format, thinking, after }, signal)
  if (logged) return { headers: headersOf(row), frames: logged }
  const output = await dependencies.transcripts.read(row)
  if (!output && !isRunning(row) && query.format !== 'structured' && row.state !== 'closed') {
    throw new AppError('session-not-found', `session ${row.id} has no live output`)
  }
  const screen = (until: AbortSignal) => screenFrames(dependencies, row, query, until)
  return { headers: headersOf(row), frames: logs.screenThenLog(row, { format, thinking, after }, signal, screen) }
}

const headersOf = (row: SessionRow): Record<string, string> => ({
  'GC-Session-State': wireState(row),
  ...(!isRunning(row) && { 'GC-Session-Status': 'stopped' }),
})

/** The frames of a screen until the client disconnects or the session is closed; a closed session gets one snapshot. */
async function* screenFrames(
  { transcripts, sessionRepository }: { transcripts: Transcripts; sessionRepository: SessionRepository },
  row: SessionRow,
  query: StreamQuery,
  signal: AbortSignal,
): AsyncGenerator<SseFrame, void, void> {
  const formatter = new ScreenFrames(row, query)
  yield* formatter.opening()
  const wakeup = new Wakeup(signal)
  // What is asked wakes `follow`, which has it in what it gives.
  using questions = transcripts.logs.monitorQuestions(row, query.format ?? 'conversation', () => {})
  const unsubscribe = sessionRepository.onChange(() => wakeup.notify())
  try {
    for (let isFirst = true; !signal.aborted; isFirst = false) {
      const now = sessionRepository.find(row.id) ?? row
      if (isRunning(now)) {
        for await (const output of transcripts.follow(now, signal)) {
          yield* formatter.frame(output)
          questions.onProgress()
          yield* questions.frames(undefined, () => formatter.nextId())
        }
      } else yield* formatter.stopped(await transcripts.read(now), isFirst)
      yield* questions.frames('idle', () => formatter.nextId())
      if (now.state === 'closed') return yield* formatter.closing()
      if (!isRunning(sessionRepository.find(row.id) ?? now)) await wakeup.wait()
    }
  } finally {
    unsubscribe()
  }
}

/** Formats a session's screen as frames, with ids where the format has them. */
class ScreenFrames {
  #count = 0
  #last: string | undefined
  readonly #reader: ScreenReader

  constructor(
    private readonly row: SessionRow,
    private readonly query: StreamQuery,
  ) {
    this.#reader = new ScreenReader(row, query.after ?? '')
  }

  /** A raw stream starts with an empty frame, so that clients know it is open. */
  *opening(): Generator<SseFrame> {
    if (this.query.format !== 'raw') return
    yield { event: 'message', data: { ...sessionFields(this.row), format: 'raw', messages: [] } }
  }

  /** The screen that a program left, unless it was sent already. */
  *stopped(output: SessionOutput | undefined, isFirst: boolean): Generator<SseFrame> {
    if (isFirst || (output && JSON.stringify(output.turns) !== this.#last)) yield* this.frame(output)
  }

  *frame(output: SessionOutput | undefined): Generator<SseFrame> {
    this.#last = JSON.stringify(output?.turns)
    if (this.query.format === 'structured') return yield* this.#structured(output)
    if (!output) return
    const id = String(++this.#count)
    const session = sessionFields(this.row)
    if (this.query.format === 'raw')
      yield { id, event: 'message', data: { ...session, format: 'raw', messages: toRawMessages(output) } }
    else yield { id, event: 'turn', data: { ...session, format: output.format, turns: output.turns } }
  }

  *closing(): Generator<SseFrame> {
    yield { ...this.nextId(), event: 'activity', data: { activity: 'idle' } }
  }

  nextId(): { id?: string } {
    return this.query.format === 'structured' ? {} : { id: String(++this.#count) }
  }

  *#structured(output: SessionOutput | undefined): Generator<SseFrame> {
    const frame = this.#reader.frame(output)
    if (frame) yield { id: frame.history.cursor.resume_token, event: 'structured', data: frame }
  }
}
