import { statSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { Type } from '@sinclair/typebox'
import type { Actor } from '../actor.ts'
import { type Clock, toTimestamp } from '../clock.ts'
import type { Deadline, Deadlines } from '../deadlines.ts'
import { command, query, type Store } from '../store/index.ts'
import { defineEvent } from './event.ts'
import type { EventLog } from './log.ts'
import { ARCHIVE_LINES } from './row.ts'

export const EventsRotated = defineEvent(
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

/** A rotation that began: its archive, and the event that begins the rest. */
export interface Rotated {
  archive: { path: string; first: number; last: number }
  anchor: { seq: number; ts: string }
}

/** A rotation with when its archive is whole. */
export interface Rotation extends Rotated {
  written: Promise<void>
}

/** Maximum time archives are kept, and how much disk they may take: the oldest go first, the newest always stays. */
export interface ArchiveLimits {
  /** Milliseconds; 0 indefinitely. */
  readonly age: number
  /** 0 for as many as there are. */
  readonly bytes: number
}

interface ArchiveRow {
  first_seq: number
  last_seq: number
  /** The name of its file, which lies beside the database wherever that is. */
  path: string
  at: number
}

const EXPIRY_INTERVAL_MS = 24 * 3_600_000

const LAST = query<{ seq: number }>('SELECT max(seq) AS seq FROM events')

const LAST_ARCHIVED = query<{ seq: number }>('SELECT max(last_seq) AS seq FROM event_archives')

const INSERT = command<[number, number, string, number]>(
  'INSERT INTO event_archives (first_seq, last_seq, path, at) VALUES (?, ?, ?, ?)',
)

const UNWRITTEN = query<ArchiveRow>(
  'SELECT first_seq, last_seq, path, at FROM event_archives WHERE complete = 0 ORDER BY last_seq',
)

const WRITTEN = query<ArchiveRow>(
  'SELECT first_seq, last_seq, path, at FROM event_archives WHERE complete = 1 ORDER BY last_seq DESC',
)

const DELETE = command<[number]>('DELETE FROM event_archives WHERE last_seq = ?')

const COMPLETE = command<[number]>('UPDATE event_archives SET complete = 1 WHERE last_seq = ?')

/** Archives of a log: gzip files of JSON lines beside the database. Its rows stay until retention removes them. */
export class EventArchives {
  #next: Deadline | undefined
  #expiring: Promise<unknown> = Promise.resolve()
  #ended = false

  constructor(
    private readonly store: Store,
    private readonly log: EventLog,
    private readonly clock: Clock,
    private readonly deadlines: Deadlines,
    private readonly bounds: () => ArchiveLimits,
    private readonly report: (error: unknown) => void,
  ) {}

  /** Writes what a stop of the process left unwritten; removes what is beyond the bounds, now and once a day. */
  async start(): Promise<void> {
    await this.resume()
    const daily = () => {
      this.#next = this.deadlines.interval(EXPIRY_INTERVAL_MS, daily)
      this.#cleanUp()
    }
    daily()
  }

  /** Waits for a removal that is under way. */
  async stop(): Promise<void> {
    this.#ended = true
    this.#next?.cancel()
    await this.#expiring
  }

  /** Begins an archive of every event since the last one; undefined when there is none. `answer` answers the request for it. */
  async rotate(actor: Actor, answer: (rotated: Rotated) => unknown = () => undefined): Promise<Rotation | undefined> {
    const now = this.clock.now()
    const begun = await this.store.write((tx) => {
      const last = tx.get(LAST)?.seq ?? 0
      const before = tx.get(LAST_ARCHIVED)
      const first = Math.max((before?.seq ?? 0) + 1, this.log.oldest)
      if (last < first) return undefined
      const name = nameOf(now, first, last)
      tx.run(INSERT, first, last, name, now)
      const path = this.#file(name)
      const payload = { prior_archive: path, prior_first_seq: first, prior_last_seq: last }
      const facts = { message: `events ${first} to ${last} were archived to ${path}` }
      const seq = this.log.append(tx, EventsRotated, facts, payload)
      const rotated = { archive: { path, first, last }, anchor: { seq, ts: toTimestamp(now) } }
      tx.answer(answer(rotated))
      return rotated
    }, actor)
    if (!begun) return undefined
    const { first, last, path } = begun.archive
    const written = this.#write({ first_seq: first, last_seq: last, path })
    written.then(() => this.#cleanUp(), this.report)
    return { ...begun, written }
  }

  /** Writes the archives that a stop of the process left unwritten. */
  async resume(): Promise<void> {
    for (const row of this.store.all(UNWRITTEN)) await this.#write(row)
  }

  /** Removes the archives that are too old or too many; how many went. */
  async expire(): Promise<number> {
    const { age, bytes } = this.bounds()
    const [newest, ...older] = this.store.all(WRITTEN)
    let taken = newest ? this.#size(newest) : 0
    let gone = 0
    for (const row of older) {
      taken += this.#size(row)
      const isRetained = (age === 0 || row.at > this.clock.now() - age) && (bytes === 0 || taken <= bytes)
      if (isRetained) continue
      await rm(this.#file(row.path), { force: true })
      await this.store.write((tx) => void tx.run(DELETE, row.last_seq))
      gone++
    }
    return gone
  }

  #cleanUp(): void {
    if (!this.#ended) this.#expiring = this.#expiring.then(() => this.expire()).catch(this.report)
  }

  #size = ({ path }: ArchiveRow): number => statSync(this.#file(path), { throwIfNoEntry: false })?.size ?? 0

  #file = (path: string): string => join(dirname(this.store.path), basename(path))

  async #write({ first_seq, last_seq, path }: Pick<ArchiveRow, 'first_seq' | 'last_seq' | 'path'>): Promise<void> {
    await this.store.files.exportLines(ARCHIVE_LINES, [first_seq, last_seq], this.#file(path))
    await this.store.write((tx) => void tx.run(COMPLETE, last_seq))
  }
}

function nameOf(now: number, first: number, last: number): string {
  const at = toTimestamp(now).replace(/[-:]|\.\d+/g, '')
  return `events.jsonl.archive-${at}-seq-${first}-${last}.gz`
}
