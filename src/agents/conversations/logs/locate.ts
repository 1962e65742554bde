import type { Statement } from 'bun:sqlite'
import type { Store } from '../../../core/store.ts'
import type { SessionRepository } from '../../sessions/repository.ts'
import type { SessionRow } from '../../sessions/table.ts'
import { FAMILIES, type Family, type Found } from './families.ts'
import { namesOf, type Whereabouts } from './whereabouts.ts'

/** What has to be known of a session to find its log. */
export interface Origin {
  /** The builtin provider its program is of; undefined when its logs cannot be read. */
  readonly ancestor: string | undefined
  readonly env: Readonly<Record<string, string | undefined>>
  /** How the first prompt of this very session begins. */
  readonly greeting: string
}

/** A program may write the first line of its log this long before its start is on record. */
const SLACK = 60_000

/** Finds the log of a session, and never takes another's for it. */
export class Locator {
  readonly #rivals: Statement<{ id: string }, [string, string, number]>

  constructor(
    store: Store,
    private readonly book: Pick<SessionRepository, 'find'>,
    private readonly originOf: (row: SessionRow) => Origin,
    private readonly now: () => number,
  ) {
    this.#rivals = store.prepare(
      `SELECT id FROM sessions INDEXED BY sessions_folder
       WHERE work_dir = ? AND id != ? AND woke_at IS NOT NULL
         AND (host_key IS NOT NULL OR max(woke_at, coalesce(slept_at, 0), coalesce(closed_at, 0)) >= ?)`,
    )
  }

  /** The folders in which a session's log is or will be; none when its program keeps none that can be read. */
  places(row: SessionRow): string[] {
    const origin = this.originOf(row)
    return this.#family(origin)?.places(this.#whereabouts(row, origin)) ?? []
  }

  /** The log of a session; undefined when it has none, or when it cannot be told which it is. */
  find(row: SessionRow): Found | undefined {
    const origin = this.originOf(row)
    const family = this.#family(origin)
    if (!family || row.wokeAt === null) return undefined
    const where = this.#whereabouts(row, origin)
    if (row.sessionKey !== null) return family.keyed(where, row.sessionKey)
    const rivals = this.#rivals.all(row.workDir, row.id, where.since).flatMap(({ id }) => this.book.find(id) ?? [])
    const taken = new Set(rivals.map(({ sessionKey }) => sessionKey))
    const begun = family.begun(where).filter(({ key }) => key !== '' && !taken.has(key))
    const greeted = begun.find((found) => found.firstWords().includes(origin.greeting))
    if (greeted) return greeted
    const alone = !rivals.some((rival) => this.#family(this.originOf(rival)) === family)
    return alone && begun.length === 1 ? begun[0] : undefined
  }

  #family({ ancestor }: Origin): Family | undefined {
    return ancestor === undefined ? undefined : FAMILIES.get(ancestor)
  }

  #whereabouts(row: SessionRow, { env }: Origin): Whereabouts {
    const slept = row.sleptAt !== null && row.sleptAt < (row.wokeAt ?? 0) ? row.sleptAt : 0
    const since = Math.max(row.createdAt, slept, (row.wokeAt ?? 0) - SLACK)
    return { env, folders: namesOf(row.workDir), since, now: this.now() }
  }
}
