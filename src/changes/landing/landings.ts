import { lstatSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Snapshots, WorktreeRow, WorktreeStart, Worktrees } from '../../agents/worktrees/index.ts'
import { ForgeTokens } from '../../config/accounts/index.ts'
import type { Config } from '../../config/compose/index.ts'
import { readBranches } from '../../config/git/index.ts'
import { branchProblem } from '../../config/land/index.ts'
import type { RigConfig } from '../../config/rigs/index.ts'
import type { Suspensions } from '../../config/suspensions/index.ts'
import type { CityContext } from '../../core/city-context.ts'
import { toTimestamp } from '../../core/clock.ts'
import type { Deadline } from '../../core/deadlines.ts'
import { sha256 } from '../../core/digest.ts'
import { AppError, errorMessage } from '../../core/errors.ts'
import type { Reactions, RecordedEvent } from '../../core/events/index.ts'
import { isObject } from '../../core/json.ts'
import type { NumberMetric } from '../../core/metrics/index.ts'
import { unsubscriber } from '../../core/signal.ts'
import type { Tx } from '../../core/store/index.ts'
import { actorOf } from '../../http/actor-of.ts'
import type { Caller } from '../../http/caller.ts'
import type { ClaimManager } from '../../work/claims/index.ts'
import * as events from '../events.ts'
import { ChangeApproved, ChangeDiscarded, ChangeReady } from '../events.ts'
import type { LandingOfChange } from '../review/index.ts'
import { Scratch, UserGit, Yard } from '../yard/index.ts'
import { NOT_APPROVED } from './build.ts'
import { type CheckPlace, LandingChecks } from './checks.ts'
import { Closes, type ClosesOptions } from './closes.ts'
import type { HeadVerdict } from './decide.ts'
import { Generation } from './generation.ts'
import { Letters, type LettersOptions } from './letters.ts'
import { countStanding, endBatch, landingMetrics } from './metrics.ts'
import { enterState, LANDING, type TrainParts, type TrainRig } from './parts.ts'
import { FINAL, LandingRows } from './rows.ts'
import type { Landing, LandingCheck, LandingList, LandingLog, LandStatus, LandSubmit } from './schema.ts'
import { startOf } from './starts.ts'
import { Submissions, type Submitter, wrongState } from './submissions.ts'
import type { CheckRow, LandingRow, LandingState, LetterRow } from './table.ts'
import { KEEP_MS, removeFolders } from './tidying.ts'
import { Train } from './train.ts'

type Shared = Omit<TrainParts, 'rows' | 'checks' | 'letters' | 'holderOf' | 'tokens'>
type CheckOptions = Omit<ConstructorParameters<typeof LandingChecks>[1], 'rows' | 'place' | 'onVerdict'>

type LetterOptions = Omit<LettersOptions, 'rows' | 'yardOf' | 'landOf' | 'worktrees' | 'claims'>
type CloseOptions = Pick<ClosesOptions, 'isRun' | 'startsOf'>

interface LandingsOptions extends Shared, CheckOptions, LetterOptions, CloseOptions {
  /** `$GC_HOME`. */
  readonly home: string
  readonly config: Pick<Config, 'current' | 'onChange'>
  readonly suspensions: Pick<Suspensions, 'holdOf' | 'onChange'>
  readonly worktrees: Pick<
    Worktrees,
    'rigGit' | 'objectsOf' | 'workOf' | 'rowOf' | 'bring' | 'use' | 'startFrom' | 'sweep' | 'list'
  >
  readonly snapshots: Pick<Snapshots, 'take'>
  readonly claims: Pick<ClaimManager, 'holderOf' | 'onClaim'>
  /** True if a person approved a commit in review. */
  isApproved(head: string): boolean
  /** Changes of a landing that are ready for review or approved, newest first. */
  inReview(landing: Reviewed): readonly { readonly state: string; readonly head: string | null }[]
  /** The bead that a session claimed last; null for none. */
  lastBeadOf(session: string): string | null
  readonly reactions: Pick<Reactions, 'on'>
}

/** Identifies the change of a landing: its commit, or a later one of the branch for the same bead. */
export type Reviewed = Pick<LandingRow, 'rig' | 'branch' | 'head' | 'bead'>

/** Train, yard and check place of a rig that lands. */
interface RigTrain {
  readonly train: Train
  readonly yard: Yard
  place(slot?: number): CheckPlace | undefined
}

/** Verbs of a landing that a caller asks for. */
export type LandingVerb = 'retry' | 'cancel' | 'hold' | 'release' | 'give-up'

interface Rule {
  readonly from: readonly LandingState[]
  readonly fields: Partial<LandingRow>
  readonly event: (typeof events)['LandQueued']
  readonly reason: string
}

const OPEN: readonly LandingState[] = [
  'submitted',
  'queued',
  'pr_open',
  'pr_waiting',
  'waits_turn',
  'conflict',
  'red',
  'held',
  'parked',
  'lost',
]
/** States before it is known whether a person must approve. */
const UNEXAMINED: readonly LandingState[] = ['submitted', 'queued', 'waits_turn']
const STOPPED = { batch: null, waitsFor: null, files: [], turnUntil: null }

const VERBS: Readonly<Record<LandingVerb, Rule>> = {
  retry: {
    from: ['conflict', 'red', 'parked', 'lost', 'held'],
    fields: { ...STOPPED, state: 'submitted', try: 1, heldFor: '', merged: null },
    event: events.LandSubmitted,
    reason: '',
  },
  cancel: { from: OPEN, fields: { ...STOPPED, state: 'cancelled' }, event: events.LandCancelled, reason: 'cancelled' },
  hold: {
    from: ['submitted', 'queued', 'waits_turn', 'conflict', 'red', 'pr_open', 'pr_waiting'],
    fields: { state: 'held', heldFor: 'person', waitsFor: null },
    event: events.LandHeld,
    reason: 'held by a person',
  },
  release: {
    from: ['held'],
    fields: { state: 'submitted', heldFor: '' },
    event: events.LandSubmitted,
    reason: '',
  },
  'give-up': { from: OPEN, fields: { ...STOPPED, state: 'given_up' }, event: events.LandCancelled, reason: 'given up' },
}

/** Submitting is approval if a person does it. */
const submitterOf = (caller: Caller): Submitter => ({
  name: actorOf(caller).name,
  isSession: caller.kind === 'session',
  approves: caller.kind !== 'session' && caller.kind !== 'process',
})

const PAGE = 100
/** Events that may end the wait for an approval. A review can change while gc merges the branch, so a hold is one of them. */
const FOLLOWED: ReadonlySet<string> = new Set([ChangeApproved.type, ChangeReady.type, events.LandHeld.type])
const FIRST_SWEEP_MS = 60_000
const SWEEP_MS = 24 * 3_600_000

/** The submitted branches of a city, and the trains that bring them to their targets. */
export class Landings {
  readonly rows: LandingRows
  readonly checks: LandingChecks
  readonly letters: Letters
  readonly #trains = new Map<string, RigTrain>()
  readonly #onLanded: TrainRig['onLanded'][] = []
  readonly #onChecked: TrainRig['onChecked'][] = []
  readonly #forgeTokens: ForgeTokens
  readonly #submissions: Submissions
  #unsubscribe = () => {}
  #isRunning = false
  #sweep: Deadline | undefined
  #sweeping: Promise<void> = Promise.resolve()

  constructor(
    private readonly context: CityContext,
    private readonly options: LandingsOptions,
  ) {
    this.rows = new LandingRows(context.store)
    this.#forgeTokens = new ForgeTokens(options.home)
    this.checks = new LandingChecks(context, {
      ...options,
      rows: this.rows,
      place: (rig, slot) => this.#trainOf(rig).place(slot),
      onVerdict: (rig) => this.#wake(rig),
    })
    this.letters = new Letters(context, {
      ...options,
      rows: this.rows,
      yardOf: (rig) => this.#trainOf(rig).yard,
      landOf: (rig) => this.#find(rig)?.land,
    })
    this.#submissions = new Submissions(() => this.#parts)
    options.beads.addGuard(
      new Closes(context, {
        ...options,
        rows: this.rows,
        lands: (rig) => lands(this.#find(rig) ?? {}),
        submit: (tx, worktree, work) => this.#submitClosed(tx, worktree, work),
      }),
    )
    options.reactions.on('landings.discarded', [ChangeDiscarded.type], (tx, { ts, payload }) => {
      if (isObject(payload)) this.#onDiscarded(tx, String(payload.rig), String(payload.head), Date.parse(ts))
    })
    options.worktrees.startFrom((rig, bead) => this.#startFor(rig, bead))
    options.worktrees.use((rig, commit) => this.hasLanded(rig, commit))
  }

  /** Whether a commit is the head of a branch that landed. */
  hasLanded(rig: string, commit: string): boolean {
    return this.rows.withHeads(rig, [commit]).some(({ row }) => row.state === 'landed' && row.head === commit)
  }

  /** Calls the listener in the write that sees a landing on its target. */
  onLanded(listener: TrainRig['onLanded']): void {
    this.#onLanded.push(listener)
  }

  /** Calls the listener in the write that draws the consequence of a check of a head. */
  onChecked(listener: TrainRig['onChecked']): void {
    this.#onChecked.push(listener)
  }

  /** The verdict of a trial on a head of a branch, for those who learn of that head later than the trial did. */
  trialOf(rig: string, branch: string, head: string): HeadVerdict | undefined {
    const landing = this.rows.allOpenOf(rig, branch).find((row) => row.head === head)
    return landing && this.rows.trialOf(landing)
  }

  async start(): Promise<void> {
    const { log } = this.context
    const { config, suspensions } = this.options
    this.#isRunning = true
    await this.checks.start()
    this.letters.start()
    this.#unsubscribe = unsubscriber(
      config.onChange(() => this.#wakeAll()),
      suspensions.onChange(() => this.#wakeAll()),
      log.subscribe((recorded) => {
        if (FOLLOWED.has(recorded.type)) this.#followReviews((row) => isAbout(recorded, row))
      }),
    )
    this.#followReviews(() => true)
    this.#wakeAll()
    this.#scheduleSweep(FIRST_SWEEP_MS)
  }

  async stop(): Promise<void> {
    this.#isRunning = false
    this.#sweep?.cancel()
    this.#unsubscribe()
    await this.#sweeping
    await Promise.all([...this.#trains.values()].map(({ train }) => train.stop()))
    await this.letters.stop()
    await this.checks.stop()
  }

  /** Resolves when no train has anything to do but wait. */
  async whenIdle(): Promise<void> {
    const trains = () => [...this.#trains.values()].map(({ train }) => train)
    do {
      await Promise.all(trains().map((train) => train.whenIdle()))
      await this.letters.whenIdle()
      await this.checks.whenIdle()
    } while (!this.checks.isIdle || !trains().every(({ isIdle }) => isIdle))
  }

  list({
    rig,
    state,
    cursor,
    limit = PAGE,
  }: {
    rig?: string
    state?: LandingState
    cursor?: string
    limit?: number
  }): LandingList {
    if (cursor !== undefined && !/^\d{1,15}$/.test(cursor)) {
      throw new AppError('invalid-cursor', 'the cursor is none of this list; leave it out to begin')
    }
    const before = cursor === undefined ? {} : { before: Number(cursor) }
    const rows = this.rows.list({ ...(rig && { rig }), ...(state && { state }), ...before, limit: limit + 1 })
    const items = rows.slice(0, limit)
    const last = rows.length > limit ? items.at(-1) : undefined
    return { items: items.map(toLanding), ...(last && { next_cursor: String(last.place) }) }
  }

  show(id: string): Landing {
    return toLanding(this.#get(id))
  }

  log(id: string): LandingLog {
    const row = this.#get(id)
    const batches = this.rows.membershipsOf(id).flatMap((member) => {
      const batch = this.rows.findBatch(member.batch)
      if (!batch) return []
      const members = this.rows.members(batch.id)
      const nameOf = (position: number) => members[position]?.landing ?? 'base'
      const checks = this.rows.checksOf(batch.id).map((check) => toCheck(check, nameOf(check.position)))
      return {
        ...{ id: batch.id, base: batch.base, candidate: member.candidate, position: member.position },
        ...{ size: members.length, state: batch.state, created_at: toTimestamp(batch.createdAt), checks },
        ...(batch.outcome !== '' && { outcome: batch.outcome }),
      }
    })
    return { landing: toLanding(row), batches, letters: this.rows.lettersOf(id).map(toLetter) }
  }

  status(name: string): LandStatus {
    const rig = this.#rig(name)
    const train = this.rows.train(name)
    const batch = this.rows.activeBatch(name)
    const members = batch ? this.rows.members(batch.id) : []
    const check = batch && this.rows.checksOf(batch.id).findLast(({ state }) => state !== 'done')
    const usual = check?.startedAt == null ? undefined : this.rows.usualDuration(name)
    const queue = this.rows.inStates(
      name,
      'in_batch',
      'queued',
      'submitted',
      'waits_turn',
      'pr_open',
      'pr_waiting',
      'pr_merging',
    )
    const waiting = this.rows.inStates(name, 'conflict', 'red', 'held', 'parked', 'lost')
    return {
      ...{ rig: name, mode: rig.land?.mode ?? 'off', target: targetOf(rig) },
      ...(train?.base != null && { base: train.base }),
      ...(train?.pausedAt != null && { paused: { by: train.pausedBy ?? '', since: toTimestamp(train.pausedAt) } }),
      ...(train?.standingFor && {
        standing: { cause: train.standingFor, reason: train.standing, since: toTimestamp(train.standingSince ?? 0) },
      }),
      ...(batch && {
        batch: {
          ...{ id: batch.id, state: batch.state, base: batch.base, landings: members.map(({ landing }) => landing) },
          ...(check && { check: toCheck(check, members[check.position]?.landing ?? 'base') }),
          ...(usual !== undefined && { expected_end: toTimestamp((check?.startedAt ?? 0) + usual) }),
        },
      }),
      ...{ queue: queue.map(toLanding), waiting: waiting.map(toLanding) },
    }
  }

  /** The time that owners in a rig have to answer a letter, in milliseconds. */
  answerTime(rig: string): number {
    return this.#find(rig)?.land?.turnTimeout ?? 0
  }

  /** The landing of a branch, as far as it concerns the review of its change. */
  landingOf({ rig, branch, head, bead }: Reviewed): LandingOfChange | undefined {
    const open = this.rows.allOpenOf(rig, branch).filter((row) => row.head === head || row.bead === bead)
    const waiting = open.find(isForReview)
    const { auto } = this.#find(rig)?.land ?? {}
    if (waiting) return { waitsForReview: true, reason: waiting.reason === NOT_APPROVED ? undefined : waiting.reason }
    const isSettled = ({ state, allowed }: LandingRow) =>
      auto !== undefined || allowed.includes('approval') || !UNEXAMINED.includes(state)
    return open.some(isSettled) ? { waitsForReview: false } : undefined
  }

  /** Whether the review of a landing's change decides about it, or did so just now. */
  isInReview(row: LandingRow): boolean {
    const isReady = () => this.options.inReview(row).some(({ state }) => state === 'ready')
    return isForReview(row) && (isReady() || this.#nextHead(row) !== undefined)
  }

  metrics(): NumberMetric[] {
    return landingMetrics({ rows: this.rows, clock: this.context.clock })
  }

  /** Submits what a session committed, or a branch of a rig. */
  async submit(caller: Caller, name: string, { session: named, branch, bead_id }: LandSubmit): Promise<Landing> {
    const rig = this.#landingRig(name)
    const session = named ?? (branch === undefined && caller.kind === 'session' ? caller.session : undefined)
    if ((session === undefined) === (branch === undefined)) {
      throw new AppError('invalid-request', 'name a session or a branch to submit')
    }
    const work =
      session === undefined
        ? await this.#branchWork(name, branch ?? '')
        : await this.#sessionWork(caller, name, session)
    if (work.branch === targetOf(rig)) throw new AppError('invalid-request', `${work.branch} is the target itself`)
    return this.context.store.write((tx) => {
      const bead = bead_id ?? this.rows.openOf(name, work.branch)?.bead ?? work.bead
      const found = bead === null ? undefined : this.options.beads.get(bead)
      const agent = session === undefined ? null : (this.options.sessions.find(session)?.template ?? null)
      const facts = { session: session ?? null, agent, bead, beadClosed: found?.status === 'closed' }
      const branch = { rig: name, target: targetOf(rig), branch: work.branch, head: work.head }
      tx.after(() => this.#wake(name))
      return toLanding(this.#submissions.submit(tx, { ...branch, ...facts }, submitterOf(caller)))
    }, actorOf(caller))
  }

  /** Submits what a session committed for a bead that is being closed. */
  #submitClosed(tx: Tx, { session, rig, branch }: WorktreeRow, work: Pick<LandingRow, 'bead' | 'head'>): void {
    const owner = this.options.sessions.find(session)
    const facts = { session, agent: owner?.template ?? null, beadClosed: true, fromClose: true }
    const place = { rig, target: targetOf(this.#find(rig)), branch }
    this.#submissions.submitClosed(tx, { ...place, ...facts, ...work }, owner?.sessionName ?? session)
    tx.after(() => this.#wake(rig))
  }

  #startFor(name: string, bead: string): WorktreeStart | undefined {
    const rig = this.#find(name)
    if (!rig?.land || !lands(rig)) return undefined
    const place = { yard: this.#trainOf(name).yard, land: rig.land, target: targetOf(rig) }
    return startOf({ ...place, rows: this.rows, beads: this.options.beads }, name, bead)
  }

  /** Carries out what a caller asks of one landing. */
  async change(caller: Caller, verb: LandingVerb, id: string, why?: string): Promise<Landing> {
    const { from, fields, event, reason } = VERBS[verb]
    return this.context.store.write((tx) => {
      const row = this.#get(id)
      this.#requireOwn(caller, verb, row)
      if (row.state === 'in_batch') this.#takeOut(tx, verb, row)
      else if (!from.includes(row.state)) {
        throw wrongState(
          `${id} is ${row.state.replace('_', ' ')}; ${verb} is for one that is ${from.join(', ').replaceAll('_', ' ')}`,
        )
      }
      if (caller.kind !== 'session' && caller.kind !== 'process') this.rows.count(tx, `decision:${verb}`)
      const said = why?.trim()
      const allowed =
        verb === 'release' && row.heldFor !== '' ? [...new Set([...row.allowed, row.heldFor, 'approval'])] : row.allowed
      const after = enterState(this.#parts, tx, row, { ...fields, allowed, reason: said || reason }, event)
      if (isFinal(after)) this.rows.reviewPullRequest(tx, id, this.context.clock.now())
      tx.after(() => this.#wake(row.rig))
      return toLanding(after)
    }, actorOf(caller))
  }

  #requireOwn(caller: Caller, verb: LandingVerb, row: LandingRow): void {
    if (verb !== 'give-up' || caller.kind !== 'session' || caller.session === row.session) return
    throw new AppError('forbidden', `forbidden: ${row.id} is the work of another session`)
  }

  /** A batch whose push its target does not take is dissolved; the push stays open until the target has moved. */
  #takeOut(tx: Tx, verb: LandingVerb, row: LandingRow): void {
    const isRefused = this.rows.train(row.rig)?.standingFor === 'refused'
    if (verb !== 'cancel' || !isRefused || row.batch === null) {
      throw wrongState(`${row.id} is being checked or pushed; wait until that is over, or gc land pause first`)
    }
    endBatch(this.rows, tx, row.batch, 'dissolved', this.context.clock.now())
    for (const { landing } of this.rows.members(row.batch)) {
      const other = this.rows.find(landing)
      if (other?.state !== 'in_batch' || other.batch !== row.batch || other.id === row.id) continue
      enterState(this.#parts, tx, other, { state: 'queued', batch: null }, events.LandQueued)
    }
  }

  /** Nothing more lands in a rig until it is resumed. */
  async pause(caller: Caller, name: string): Promise<LandStatus> {
    const rig = this.#landingRig(name)
    const { store, clock } = this.context
    const by = actorOf(caller)
    await store.write((tx) => {
      if (this.rows.train(name)?.pausedAt == null) {
        this.rows.setTrain(tx, name, targetOf(rig), { pausedBy: by.name, pausedAt: clock.now() })
        const reason = `paused by ${by.name}`
        this.context.log.append(tx, events.LandStanding, {}, { rig: name, target: targetOf(rig), reason })
      }
    }, by)
    return this.status(name)
  }

  /** A rig lands again: what made it stop is tried again. */
  async resume(caller: Caller, name: string): Promise<LandStatus> {
    const rig = this.#landingRig(name)
    await this.context.store.write((tx) => {
      const train = this.rows.train(name)
      if (!train || (train.pausedAt === null && train.standingFor === '')) return
      countStanding(this.rows, tx, train, this.context.clock.now())
      const over = {
        pausedBy: null,
        pausedAt: null,
        standingFor: '',
        standing: '',
        standingSince: null,
        standingAt: null,
      }
      this.rows.setTrain(tx, name, targetOf(rig), over)
      for (const { id } of this.rows.openPushes(name)) this.rows.updatePush(tx, id, { tries: 0 })
      this.context.log.append(tx, events.LandRunning, {}, { rig: name, target: targetOf(rig) })
    }, actorOf(caller))
    this.#wake(name)
    return this.status(name)
  }

  async #sessionWork(caller: Caller, rig: string, session: string) {
    const work = await this.options.worktrees.workOf(session, actorOf(caller))
    if (!work) throw new AppError('session-not-found', `session ${session} has no worktree; name a branch to submit`)
    if (work.rig !== rig)
      throw new AppError('invalid-request', `session ${session} works in rig ${work.rig}, not ${rig}`)
    if (work.changes > 0) {
      const files = work.changes === 1 ? '1 file is' : `${work.changes} files are`
      throw wrongState(`${files} changed and not committed in the worktree of ${session}; commit or discard that first`)
    }
    if (work.head === '') throw wrongState(`${work.branch} has no commit`)
    return work
  }

  async #branchWork(rig: string, branch: string): Promise<{ branch: string; head: string; bead: string | null }> {
    const isName = branchProblem(branch) === undefined
    const head = isName ? await this.options.worktrees.rigGit(rig)?.commitOf(`refs/heads/${branch}`) : ''
    if (!head) throw new AppError('invalid-request', `rig ${rig} has no branch ${JSON.stringify(branch)}`)
    return { branch, head, bead: null }
  }

  /** Stores what a session had changed and not committed when it closed a bead; returns what that is, for people. */
  async #unsavedIn({ session, bead, submittedAt }: LandingRow): Promise<string | undefined> {
    const { worktrees, snapshots, lastBeadOf } = this.options
    const work = session === null ? undefined : await worktrees.workOf(session, LANDING)
    if (session === null || !work || work.changes === 0) return undefined
    // A session that works on another bead by now may have changed files for that.
    const isOther = lastBeadOf(session) !== bead
    const unsaved = isOther ? work.files.filter((file) => wasThere(file, submittedAt)) : work.files
    if (unsaved.length === 0) return undefined
    await snapshots.take(session, 'activity')
    const files = unsaved.length === 1 ? '1 file was' : `${unsaved.length} files were`
    return `${files} changed and not committed in the worktree of ${session} when its bead was closed; a snapshot has them`
  }

  #get(id: string): LandingRow {
    const row = this.rows.find(id)
    if (row) return row
    throw new AppError('landing-not-found', `there is no landing ${id}; see gc land status`)
  }

  #rig(name: string): RigConfig {
    const rig = this.options.config.current.rigs.find((each) => each.name === name)
    if (rig) return rig
    throw new AppError('rig-not-found', `there is no rig ${name}; \`gc rig list\` shows those that are`)
  }

  #landingRig(name: string): RigConfig {
    const rig = this.#rig(name)
    if (lands(rig)) return rig
    throw wrongState(`rig ${name} lands nothing; set mode = "push" in its [rigs.land]`)
  }

  /** A landing that no one has decided about since is cancelled if its change was discarded. */
  #onDiscarded(tx: Tx, rig: string, head: string, at: number): void {
    const { fields, event, from } = VERBS.cancel
    for (const { row } of this.rows.withHeads(rig, [head])) {
      const isUntouched = isForReview(row) || row.updatedAt <= at
      if (row.head !== head || !from.includes(row.state) || !isUntouched) continue
      enterState(this.#parts, tx, row, { ...fields, reason: 'its change was discarded' }, event)
      this.rows.reviewPullRequest(tx, row.id, this.context.clock.now())
      tx.after(() => this.#wake(rig))
    }
  }

  get #parts(): TrainParts {
    const { claims } = this.options
    const holderOf = (bead: string) => claims.holderOf(bead)?.session
    return {
      ...this.options,
      rows: this.rows,
      checks: this.checks,
      letters: this.letters,
      holderOf,
      tokens: this.#forgeTokens,
    }
  }

  /** Lets land what waited for an approval that came, and has later commits checked of what still waits. */
  #followReviews(isAbout: (row: LandingRow) => boolean): void {
    const { store, report } = this.context
    const waiting = () => this.rows.everywhere('held').filter((row) => isForReview(row) && isAbout(row))
    if (!waiting().some((row) => this.#nextHead(row))) return
    const release = (tx: Tx) => {
      for (const row of waiting()) {
        const next = this.#nextHead(row)
        if (!next) continue
        const submitted = { state: 'submitted' as const, heldFor: '', ...next }
        this.rows.addHead(tx, enterState(this.#parts, tx, row, submitted, events.LandSubmitted))
        tx.after(() => this.#wake(row.rig))
      }
    }
    store.write(release, LANDING).catch((error) => report(`landing: ${errorMessage(error)}`))
  }

  /** The commit with which a landing that waits for approval continues: its own once approved, or a later one in review. */
  #nextHead(row: LandingRow): Pick<LandingRow, 'head' | 'reason'> | undefined {
    if (this.options.isApproved(row.head)) return { head: row.head, reason: 'approved' }
    const reviewed = this.options.inReview(row)
    const laterIn = (state: string) => {
      const head = reviewed.find((change) => change.state === state)?.head ?? undefined
      return head !== undefined && this.rows.withHeads(row.rig, [head]).length === 0 ? head : undefined
    }
    const approved = laterIn('approved')
    if (approved !== undefined) return { head: approved, reason: 'approved' }
    const ready = laterIn('ready')
    return ready === undefined ? undefined : { head: ready, reason: 'a later commit waits for review' }
  }

  #wake(rig: string): void {
    if (this.#isRunning) this.#trainOf(rig).train.wake()
  }

  #wakeAll(): void {
    for (const rig of this.options.config.current.rigs) if (lands(rig)) this.#wake(rig.name)
  }

  #scheduleSweep(delay: number): void {
    this.#sweep = this.context.deadlines.interval(delay, () => {
      this.#sweeping = this.sweep().catch((error) => this.context.report(`landing: ${errorMessage(error)}`))
      this.#scheduleSweep(SWEEP_MS)
    })
  }

  /** Removes the repositories of rigs that are gone, or land nothing any more, a while after their last landing was over. */
  async sweep(): Promise<void> {
    const { clock } = this.context
    for (const name of this.rows.rigs()) {
      const isOver = () =>
        this.#isRunning && !lands(this.#find(name) ?? {}) && this.rows.wereOver(name, clock.now() - KEEP_MS)
      const known = this.#trains.get(name)
      await this.#yardOf(name).sign()
      if (!isOver() || known?.train.isIdle === false) continue
      this.#trains.delete(name)
      await known?.train.stop()
      await removeFolders(this.#folderOf(name), () => isOver() && !this.#trains.has(name))
    }
  }

  #folderOf(rig: string): string {
    const { path, home } = this.options
    return join(home, 'land', sha256(`${path}\0${rig}`).slice(0, 20))
  }

  #yardOf(rig: string): Yard {
    const { git, path: city } = this.options
    return new Yard(git, `${this.#folderOf(rig)}.git`, { city, rig })
  }

  #trainOf(name: string): RigTrain {
    const existing = this.#trains.get(name)
    if (existing) return existing
    const folder = this.#folderOf(name)
    const yard = this.#yardOf(name)
    const place = (slot = 0) => {
      const scratch = new Scratch(yard, `${folder}.scratch${slot === 0 ? '' : `-${slot}`}`)
      const land = this.#find(name)?.land
      const check = { timeout: land?.checkTimeout ?? 0, scratch, objects: join(yard.path, 'objects') }
      return land?.check ? { argv: land.check, ...check } : undefined
    }
    const generation = new Generation(this.context, {
      ...this.options,
      ...{ rig: name, yard, scratch: new Scratch(yard, `${folder}.generated`), objects: join(yard.path, 'objects') },
      ...{ checks: this.checks, wake: () => this.#wake(name) },
    })
    const train = new Train(this.#parts, { ...this.#trainRig(name, yard, place), generation })
    const made = { train, yard, place }
    this.#trains.set(name, made)
    return made
  }

  #find(name: string): RigConfig | undefined {
    return this.options.config.current.rigs.find((each) => each.name === name)
  }

  #trainRig(name: string, yard: Yard, checkPlace: TrainRig['checkPlace']): Omit<TrainRig, 'generation'> {
    const { config, suspensions, worktrees, git } = this.options
    return {
      ...{ name, yard, checkPlace },
      land: () => this.#find(name)?.land,
      target: () => targetOf(this.#find(name)),
      isSuspended: () => suspensions.holdOf(config.current, name) !== undefined,
      unsaved: (row) => this.#unsavedIn(row),
      sources: (session) => worktrees.objectsOf(name, session),
      isInWorktree: (branch) => worktrees.list().items.some((each) => each.rig === name && each.branch === branch),
      repository: (folders) => {
        const repository = worktrees.rigGit(name, folders)
        if (repository) return repository
        throw new AppError('service-unavailable', `rig ${name} has no repository`)
      },
      user: () => new UserGit(git, worktrees.rigGit(name)?.path ?? yard.path),
      onLanded: (tx, row, commit) => {
        for (const listener of this.#onLanded) listener(tx, row, commit)
        tx.after(() => void worktrees.sweep())
      },
      onChecked: (tx, row, verdict) => {
        for (const listener of this.#onChecked) listener(tx, row, verdict)
      },
    }
  }
}

/** Whether a file had its present contents at a time; for a deleted file its folder is looked at. */
function wasThere(file: string, at: number): boolean {
  const found = lstatSync(file, { throwIfNoEntry: false }) ?? lstatSync(dirname(file), { throwIfNoEntry: false })
  return found === undefined || found.ctimeMs <= at
}

const isForReview = ({ state, heldFor }: LandingRow): boolean => state === 'held' && heldFor === 'approval'

/** Whether an event may end the wait of a landing for an approval: its own hold, or a review of its change. */
function isAbout({ type, subject, payload }: RecordedEvent, row: LandingRow): boolean {
  const { landing, rig, head } = Object(payload)
  if (type === events.LandHeld.type) return row.id === landing
  return row.rig === rig && (row.head === head || row.bead === null || row.bead === subject)
}

const lands = ({ land }: Pick<RigConfig, 'land'>): boolean => land !== undefined && land.mode !== 'off'

/** The branch that the changes of a rig end up in. */
function targetOf(rig: Pick<RigConfig, 'land' | 'defaultBranch' | 'path'> | undefined): string {
  const declared = rig?.land?.target ?? rig?.defaultBranch
  return declared ?? (rig?.path === undefined ? undefined : readBranches(rig.path).defaultBranch) ?? 'main'
}

export function toLanding(row: LandingRow): Landing {
  const { id, rig, target, state, branch, head, session, bead, agent, batch, merged, waitsFor, files } = row
  return {
    ...{ id, rig, target, state, branch, head, try: row.try },
    ...(row.reason !== '' && { reason: row.reason }),
    ...(row.heldFor !== '' && { held_for: row.heldFor }),
    ...(session !== null && { session }),
    ...(bead !== null && { bead_id: bead }),
    ...(agent !== null && { agent }),
    ...(batch !== null && { batch }),
    ...(merged !== null && { merged }),
    ...(waitsFor !== null && { waits_for: waitsFor }),
    ...(files.length > 0 && { files }),
    ...{
      submitted_by: row.submittedBy,
      submitted_at: toTimestamp(row.submittedAt),
      updated_at: toTimestamp(row.updatedAt),
    },
  }
}

const toLetter = (row: LetterRow): LandingLog['letters'][number] => ({
  ...{ kind: row.kind, try: row.try, state: row.state, written_at: toTimestamp(row.createdAt) },
  ...(row.reason !== null && { reason: row.reason }),
  ...(row.resolvedAt !== null && { resolved_at: toTimestamp(row.resolvedAt) }),
  ...(row.tokens !== null && { tokens: row.tokens }),
  ...(row.cost !== null && { cost_usd_estimate: Math.round(row.cost * 1e6) / 1e6 }),
  ...(row.unpriced !== null && { unpriced: row.unpriced }),
})

const toCheck = (row: CheckRow, of: string): LandingCheck => ({
  ...{ id: row.id, batch: row.batch, of, commit: row.commitId, state: row.state },
  ...(row.verdict !== null && { verdict: row.verdict }),
  ...(row.reason !== '' && { reason: row.reason }),
  ...(row.output !== '' && { output: row.output }),
  ...(row.startedAt !== null && { started_at: toTimestamp(row.startedAt) }),
  ...(row.endedAt !== null && { ended_at: toTimestamp(row.endedAt) }),
})

export const isFinal = ({ state }: Pick<LandingRow, 'state'>): boolean => FINAL.includes(state)
