import { and, asc, desc, eq, gte, inArray, lt, notInArray, or, sql } from 'drizzle-orm'
import { memoize } from '../../core/memoize.ts'
import { query, type Store, stablePlan, type Tx } from '../../core/store/index.ts'
import type { HeadVerdict } from './decide.ts'
import {
  type BatchRow,
  type BranchRow,
  type CheckRow,
  type LandingRow,
  type LandingState,
  type LetterRow,
  landingBatches,
  landingBranches,
  landingChecks,
  landingHeads,
  landingLetters,
  landingMembers,
  landingPullRequests,
  landingPushes,
  landings,
  landingTotals,
  landingTrains,
  type MemberRow,
  type PullRequestRow,
  type PushRow,
  type TrainRow,
} from './table.ts'

/** States that a landing does not leave, unless its push turns out to have arrived. */
export const FINAL: readonly LandingState[] = ['landed', 'already', 'cancelled', 'given_up']

const CHUNK = 500

const DURATIONS = query<{ ms: number }, [string]>(
  stablePlan(`SELECT ended_at - coalesce(started_at, ended_at) AS ms FROM landing_checks
    WHERE rig = ? AND verdict IN ('green', 'red') ORDER BY ended_at DESC LIMIT 20`),
)

/** Selects letters that have not arrived yet; runs whenever a session changes. */
const prepareOpenLetters = ({ orm }: Store) =>
  orm.select().from(landingLetters).where(sql`state IN ('waiting', 'sent', 'checking')`).prepare()

/** Stores landings, with their batches, checks and pushes. */
export class LandingRows {
  readonly #openLetters = memoize(() => prepareOpenLetters(this.store))

  constructor(private readonly store: Store) {}

  find(id: string): LandingRow | undefined {
    return this.store.read((orm) => orm.select().from(landings).where(eq(landings.id, id)).get())
  }

  /** The first landing of a branch that is not over: of this bead, if one is named, or of none. */
  openOf(rig: string, branch: string, bead: string | null = null): LandingRow | undefined {
    const open = this.allOpenOf(rig, branch)
    return bead === null ? open[0] : open.find((row) => row.bead === bead || row.bead === null)
  }

  /** The landings of a branch that are not over, in their order. */
  allOpenOf(rig: string, branch: string): LandingRow[] {
    const where = and(eq(landings.rig, rig), eq(landings.branch, branch), notInArray(landings.state, [...FINAL]))
    return inOrder(this.store.read((orm) => orm.select().from(landings).where(where).all()))
  }

  /** The landings of a bead, newest first. */
  ofBead(bead: string): LandingRow[] {
    return this.store.read((orm) =>
      orm.select().from(landings).where(eq(landings.bead, bead)).orderBy(desc(landings.place)).all(),
    )
  }

  /** Landings of a rig in some states, in their order. */
  inStates(rig: string, ...states: LandingState[]): LandingRow[] {
    const where = and(eq(landings.rig, rig), inArray(landings.state, states))
    return inOrder(this.store.read((orm) => orm.select().from(landings).where(where).all()))
  }

  /** Landings of any rig in some states. */
  everywhere(...states: LandingState[]): LandingRow[] {
    const where = inArray(landings.state, states)
    return inOrder(this.store.read((orm) => orm.select().from(landings).where(where).all()))
  }

  /** Landings, newest first. */
  list({ rig, state, before, limit }: { rig?: string; state?: LandingState; before?: number; limit: number }) {
    const where = and(
      rig === undefined ? undefined : eq(landings.rig, rig),
      state === undefined ? undefined : eq(landings.state, state),
      before === undefined ? undefined : lt(landings.place, before),
    )
    return this.store.read((orm) =>
      orm.select().from(landings).where(where).orderBy(desc(landings.place)).limit(limit).all(),
    )
  }

  add(tx: Tx, row: LandingRow): void {
    tx.orm.insert(landings).values(row).run()
    this.addHead(tx, row)
  }

  addHead(tx: Tx, { id, try: number, head }: Pick<LandingRow, 'id' | 'try' | 'head'>): void {
    tx.orm
      .insert(landingHeads)
      .values({ landing: id, try: number, head })
      .onConflictDoUpdate({ target: [landingHeads.landing, landingHeads.try], set: { head } })
      .run()
  }

  update(tx: Tx, id: string, change: Partial<LandingRow>): LandingRow {
    return tx.orm.update(landings).set(change).where(eq(landings.id, id)).returning().get()
  }

  nextPlace(tx: Tx): number {
    const last = tx.orm.select({ place: landings.place }).from(landings).orderBy(desc(landings.place)).limit(1).get()
    return (last?.place ?? 0) + 1
  }

  /** The landings of a rig one of whose heads is among some commits, with that head. */
  withHeads(rig: string, commits: readonly string[]): { row: LandingRow; head: string }[] {
    const found: { row: LandingRow; head: string }[] = []
    for (let at = 0; at < commits.length; at += CHUNK) {
      const where = and(inArray(landingHeads.head, commits.slice(at, at + CHUNK)), eq(landings.rig, rig))
      found.push(
        ...this.store.read((orm) =>
          orm
            .select({ row: landings, head: landingHeads.head })
            .from(landingHeads)
            .innerJoin(landings, eq(landings.id, landingHeads.landing))
            .where(where)
            .all(),
        ),
      )
    }
    return found
  }

  activeBatch(rig: string): BatchRow | undefined {
    const where = and(eq(landingBatches.rig, rig), sql`state <> 'done'`)
    return this.store.read((orm) => orm.select().from(landingBatches).where(where).get())
  }

  /** The verdict of a trial on the head of a landing; undefined while there is none. */
  trialOf({ id, head }: LandingRow): HeadVerdict | undefined {
    const trials = this.store.read((orm) =>
      orm
        .select({ outcome: landingBatches.outcome })
        .from(landingMembers)
        .innerJoin(landingBatches, eq(landingBatches.id, landingMembers.batch))
        .where(and(eq(landingMembers.landing, id), eq(landingMembers.head, head), eq(landingBatches.trial, true)))
        .all(),
    )
    return trials.map(({ outcome }) => outcome).findLast((outcome) => outcome === 'green' || outcome === 'red')
  }

  findBatch(id: string): BatchRow | undefined {
    return this.store.read((orm) => orm.select().from(landingBatches).where(eq(landingBatches.id, id)).get())
  }

  addBatch(tx: Tx, batch: BatchRow, members: readonly MemberRow[]): void {
    tx.orm.insert(landingBatches).values(batch).run()
    tx.orm
      .insert(landingMembers)
      .values([...members])
      .run()
  }

  updateBatch(tx: Tx, id: string, change: Partial<BatchRow>): void {
    tx.orm.update(landingBatches).set(change).where(eq(landingBatches.id, id)).run()
  }

  members(batch: string): MemberRow[] {
    const where = eq(landingMembers.batch, batch)
    return this.store.read((orm) =>
      orm.select().from(landingMembers).where(where).orderBy(asc(landingMembers.position)).all(),
    )
  }

  /** The places that a landing had in batches, newest batch first. */
  membershipsOf(landing: string): MemberRow[] {
    const query = this.store.read((orm) =>
      orm
        .select({ member: landingMembers })
        .from(landingMembers)
        .innerJoin(landingBatches, eq(landingBatches.id, landingMembers.batch))
        .where(eq(landingMembers.landing, landing))
        .orderBy(desc(landingBatches.createdAt))
        .limit(100)
        .all(),
    )
    return query.map(({ member }) => member)
  }

  /** Pushes of a rig whose outcome is not known, oldest first. */
  openPushes(rig: string): PushRow[] {
    const where = and(eq(landingPushes.rig, rig), sql`state = 'open'`)
    return this.store.read((orm) => orm.select().from(landingPushes).where(where).orderBy(asc(landingPushes.id)).all())
  }

  addPush(tx: Tx, push: Omit<PushRow, 'id' | 'tries' | 'message'>): void {
    tx.orm.insert(landingPushes).values(push).run()
  }

  updatePush(tx: Tx, id: number, change: Partial<PushRow>): void {
    tx.orm.update(landingPushes).set(change).where(eq(landingPushes.id, id)).run()
  }

  checksOf(batch: string): CheckRow[] {
    const where = eq(landingChecks.batch, batch)
    const order = [asc(landingChecks.position), asc(landingChecks.attempt)]
    return this.store.read((orm) =>
      orm
        .select()
        .from(landingChecks)
        .where(where)
        .orderBy(...order)
        .all(),
    )
  }

  /** Milliseconds that a check of a rig usually takes: the median of its last 20; undefined before the first has ended. */
  usualDuration(rig: string): number | undefined {
    const durations = this.store.all(DURATIONS, rig).map(({ ms }) => ms)
    return durations.sort((one, other) => one - other)[Math.floor(durations.length / 2)]
  }

  openChecks(): CheckRow[] {
    return this.store.read((orm) => orm.select().from(landingChecks).where(sql`state <> 'done'`).all())
  }

  findCheck(id: string): CheckRow | undefined {
    return this.store.read((orm) => orm.select().from(landingChecks).where(eq(landingChecks.id, id)).get())
  }

  /** A check of the same files with the same command that passed. */
  passedBefore(key: string): CheckRow | undefined {
    const where = and(eq(landingChecks.key, key), sql`verdict = 'green'`)
    return this.store.read((orm) => orm.select().from(landingChecks).where(where).limit(1).get())
  }

  addCheck(
    tx: Tx,
    check: Pick<CheckRow, 'id' | 'batch' | 'rig' | 'position' | 'attempt' | 'commitId' | 'key' | 'state'> &
      Partial<CheckRow>,
  ): void {
    tx.orm.insert(landingChecks).values(check).run()
  }

  updateCheck(tx: Tx, id: string, change: Partial<CheckRow>): void {
    tx.orm.update(landingChecks).set(change).where(eq(landingChecks.id, id)).run()
  }

  removeCheck(tx: Tx, id: string): void {
    tx.orm.delete(landingChecks).where(eq(landingChecks.id, id)).run()
  }

  addLetter(tx: Tx, letter: LetterRow): void {
    tx.orm.insert(landingLetters).values(letter).onConflictDoNothing().run()
  }

  /** Letters that have not arrived yet. */
  openLetters(): LetterRow[] {
    return this.store.read(() => this.#openLetters().all())
  }

  /** True if the letter about a branch that was given back could not be delivered. */
  hasLetterLost(row: LandingRow): boolean {
    const isOf = (letter: LetterRow) => letter.try === row.try && letter.kind === row.state
    return this.lettersOf(row.id).some((letter) => isOf(letter) && letter.state === 'failed')
  }

  lettersOf(landing: string): LetterRow[] {
    return this.store.read((orm) => orm.select().from(landingLetters).where(eq(landingLetters.landing, landing)).all())
  }

  updateLetter(tx: Tx, { landing, try: number, kind }: LetterRow, change: Partial<LetterRow>): void {
    const where = and(
      eq(landingLetters.landing, landing),
      eq(landingLetters.try, number),
      eq(landingLetters.kind, kind),
    )
    tx.orm.update(landingLetters).set(change).where(where).run()
  }

  /** Adds to a total. */
  count(tx: Tx, name: string, n = 1): void {
    if (n === 0) return
    tx.orm
      .insert(landingTotals)
      .values({ name, n })
      .onConflictDoUpdate({ target: landingTotals.name, set: { n: sql`${landingTotals.n} + ${n}` } })
      .run()
  }

  forget(tx: Tx, name: string): void {
    tx.orm.delete(landingTotals).where(eq(landingTotals.name, name)).run()
  }

  totals(): Map<string, number> {
    return new Map(this.store.read((orm) => orm.select().from(landingTotals).all()).map(({ name, n }) => [name, n]))
  }

  /** The pull requests of a landing, closed ones included. */
  pullRequest(landing: string): PullRequestRow | undefined {
    const where = eq(landingPullRequests.landing, landing)
    return this.store.read((orm) => orm.select().from(landingPullRequests).where(where).get())
  }

  openPullRequests(rig: string): PullRequestRow[] {
    const where = and(eq(landingPullRequests.rig, rig), sql`state = 'open'`)
    return this.store.read((orm) => orm.select().from(landingPullRequests).where(where).all())
  }

  /** Has the pull request of a landing that is over be looked at again, to be closed. */
  reviewPullRequest(tx: Tx, landing: string, due: number): void {
    const where = eq(landingPullRequests.landing, landing)
    tx.orm.update(landingPullRequests).set({ state: 'open', due }).where(where).run()
  }

  setPullRequest(tx: Tx, row: PullRequestRow): void {
    tx.orm
      .insert(landingPullRequests)
      .values(row)
      .onConflictDoUpdate({ target: landingPullRequests.landing, set: row })
      .run()
  }

  /** The branches of a rig that are still to be deleted. */
  branchesToDelete(rig: string): BranchRow[] {
    return this.store.read((orm) => orm.select().from(landingBranches).where(eq(landingBranches.rig, rig)).all())
  }

  addBranchToDelete(tx: Tx, row: BranchRow): void {
    tx.orm.insert(landingBranches).values(row).onConflictDoUpdate({ target: landingBranches.landing, set: row }).run()
  }

  updateBranchToDelete(tx: Tx, landing: string, change: Partial<BranchRow>): void {
    tx.orm.update(landingBranches).set(change).where(eq(landingBranches.landing, landing)).run()
  }

  removeBranchToDelete(tx: Tx, landing: string): void {
    tx.orm.delete(landingBranches).where(eq(landingBranches.landing, landing)).run()
  }

  train(rig: string): TrainRow | undefined {
    return this.store.read((orm) => orm.select().from(landingTrains).where(eq(landingTrains.rig, rig)).get())
  }

  /** The trains that stand still or are paused. */
  standing(): TrainRow[] {
    return this.store.read((orm) => orm.select().from(landingTrains).where(sql`standing_for <> ''`).all())
  }

  /** The rigs in which branches landed, or were to. */
  rigs(): string[] {
    return this.store.read((orm) => orm.select().from(landingTrains).all()).map(({ rig }) => rig)
  }

  /** Whether all landings of a rig were over before a time, with all that they left to be done. */
  wereOver(rig: string, before: number): boolean {
    const isRecent = or(notInArray(landings.state, [...FINAL]), gte(landings.updatedAt, before))
    const recent = this.store.read((orm) =>
      orm
        .select({ id: landings.id })
        .from(landings)
        .where(and(eq(landings.rig, rig), isRecent))
        .get(),
    )
    const left = [this.openPushes(rig), this.openPullRequests(rig), this.branchesToDelete(rig)]
    const isChecked = this.openChecks().some((check) => check.rig === rig)
    return recent === undefined && !isChecked && left.every((each) => each.length === 0)
  }

  setTrain(tx: Tx, rig: string, target: string, change: Partial<TrainRow>): void {
    const set = { ...change, target }
    tx.orm
      .insert(landingTrains)
      .values({ rig, ...set })
      .onConflictDoUpdate({ target: landingTrains.rig, set })
      .run()
  }
}

const inOrder = (rows: LandingRow[]): LandingRow[] => rows.sort((a, b) => a.place - b.place)
