import { AppError } from '../../core/errors.ts'
import { SESSION_CONFLICT } from '../../host/protocol/index.ts'
import type { SseFrame } from '../../http/sse.ts'
import { isRunning, type SessionRepository, type SessionRow } from '../../work/sessions/index.ts'
import { linesOf } from './formats/screen.ts'
import { Wakeup } from './tracking/wakeup.ts'
import type { Transcripts } from './transcripts.ts'

interface ScreenDependencies {
  readonly transcripts: Pick<Transcripts, 'read' | 'follow'>
  readonly sessionRepository: SessionRepository
}

/** Opens the stream of a session's screen, even where its program keeps a log of the conversation. */
export async function openScreen(
  dependencies: ScreenDependencies,
  row: SessionRow,
  styles: boolean,
  signal: AbortSignal,
): Promise<AsyncIterable<SseFrame>> {
  if (row.state === 'closed') throw conflict(`session ${row.id} is closed; its transcript is what is left of it`)
  const output = await dependencies.transcripts.read(row)
  if (output?.format === 'conversation') throw conflict(`session ${row.id} has no screen; read its transcript instead`)
  return screenFrames(dependencies, row, styles, signal)
}

const conflict = (message: string) => new AppError(SESSION_CONFLICT, `conflict: ${message}`)

/** The screen, now and whenever it has changed, over restarts of its program, until the session is closed. */
async function* screenFrames(
  { transcripts, sessionRepository }: ScreenDependencies,
  row: SessionRow,
  styles: boolean,
  signal: AbortSignal,
): AsyncGenerator<SseFrame, void, void> {
  const wakeup = new Wakeup(signal)
  const unsubscribe = sessionRepository.onChange(() => wakeup.notify())
  try {
    for (let isStopped = false; !signal.aborted; ) {
      const now = sessionRepository.find(row.id) ?? row
      if (now.state === 'closed') return
      let wasShown = false
      if (isRunning(now)) {
        for await (const output of transcripts.follow(now, signal, styles)) {
          yield { event: 'screen', data: { running: true, lines: linesOf(output) } }
          wasShown = true
        }
      } else if (!isStopped) {
        yield { event: 'screen', data: { running: false, lines: linesOf(await transcripts.read(now)) } }
      }
      isStopped = !isRunning(now)
      if (!wasShown) await wakeup.wait()
    }
  } finally {
    unsubscribe()
  }
}
