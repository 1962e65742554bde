import { and, desc, eq, inArray, ne, or, type SQL, sql } from 'drizzle-orm'
import type { Clock } from '../../core/clock.ts'
import type { Store, Tx } from '../../core/store.ts'
import type { Beads } from '../beads/beads.ts'
import { metadataOf } from './metadata.ts'
import { type SessionRow, sessions } from './table.ts'
import { type Command, type SessionState, STATES, transition } from './transitions.ts'

/** A session about to be made. Its bead gives it the id. */
export type SessionDraft = Pick<SessionRow, 'kind' | 'template' | 'rig' | 'provider' | 'origin' | 'workDir'> &
  Partial<
    Pick<SessionRow, 'alias' | 'agentName' | 'named' | 'slot' | 'options' | 'firstMessage' | 'project' | 'work'>
  > & {
    title: string
    /** The run-time name, which may contain the id. */
    sessionName: (id: string) => string
  }

export type SessionChange = Partial<Omit<SessionRow, 'id' | 'state'>>

const LIVE = ne(sessions.state, 'closed')

/** The rows of sessions and their beads, changed together. What a client can see of a change is a bead event. */
export class SessionBook {
  readonly #listeners = new Set<() => void>()

  constructor(
    private readonly store: Store,
    private readonly beads: Beads,
    private readonly clock: Clock,
  ) {
    beads.projects('session', (ids) => {
      const rows = this.#where(inArray(sessions.id, ids))
      return new Map(rows.map((row) => [row.id, metadataOf(row)]))
    })
  }

  find(id: string): SessionRow | undefined {
    return this.#where(eq(sessions.id, id))[0]
  }

  /** Every session that is not closed, newest first. */
  live(): SessionRow[] {
    return this.#where(LIVE)
  }

  /** Closed sessions whose program was not yet seen gone. */
  lingering(): SessionRow[] {
    return this.#where(sql`state = 'closed' AND host_key IS NOT NULL`)
  }

  withKey(key: string): SessionRow | undefined {
    return this.#where(and(sql`host_key IS NOT NULL`, eq(sessions.hostKey, key)))[0]
  }

  liveOf(template: string): SessionRow[] {
    return this.#where(and(LIVE, eq(sessions.template, template)))
  }

  /** Sessions in any of these states, newest first; `open` is all but closed, `all` is all. */
  select({ states, template }: { states: readonly string[]; template?: string | undefined }): SessionRow[] {
    const names = states.map((state) => ({ awake: 'active', drained: 'asleep' })[state] ?? state)
    const exact = names.filter((state): state is SessionState => STATES.has(state))
    const any = [
      ...(names.includes('all') ? [sql`1`] : []),
      ...(names.includes('open') ? [LIVE] : []),
      ...(exact.length > 0 ? [inArray(sessions.state, exact)] : []),
    ]
    if (any.length === 0) return []
    return this.#where(and(or(...any), template === undefined ? undefined : eq(sessions.template, template)))
  }

  /** Sessions by one of their names, newest first: the live ones, or those that are closed. */
  named(column: 'sessionName' | 'alias' | 'named' | 'agentName', name: string, closed = false): SessionRow[] {
    return this.#where(and(closed ? eq(sessions.state, 'closed') : LIVE, eq(sessions[column], name)))
  }

  /** The title is the bead's. */
  titleOf(id: string): string {
    return this.beads.find(id)?.title ?? ''
  }

  add(tx: Tx, { title, sessionName, ...draft }: SessionDraft): SessionRow {
    const bead = this.beads.add(
      tx,
      { title, type: 'session', labels: ['gc:session', `template:${draft.template}`] },
      {
        beside: (id) => {
          const row = {
            ...draft,
            id,
            sessionName: sessionName(id),
            state: 'start-pending',
            createdAt: this.clock.now(),
          }
          tx.orm
            .insert(sessions)
            .values(row as typeof sessions.$inferInsert)
            .run()
        },
      },
    )
    tx.after(() => this.stir())
    return this.need(bead.id)
  }

  /** Moves a session along an arrow of the transition table; refuses where there is none. */
  move(tx: Tx, id: string, command: Command, change: SessionChange = {}): SessionRow {
    const row = this.need(id)
    const state = transition(row.state, command)
    return this.#write(tx, id, { reason: '', ...change, state })
  }

  /** Changes columns; the state stays. */
  patch(tx: Tx, id: string, change: SessionChange): SessionRow {
    return this.#write(tx, id, change)
  }

  rename(tx: Tx, id: string, title: string): void {
    this.beads.change(tx, id, { title })
  }

  /** Forgets a session for good. */
  remove(tx: Tx, id: string): void {
    this.beads.remove(tx, id)
    tx.orm.delete(sessions).where(eq(sessions.id, id)).run()
    tx.after(() => this.stir())
  }

  /** Hears that something about sessions changed, once it is on disk. */
  listen(hear: () => void): () => void {
    this.#listeners.add(hear)
    return () => this.#listeners.delete(hear)
  }

  #write(tx: Tx, id: string, change: Partial<SessionRow>): SessionRow {
    const beside = () => {
      if (Object.keys(change).length > 0) tx.orm.update(sessions).set(change).where(eq(sessions.id, id)).run()
    }
    if (change.state === 'closed' && this.beads.get(id).status !== 'closed')
      this.beads.close(tx, id, change.reason || undefined, { beside })
    else this.beads.change(tx, id, {}, { beside })
    tx.after(() => this.stir())
    return this.need(id)
  }

  /** The row of a session that has to exist. */
  need(id: string): SessionRow {
    const row = this.find(id)
    if (!row) throw new Error(`session ${id} has no row`)
    return row
  }

  #where(condition: SQL | undefined): SessionRow[] {
    return this.store.read((orm) =>
      orm.select().from(sessions).where(condition).orderBy(desc(sessions.createdAt), desc(sessions.id)).all(),
    )
  }

  /** Tells whoever looks after sessions to look again. */
  stir(): void {
    for (const hear of this.#listeners) hear()
  }
}
