import { dirname, join } from 'node:path'
import { Type } from '@sinclair/typebox'
import { type Clock, stamp } from '../clock.ts'
import type { Store } from '../store.ts'
import { event } from './event.ts'
import type { EventLog } from './log.ts'
import { LINES } from './row.ts'

export const EventsRotated = event(
  'events.rotated',
  Type.Object(
    {
      prior_archive: Type.String({ description: 'The file that holds the events before this one.' }),
      prior_first_seq: Type.Integer({ format: 'int64', minimum: 0 }),
      prior_last_seq: Type.Integer({ format: 'int64', minimum: 0 }),
    },
    { $id: 'RotatedPayload', additionalProperties: false },
  ),
  'The events so far were written to an archive; this event begins what comes after.',
)

/** A rotation that began: its archive, the event that begins the rest, and when the archive is whole. */
export interface Rotation {
  archive: { path: string; first: number; last: number }
  anchor: { seq: number; ts: string }
  written: Promise<void>
}

interface ArchiveRow {
  first_seq: number
  last_seq: number
  path: string
}

/** Archives of a log: gzip files of JSON lines beside the database. Its rows stay until retention removes them. */
export class Archives {
  constructor(
    private readonly store: Store,
    private readonly log: EventLog,
    private readonly clock: Clock,
  ) {}

  /** Begins an archive of every event since the last one; undefined when there is none. */
  async rotate(): Promise<Rotation | undefined> {
    const now = this.clock.now()
    const begun = await this.store.write((tx) => {
      const last = this.store.prepare<{ seq: number }, []>('SELECT max(seq) AS seq FROM events').get()?.seq ?? 0
      const before = this.store.prepare<{ seq: number }, []>('SELECT max(last_seq) AS seq FROM event_archives').get()
      const first = Math.max((before?.seq ?? 0) + 1, this.log.oldest)
      if (last < first) return undefined
      const path = join(dirname(this.store.path), nameOf(now, first, last))
      this.store
        .prepare('INSERT INTO event_archives (first_seq, last_seq, path, at) VALUES (?, ?, ?, ?)')
        .run(first, last, path, now)
      const payload = { prior_archive: path, prior_first_seq: first, prior_last_seq: last }
      const facts = { actor: 'events', message: `events ${first} to ${last} were archived to ${path}` }
      return { path, first, last, seq: this.log.append(tx, EventsRotated, facts, payload) }
    })
    if (!begun) return undefined
    const { seq, ...archive } = begun
    const written = this.#write({ first_seq: archive.first, last_seq: archive.last, path: archive.path })
    return { archive, anchor: { seq, ts: stamp(now) }, written }
  }

  /** Writes the archives that a stop of the process left unwritten. */
  async resume(): Promise<void> {
    const sql = 'SELECT first_seq, last_seq, path FROM event_archives WHERE complete = 0 ORDER BY last_seq'
    for (const row of this.store.prepare<ArchiveRow, []>(sql).all()) await this.#write(row)
  }

  async #write({ first_seq, last_seq, path }: ArchiveRow): Promise<void> {
    await this.store.exportLines(LINES, [first_seq, last_seq], path)
    await this.store.write(
      () => void this.store.prepare('UPDATE event_archives SET complete = 1 WHERE last_seq = ?').run(last_seq),
    )
  }
}

function nameOf(now: number, first: number, last: number): string {
  const at = stamp(now).replace(/[-:]|\.\d+/g, '')
  return `events.jsonl.archive-${at}-seq-${first}-${last}.gz`
}
