import type { SseFrame } from '../../../http/sse.ts'
import type { AgentOutput } from '../../agents/schema.ts'
import type { SessionRepository } from '../../sessions/repository.ts'
import type { SessionRow } from '../../sessions/table.ts'
import type { Entry } from '../entries/entry.ts'
import { statusOf } from '../entries/status.ts'
import { createFrameFormatter } from '../formats/frames.ts'
import { sessionFields, type TranscriptOptions } from '../formats/options.ts'
import { paginate } from '../formats/page.ts'
import { prepareBlocks } from '../formats/transcript.ts'
import { isTurn, toTurn } from '../formats/turns.ts'
import type { Message } from '../structured/messages.ts'
import type { FileWatcher } from './file-watcher.ts'
import type { CachedLogHandle, LogCache } from './log-cache.ts'
import { QuestionMonitor, type QuestionMonitorOptions } from './question-monitor.ts'
import { Wakeup } from './wakeup.ts'

export interface FollowOptions extends QuestionMonitorOptions {
  sessionRepository: Pick<SessionRepository, 'find' | 'onChange'>
  cache: LogCache
  watcher: FileWatcher
  /** What a session's program asked on its screen, oldest first. */
  asked(row: SessionRow): readonly Message[]
}

/** Opens a log and a wakeup that is notified when the log or the sessions change. */
function openLog({ cache, watcher, sessionRepository }: FollowOptions, handle: CachedLogHandle, signal: AbortSignal) {
  const { log, release } = cache.acquire(handle)
  const wakeup = new Wakeup(signal)
  const notify = () => wakeup.notify()
  const cleanups = [release, watcher.watchLog(log.reader, notify), sessionRepository.onChange(notify)]
  return {
    reader: log.reader,
    wakeup,
    async refresh(): Promise<void> {
      await log.refresh()
      await prepareBlocks(log.reader)
    },
    [Symbol.dispose]() {
      for (const cleanup of cleanups) cleanup()
    },
  }
}

/** The frames of a log until the client disconnects or the session is closed. */
export async function* followLog(
  follow: FollowOptions,
  row: SessionRow,
  handle: CachedLogHandle,
  options: TranscriptOptions,
  signal: AbortSignal,
  replacesScreen = false,
): AsyncGenerator<SseFrame, void, void> {
  const { format } = options
  using log = openLog(follow, handle, signal)
  using questions =
    format === 'conversation' ? undefined : new QuestionMonitor(follow, row, format, () => log.wakeup.notify())
  const formatter = createFrameFormatter(row, options, () => follow.asked(row), replacesScreen)
  let lastActivity: string | undefined
  if (format === 'raw' && !replacesScreen) {
    yield { event: 'message', data: { ...sessionFields(row), format: 'raw', messages: [] } }
  }
  while (!signal.aborted) {
    await log.refresh()
    for (const frame of formatter.frames(log.reader)) {
      questions?.onProgress()
      yield frame
    }
    const current = follow.sessionRepository.find(row.id)
    const isClosed = current === undefined || current.state === 'closed'
    const activity = isClosed ? 'idle' : statusOf(log.reader.snapshot).activity
    if (activity !== undefined && (activity !== lastActivity || isClosed)) {
      lastActivity = activity
      yield { ...formatter.nextId(), event: 'activity', data: { activity } }
    }
    if (isClosed) return
    if (questions) yield* questions.frames(lastActivity, () => formatter.nextId())
    await log.wakeup.wait()
  }
}

/** The newest segment of a log as an agent's output, then each new turn once. */
export async function* followAgentOutput(
  follow: FollowOptions,
  agent: string,
  row: SessionRow,
  handle: CachedLogHandle,
  signal: AbortSignal,
): AsyncGenerator<AgentOutput, void, void> {
  using log = openLog(follow, handle, signal)
  const sent = new Set<string>()
  for (let isFirst = true; !signal.aborted; isFirst = false) {
    await log.refresh()
    const { entries } = log.reader.snapshot
    const isNewTurn = (entry: Entry) => !entry.partial && !sent.has(entry.id) && isTurn(entry)
    const page = paginate(entries, isFirst ? { tail: 1 } : {}, isNewTurn)
    for (const entry of entries) if (!entry.partial) sent.add(entry.id)
    const { pagination } = page
    if (isFirst || page.entries.length > 0) {
      yield { agent, format: 'conversation', turns: page.entries.map(toTurn), ...(pagination && { pagination }) }
    }
    if (follow.sessionRepository.find(row.id)?.state === 'closed') return
    await log.wakeup.wait()
  }
}
