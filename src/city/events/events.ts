import { type Clock, toTimestamp } from '../../core/clock.ts'
import { parseDuration } from '../../core/durations.ts'
import { AppError } from '../../core/errors.ts'
import {
  By,
  type EventArchives,
  type EventLog,
  Follower,
  type RecordedEvent,
  type Rotated,
} from '../../core/events/index.ts'
import type { PullSource } from '../../core/pull-source.ts'
import type { Store } from '../../core/store/index.ts'
import { actorOf } from '../../http/actor-of.ts'
import type { Caller } from '../../http/caller.ts'
import { cursorAfterSeq, type JsonRows, parseSeqCursor, textRows } from '../../http/respond/index.ts'
import { pageSize } from '../../http/schema.ts'
import type { SseFrame } from '../../http/sse.ts'
import type { WorkflowEvents } from '../../orchestration/runs/index.ts'
import { actorName } from '../../work/actor.ts'
import type { BeadRepository } from '../../work/beads/index.ts'
import { emptyOf } from './empty.ts'
import { parseResumePoint, toFrame } from './frames.ts'
import { knownPayloads } from './known.ts'
import type { EventActor, EventEmit, EventEmitted, EventRotated } from './schema.ts'

/** Filter of events to list. */
export interface EventQuery {
  type?: string
  actor?: string
  subject?: string
  /** A duration back from now, such as `1h30m`. */
  since?: string
  cursor?: string
  limit?: number
}

export interface EventsPage {
  items: RecordedEvent[]
  total: number
  next_cursor?: string
}

/** Events about one bead, with what is known of their actors, by number. */
export interface HistoryPage extends EventsPage {
  actors: Record<string, EventActor>
}

/** Time a caller that wants to wait does so for the archive to be written. */
const ROTATE_WAIT_MS = 30_000

/** The events of one city, as its API shows them. */
export class Events {
  constructor(
    private readonly store: Store,
    private readonly log: EventLog,
    private readonly beads: BeadRepository,
    /** Effects of events on workflows. */
    readonly workflows: WorkflowEvents,
    private readonly archives: EventArchives,
    private readonly clock: Clock,
    private readonly wait: (ms: number, signal: AbortSignal) => Promise<void>,
  ) {}

  /** A page, newest first. */
  list({ type, actor, subject, since, cursor, limit }: EventQuery): JsonRows<EventsPage> {
    const before = parseSeqCursor(cursor)
    const query = {
      ...(type !== undefined && { type }),
      ...(actor !== undefined && { actor }),
      ...(since !== undefined && { since: this.#timestampBefore(since) }),
      ...(before !== undefined && { before }),
      limit: pageSize(limit),
    }
    const page = subject === undefined ? this.log.texts(query) : this.log.textsAbout(subject, query)
    const { items, total, next } = page
    return textRows(items, { total, ...(next !== undefined && { next_cursor: cursorAfterSeq(next) }) })
  }

  /** A page of what was recorded about one bead, newest first; `bead-not-found` when there never was one. */
  history(bead: string, { cursor, limit }: Pick<EventQuery, 'cursor' | 'limit'>): HistoryPage {
    const before = parseSeqCursor(cursor)
    const { items, total, next } = this.log.about(bead, {
      ...(before !== undefined && { before }),
      limit: pageSize(limit),
    })
    if (!items.some(({ type }) => type.startsWith('bead.'))) this.beads.get(bead)
    const actors = Object.fromEntries(items.flatMap((event) => (event[By] ? [[String(event.seq), event[By]]] : [])))
    return { items, total, ...(next !== undefined && { next_cursor: cursorAfterSeq(next) }), actors }
  }

  /**
   * Records an event of the caller's own. One of a type that clients know has the payload they expect, empty, and
   * nothing that follows from the true one follows from it.
   */
  async emit(caller: Caller, event: EventEmit): Promise<EventEmitted> {
    const { type, actor, subject, message } = event
    const facts = {
      actor: { ...actorOf(caller, actor), name: actorName(caller, actor) },
      ...(subject !== undefined && { subject }),
      ...(message !== undefined && { message }),
      ...(caller.kind === 'session' && { session_id: caller.session }),
    }
    return this.store.write((tx) => {
      this.log.emit(tx, type, facts, this.#emptyPayload(type))
      return { status: 'recorded' }
    }, actorOf(caller))
  }

  /** Follows the log after `resume`, or from now on. An invalid resume point is rejected before the stream begins. */
  follow(resume: string | undefined): PullSource<SseFrame> {
    const after = resume === undefined ? this.log.head : parseResumePoint(resume)
    const now = () => [{ name: 'city', log: this.log, after }]
    return new Follower({ now }, (followed) => toFrame(followed, this.workflows))
  }

  /** EventArchives every event so far; lists and streams are not affected. */
  async rotate(caller: Caller, wait: boolean, signal: AbortSignal): Promise<EventRotated> {
    let complete = false
    const answer = ({ archive, anchor }: Rotated): EventRotated => ({
      rotated: true,
      archive: {
        path: archive.path,
        first_seq: archive.first,
        last_seq: archive.last,
        compression_status: complete ? 'complete' : 'pending',
      },
      anchor_event: { seq: anchor.seq, type: 'events.rotated', ts: anchor.ts },
    })
    const rotation = await this.archives.rotate(actorOf(caller), answer)
    if (!rotation) return { rotated: false, reason: 'active log is empty' }
    const written = rotation.written.then(() => {
      complete = true
    })
    if (wait) await Promise.race([written, this.wait(ROTATE_WAIT_MS, signal)])
    else written.catch(() => {})
    return answer(rotation)
  }

  #emptyPayload(type: string): unknown {
    const payload = knownPayloads.get(type)
    return payload ? emptyOf(payload, toTimestamp(this.clock.now())) : {}
  }

  #timestampBefore(since: string): number {
    const duration = parseDuration(since)
    if (duration === undefined) {
      throw new AppError('invalid-request', `since must be a duration such as 30m or 1h30m, not "${since}"`)
    }
    return this.clock.now() - duration
  }
}
