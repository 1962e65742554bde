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
import type { LogHandle } from '../logs/program-logs.ts'
import type { Watch } from './file-watcher.ts'
import type { Shelf } from './log-cache.ts'
import { Asking, type AskingNeeds } from './question-monitor.ts'
import { Pulse } from './wakeup.ts'

/** What following a log needs. */
export interface FollowNeeds extends AskingNeeds {
  book: Pick<SessionRepository, 'find' | 'onChange'>
  shelf: Shelf
  watch: Watch
}

/** The frames of a log, until the reader goes away or the session is closed. */
export async function* logFrames(
  needs: FollowNeeds,
  row: SessionRow,
  found: LogHandle,
  wanted: TranscriptOptions,
  signal: AbortSignal,
  promoted = false,
): AsyncGenerator<SseFrame, void, void> {
  const { log, giveBack } = needs.shelf.borrow(found)
  const pulse = new Pulse(signal)
  const beat = () => pulse.beat()
  const stops = [giveBack, needs.watch.reader(log.reader, beat), needs.book.onChange(beat)]
  const asking =
    wanted.format === 'conversation' ? undefined : new Asking(needs, row, wanted.format === 'structured', beat)
  const shape = createFrameFormatter(row, wanted, promoted)
  let activity: string | undefined
  try {
    if (wanted.format === 'raw' && !promoted) {
      yield { event: 'message', data: { ...sessionFields(row), format: 'raw', messages: [] } }
    }
    while (!signal.aborted) {
      await log.refresh()
      await prepareBlocks(log.reader)
      for (const frame of shape.frames(log.reader)) {
        asking?.progressed()
        yield frame
      }
      const now = needs.book.find(row.id)
      const closed = now === undefined || now.state === 'closed'
      const said = closed ? 'idle' : statusOf(log.reader.snapshot).activity
      if (said !== undefined && (said !== activity || closed)) {
        activity = said
        yield { ...shape.nextId(), event: 'activity', data: { activity } }
      }
      if (closed) return
      if (asking) yield* await asking.frames(activity, () => shape.nextId())
      await pulse.next()
    }
  } finally {
    asking?.close()
    for (const stop of stops) stop()
  }
}

/** The newest segment of a log as an agent's output, then each turn once. */
export async function* logOutput(
  needs: FollowNeeds,
  agent: string,
  row: SessionRow,
  found: LogHandle,
  signal: AbortSignal,
): AsyncGenerator<AgentOutput, void, void> {
  const { log, giveBack } = needs.shelf.borrow(found)
  const pulse = new Pulse(signal)
  const beat = () => pulse.beat()
  const stops = [giveBack, needs.watch.reader(log.reader, beat), needs.book.onChange(beat)]
  const sent = new Set<string>()
  try {
    for (let first = true; !signal.aborted; first = false) {
      await log.refresh()
      await prepareBlocks(log.reader)
      const { entries } = log.reader.snapshot
      const shows = (entry: Entry) => !entry.partial && !sent.has(entry.id) && isTurn(entry)
      const part = paginate(entries, first ? { tail: 1 } : {}, shows)
      for (const entry of entries) if (!entry.partial) sent.add(entry.id)
      const { pagination } = part
      if (first || part.entries.length > 0) {
        yield { agent, format: 'conversation', turns: part.entries.map(toTurn), ...(pagination && { pagination }) }
      }
      if (needs.book.find(row.id)?.state === 'closed') return
      await pulse.next()
    }
  } finally {
    for (const stop of stops) stop()
  }
}
