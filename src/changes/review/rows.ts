import { randomBytes } from 'node:crypto'
import { and, asc, desc, eq, inArray, isNotNull, isNull, lt, or, type SQL, sql } from 'drizzle-orm'
import { memoize } from '../../core/memoize.ts'
import { query, type Store, type Tx } from '../../core/store/index.ts'
import {
  type AskRow,
  type ChangeRow,
  type ChangeState,
  type ChangeTotal,
  type CommentRow,
  changeAsks,
  changeComments,
  changeLooks,
  changeRounds,
  changes,
  changeTotals,
  type Decision,
  type LookRow,
  type RoundRow,
  reviewPeople,
} from './table.ts'

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567'

/** States in which a change is still to be landed or discarded; what names them in SQL uses the index of those. */
export const UNDECIDED = ['working', 'ready', 'asked', 'approved'] as const
const IS_UNDECIDED = sql`state IN ('working', 'ready', 'asked', 'approved')`
/** SQL that names it uses the indexes of changes in review. */
const IN_REVIEW = sql`state IN ('ready', 'approved')`
const IS_DECIDED = sql`state IN ('landed', 'discarded', 'none')`
/** States in which its session adds commits to a change. */
export const GROWING: readonly ChangeState[] = ['working', 'ready', 'asked']

export interface ChangeFilter {
  /** `all`, a state, or the undecided ones. */
  state?: string | undefined
  rig?: string | undefined
  agent?: string | undefined
  bead?: string | undefined
}

export interface ChangePosition {
  createdAt: number
  id: string
}

/** A change about to be recorded. */
export type ChangeDraft = Pick<
  ChangeRow,
  'session' | 'bead' | 'agent' | 'rig' | 'kind' | 'folder' | 'branch' | 'target' | 'started'
>

/** Asked of each bead that is closed, and hardly any has one. */
const HAS_ATTEMPT = query<{ found: number }, [string]>('SELECT 1 AS found FROM changes WHERE bead = ? LIMIT 1')

/** Selects requests that have not arrived yet; runs whenever a session changes. */
const prepareOpenAsks = ({ orm }: Store) =>
  orm.select().from(changeAsks).where(sql`state IN ('waiting', 'sent', 'checking')`).prepare()

/** The rows of changes, and of what people wrote and decided about them. */
export class ChangeRows {
  readonly #openAsks = memoize(() => prepareOpenAsks(this.store))

  constructor(private readonly store: Store) {}

  find(id: string): ChangeRow | undefined {
    return this.store.read((orm) => orm.select().from(changes).where(eq(changes.id, id)).get())
  }

  /** All attempts at a bead, the latest first. */
  ofBead(bead: string): ChangeRow[] {
    if (!this.store.get(HAS_ATTEMPT, bead)) return []
    return this.store.read((orm) =>
      orm.select().from(changes).where(eq(changes.bead, bead)).orderBy(desc(changes.activeAt)).all(),
    )
  }

  /** The changes of a session, the one that it worked on last first. */
  ofSession(session: string, limit = 20): ChangeRow[] {
    return this.store.read((orm) =>
      orm.select().from(changes).where(eq(changes.session, session)).orderBy(desc(changes.activeAt)).limit(limit).all(),
    )
  }

  /** The change that commits of a session are added to. */
  growingOf(session: string): ChangeRow | undefined {
    return this.ofSession(session).find(({ state }) => GROWING.includes(state))
  }

  /** Those of which it should be decided whether they are ready. */
  due(): ChangeRow[] {
    return this.store.read((orm) => orm.select().from(changes).where(isNotNull(changes.due)).all())
  }

  /** Undecided changes in these states, newest first. */
  undecided(...states: readonly ChangeState[]): ChangeRow[] {
    return this.store
      .read((orm) =>
        orm.select().from(changes).where(IS_UNDECIDED).orderBy(desc(changes.createdAt), desc(changes.id)).all(),
      )
      .filter(({ state, head }) => head !== null && (states.length === 0 || states.includes(state)))
  }

  /** Changes in review whose last commit is this one. */
  reviewedAt(head: string): ChangeRow[] {
    return this.store.read((orm) =>
      orm
        .select()
        .from(changes)
        .where(and(IN_REVIEW, eq(changes.head, head)))
        .all(),
    )
  }

  /** Changes of a branch in review, newest first. */
  reviewedOn(rig: string, branch: string): ChangeRow[] {
    return this.store.read((orm) =>
      orm
        .select()
        .from(changes)
        .where(and(IN_REVIEW, eq(changes.rig, rig), eq(changes.branch, branch)))
        .orderBy(desc(changes.createdAt), desc(changes.id))
        .all(),
    )
  }

  /** Changes after a position in the list, newest first. */
  page(filter: ChangeFilter, after: ChangePosition | undefined, limit: number): ChangeRow[] {
    const { state, rig, agent, bead } = filter
    const conditions: (SQL | undefined)[] = [
      isNotNull(changes.head),
      state === undefined ? IS_UNDECIDED : stateCondition(state),
      rig === undefined ? undefined : eq(changes.rig, rig),
      agent === undefined ? undefined : eq(changes.agent, agent),
      bead === undefined ? undefined : eq(changes.bead, bead),
      after &&
        or(
          lt(changes.createdAt, after.createdAt),
          and(eq(changes.createdAt, after.createdAt), lt(changes.id, after.id)),
        ),
    ]
    return this.store.read((orm) =>
      orm
        .select()
        .from(changes)
        .where(and(...conditions))
        .orderBy(desc(changes.createdAt), desc(changes.id))
        .limit(limit)
        .all(),
    )
  }

  /** Records a change with its first round. */
  add(tx: Tx, draft: ChangeDraft, now: number): ChangeRow {
    const id = `ch-${[...randomBytes(12)].map((byte) => ALPHABET[byte % ALPHABET.length]).join('')}`
    const row = tx.orm
      .insert(changes)
      .values({ ...draft, id, state: 'working', createdAt: now, activeAt: now })
      .returning()
      .get()
    tx.orm.insert(changeRounds).values({ change: id, round: 1, startedAt: now }).run()
    return row
  }

  update(tx: Tx, id: string, change: Partial<Omit<ChangeRow, 'id'>>): ChangeRow {
    return tx.orm.update(changes).set(change).where(eq(changes.id, id)).returning().get()
  }

  /** True if attempts without commits began before a time. */
  hasOld(before: number): boolean {
    const old = and(IS_DECIDED, sql`state = 'none'`, lt(changes.createdAt, before))
    return (
      this.store.read((orm) => orm.select({ id: changes.id }).from(changes).where(old).limit(1).get()) !== undefined
    )
  }

  /** Deletes attempts without commits that began before a time. */
  prune(tx: Tx, before: number): void {
    const old = tx.orm
      .delete(changes)
      .where(and(IS_DECIDED, sql`state = 'none'`, lt(changes.createdAt, before)))
      .returning({ id: changes.id })
      .all()
    for (const { id } of old) tx.orm.delete(changeRounds).where(eq(changeRounds.change, id)).run()
  }

  /** Decided changes whose commits are still kept, decided before a time. */
  pinnedBefore(time: number): ChangeRow[] {
    return this.store.read((orm) =>
      orm
        .select()
        .from(changes)
        .where(and(sql`pinned = 1 AND state IN ('landed', 'discarded')`, lt(changes.decidedAt, time)))
        .all(),
    )
  }

  rounds(id: string): RoundRow[] {
    return this.store.read((orm) =>
      orm.select().from(changeRounds).where(eq(changeRounds.change, id)).orderBy(asc(changeRounds.round)).all(),
    )
  }

  round(id: string, round: number): RoundRow | undefined {
    return this.store.read((orm) =>
      orm
        .select()
        .from(changeRounds)
        .where(and(eq(changeRounds.change, id), eq(changeRounds.round, round)))
        .get(),
    )
  }

  setRound(tx: Tx, row: RoundRow): void {
    const { change: _, round: __, ...set } = row
    tx.orm
      .insert(changeRounds)
      .values(row)
      .onConflictDoUpdate({ target: [changeRounds.change, changeRounds.round], set })
      .run()
  }

  comments(id: string): CommentRow[] {
    return this.store.read((orm) =>
      orm.select().from(changeComments).where(eq(changeComments.change, id)).orderBy(asc(changeComments.n)).all(),
    )
  }

  addComment(tx: Tx, comment: Omit<CommentRow, 'n'>): CommentRow {
    const last = tx.orm
      .select({ n: changeComments.n })
      .from(changeComments)
      .where(eq(changeComments.change, comment.change))
      .orderBy(desc(changeComments.n))
      .get()
    return tx.orm
      .insert(changeComments)
      .values({ ...comment, n: (last?.n ?? 0) + 1 })
      .returning()
      .get()
  }

  updateComment(tx: Tx, { change, n }: Pick<CommentRow, 'change' | 'n'>, set: Partial<CommentRow>): CommentRow {
    return tx.orm
      .update(changeComments)
      .set(set)
      .where(and(eq(changeComments.change, change), eq(changeComments.n, n)))
      .returning()
      .get()
  }

  removeComment(tx: Tx, { change, n }: Pick<CommentRow, 'change' | 'n'>): void {
    tx.orm
      .delete(changeComments)
      .where(and(eq(changeComments.change, change), eq(changeComments.n, n)))
      .run()
  }

  asks(id: string): AskRow[] {
    return this.store.read((orm) =>
      orm.select().from(changeAsks).where(eq(changeAsks.change, id)).orderBy(asc(changeAsks.n)).all(),
    )
  }

  ask(id: string, n: number): AskRow | undefined {
    return this.store.read((orm) =>
      orm
        .select()
        .from(changeAsks)
        .where(and(eq(changeAsks.change, id), eq(changeAsks.n, n)))
        .get(),
    )
  }

  /** Requests for changes whose turns have not arrived yet. */
  openAsks(): AskRow[] {
    return this.store.read(() => this.#openAsks().all())
  }

  addAsk(tx: Tx, ask: AskRow): void {
    tx.orm.insert(changeAsks).values(ask).run()
  }

  updateAsk(tx: Tx, { change, n }: Pick<AskRow, 'change' | 'n'>, set: Partial<AskRow>): void {
    tx.orm
      .update(changeAsks)
      .set(set)
      .where(and(eq(changeAsks.change, change), eq(changeAsks.n, n)))
      .run()
  }

  looks(id: string): LookRow[] {
    return this.store.read((orm) =>
      orm.select().from(changeLooks).where(eq(changeLooks.change, id)).orderBy(asc(changeLooks.round)).all(),
    )
  }

  /** Records when a person first looked at a round, and what they saw last; false when they had seen just that. */
  addLook(tx: Tx, look: Pick<LookRow, 'change' | 'round' | 'person' | 'lookedAt' | 'head'>): boolean {
    return (
      tx.orm
        .insert(changeLooks)
        .values(look)
        .onConflictDoUpdate({
          target: [changeLooks.change, changeLooks.round, changeLooks.person],
          set: { head: look.head },
          setWhere: sql`${changeLooks.head} != ${look.head}`,
        })
        .returning()
        .all().length > 0
    )
  }

  /** Records what a person decided; returns the seconds since their first look that led to no decision. */
  decide(tx: Tx, look: Omit<LookRow, 'lookedAt' | 'decidedAt' | 'decision'>, decision: Decision, now: number): number {
    const { change, round, person, head } = look
    const own = and(eq(changeLooks.change, change), eq(changeLooks.person, person))
    const open = tx.orm
      .delete(changeLooks)
      .where(and(own, isNull(changeLooks.decidedAt)))
      .returning()
      .all()
    const lookedAt = Math.min(now, ...open.map((each) => each.lookedAt))
    const decided = { lookedAt, decidedAt: now, decision, head }
    tx.orm
      .insert(changeLooks)
      .values({ change, round, person, ...decided })
      .onConflictDoUpdate({ target: [changeLooks.change, changeLooks.round, changeLooks.person], set: decided })
      .run()
    const seconds = (now - lookedAt) / 1000
    tx.orm
      .insert(reviewPeople)
      .values({ person, [decision]: 1, seconds })
      .onConflictDoUpdate({
        target: reviewPeople.person,
        set: { [decision]: sql`${reviewPeople[decision]} + 1`, seconds: sql`${reviewPeople.seconds} + ${seconds}` },
      })
      .run()
    return seconds
  }

  /** Adds to the totals of the agent of a change. */
  addTotals(
    tx: Tx,
    { rig, agent }: Pick<ChangeRow, 'rig' | 'agent'>,
    more: Partial<Omit<ChangeTotal, 'rig' | 'agent'>>,
  ): void {
    const added = { ...NO_TOTALS, ...more }
    const { approved, landed, discarded, seconds, tokens, cost, unpriced } = changeTotals
    tx.orm
      .insert(changeTotals)
      .values({ rig, agent, ...added })
      .onConflictDoUpdate({
        target: [changeTotals.rig, changeTotals.agent],
        set: {
          approved: sql`${approved} + ${added.approved}`,
          landed: sql`${landed} + ${added.landed}`,
          discarded: sql`${discarded} + ${added.discarded}`,
          seconds: sql`${seconds} + ${added.seconds}`,
          tokens: sql`${tokens} + ${added.tokens}`,
          cost: sql`${cost} + ${added.cost}`,
          unpriced: sql`${unpriced} + ${added.unpriced}`,
        },
      })
      .run()
  }

  /** The totals of each agent whose changes were decided, and of these: zero where nothing was decided yet. */
  totals(agents: readonly Pick<ChangeTotal, 'rig' | 'agent'>[]): ChangeTotal[] {
    const stored = this.store.read((orm) => orm.select().from(changeTotals).all())
    const known = new Set(stored.map(({ rig, agent }) => `${rig} ${agent}`))
    const others = agents.filter(({ rig, agent }) => !known.has(`${rig} ${agent}`))
    return [...stored, ...others.map((other) => ({ ...NO_TOTALS, ...other }))]
  }

  /** The decisions of each person. */
  people() {
    return this.store.read((orm) => orm.select().from(reviewPeople).all())
  }

  /** The number of undecided changes by state. */
  counts(): Map<string, number> {
    const rows = this.store.read((orm) =>
      orm
        .select({ state: changes.state, n: sql<number>`count(*)` })
        .from(changes)
        .where(and(IS_UNDECIDED, isNotNull(changes.head)))
        .groupBy(changes.state)
        .all(),
    )
    return new Map(rows.map(({ state, n }) => [state, n]))
  }

  /** The rows of some changes. */
  all(ids: readonly string[]): ChangeRow[] {
    return this.store.read((orm) =>
      orm
        .select()
        .from(changes)
        .where(inArray(changes.id, [...ids]))
        .all(),
    )
  }
}

const NO_TOTALS = { approved: 0, landed: 0, discarded: 0, seconds: 0, tokens: 0, cost: 0, unpriced: 0 }

/** The condition of a list with changes in one state, or all; it uses the index of those states. */
function stateCondition(state: string): SQL | undefined {
  if (state === 'all') return sql`state != 'none'`
  const isUndecided = UNDECIDED.some((known) => known === state)
  return and(isUndecided ? IS_UNDECIDED : IS_DECIDED, isUndecided ? sql`+state = ${state}` : sql`state = ${state}`)
}
