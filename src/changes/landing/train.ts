import { randomBytes } from 'node:crypto'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { findRepository, sharedFolder } from '../../config/git/index.ts'
import type { LandConfig } from '../../config/land/index.ts'
import { type Deadline, settlesWithin } from '../../core/deadlines.ts'
import { AppError, errorMessage } from '../../core/errors.ts'
import type { PayloadOf } from '../../core/events/index.ts'
import type { Tx } from '../../core/store/index.ts'
import { WorkKey } from '../../work/metadata.ts'
import * as events from '../events.ts'
import { landingMode, packHolder } from '../forges/index.ts'
import {
  changesDigest,
  changesOfPairs,
  LocalBranch,
  type PathChange,
  RemoteBranch,
  type Replaced,
  remoteAddress,
  replacedBy,
  replacedIn,
  type Target,
} from '../yard/index.ts'
import { type BuildRequest, type BuildResult, build, type Candidate } from './build.ts'
import { checkId } from './checks.ts'
import { type Decision, decide, verdictsOf } from './decide.ts'
import type { GivenBack } from './letters.ts'
import { countStanding, endBatch } from './metrics.ts'
import { enterState, LANDING, type LandingEvent, requeue, type TrainParts, type TrainRig } from './parts.ts'
import { PullRequests } from './pull-requests.ts'
import { Returns } from './returns.ts'
import { FINAL } from './rows.ts'
import type { BatchRow, LandingRow, LandingState, MemberRow, PushRow, TrainRow } from './table.ts'
import { rewoundRef, Tidying } from './tidying.ts'
import { Trials } from './trials.ts'

/** The move of a train after a step: another step, or none until it is woken. */
type Step = 'again' | 'wait'

const RETRY_MS = 2_000
const MAX_RETRY_MS = 60_000
/** Time for which the remote is unreachable before it needs attention. */
const STANDING_AFTER_MS = 10 * 60_000
const LOOK_MS = 60_000
/** The longest time for which a stop waits for git. */
const STOP_MS = 3_000
const MAX_REFUSALS = 2
const MAX_COMMITS = 5_000
/** Causes that only a person ends. */
const FOR_A_PERSON = ['refused', 'no-verdict', 'rewound']

const newId = (prefix: string): string => prefix + randomBytes(8).toString('hex')

/**
 * Lands the branches of one rig, one batch at a time. Every state is entered by one write, and a row is there before
 * anything is done that is not a row. What a push did is known by looking at the target, and by nothing else.
 */
export class Train {
  #running: Promise<void> | undefined
  #isWanted = false
  #isClosed = false
  #isPrepared = false
  /** Whether the yard has the history of a target. */
  #isTargetKnown = false
  /** The batch whose push was recorded, and not begun. */
  #newPush: string | undefined
  #failingSince: number | undefined
  #failures = 0
  #retry: Deadline | undefined
  #target: { key: string; target: Target } | undefined
  readonly #pullRequests: PullRequests
  readonly #returns: Returns
  readonly #tidying: Tidying
  readonly #trials: Trials

  constructor(
    private readonly parts: TrainParts,
    private readonly rig: TrainRig,
  ) {
    this.#returns = new Returns(parts, rig, (ms) => this.#wakeIn(ms))
    this.#pullRequests = new PullRequests(parts, rig, {
      look: (land) => this.#look(land),
      land: (tx, row, commit) => this.#land(tx, row, commit),
      requeue: (tx, row) => this.#requeue(tx, row),
      giveBack: (tx, row, land, back) => this.#returns.giveBack(tx, row, land, back),
      stand: (kind, reason) => this.#stand(kind, reason),
      stopStanding: (kind) => this.#stopStanding(kind),
      wakeIn: (ms) => this.#wakeIn(ms),
    })
    this.#trials = new Trials(parts, rig, {
      merge: (row, land, base) => this.#mergeAlone(row, land, base),
      begin: (row, base, { candidate }) => this.#beginTrial(row, base, candidate),
      check: async (batch, members, decision) => void (await this.#check(batch, members, decision)),
      endBatch: (tx, batch, outcome) => this.#endBatch(tx, batch, outcome),
      redOf: (batch, members, position) => this.#returns.redOf(batch, members, position),
      giveBack: (tx, row, land, back) => this.#returns.giveBack(tx, row, land, back),
    })
    this.#tidying = new Tidying(parts, rig, (ms) => this.#wakeIn(ms))
  }

  /** Does what there is to do. */
  wake(): void {
    this.#isWanted = true
    if (!this.#running && !this.#isClosed) this.#running = this.#run()
  }

  async stop(): Promise<void> {
    this.#isClosed = true
    this.#retry?.cancel()
    this.rig.generation.stop()
    // A push that hangs is settled by the next supervisor.
    await settlesWithin(this.parts.deadlines, STOP_MS, Promise.resolve(this.#running))
  }

  get isIdle(): boolean {
    return this.#running === undefined && this.rig.generation.isIdle
  }

  /** Resolves when nothing is under way. */
  async whenIdle(): Promise<void> {
    while (!this.isIdle) await Promise.all([this.#running, this.rig.generation.whenIdle()])
  }

  async #run(): Promise<void> {
    try {
      while (this.#isWanted && !this.#isClosed) {
        this.#isWanted = false
        this.#retry?.cancel()
        this.#retry = undefined
        await this.#steps()
      }
    } finally {
      this.#running = undefined
    }
  }

  async #steps(): Promise<void> {
    try {
      while (!this.#isClosed && (await this.#step()) === 'again');
      if (!this.#isClosed) await this.#tidying.run()
      this.#failures = 0
      this.#failingSince = undefined
      await this.#stopStanding('failing')
    } catch (error) {
      if (!this.parts.store.failure && !this.#isClosed) await this.#failed(error)
    }
  }

  /** Retries with growing pauses, and notifies a person once if failures continue. */
  async #failed(error: unknown): Promise<void> {
    const { clock, report } = this.parts
    this.rig.yard.distrust()
    this.#isPrepared = false
    this.#target = undefined
    this.#isTargetKnown = false
    this.#failingSince ??= clock.now()
    const message = errorMessage(error)
    if (this.#failures++ === 0) report(`landing in rig ${this.rig.name}: ${message}`)
    const isLong = clock.now() - this.#failingSince >= STANDING_AFTER_MS
    if (isLong) await this.#stand('failing', message).catch(() => {})
    this.#wakeIn(Math.min(MAX_RETRY_MS, RETRY_MS * 2 ** Math.min(this.#failures - 1, 10)))
  }

  /** The soonest of what was asked for wakes it. */
  #wakeIn(ms: number): void {
    const { clock, deadlines } = this.parts
    if (this.#isClosed || (this.#retry && this.#retry.due <= clock.now() + ms)) return
    this.#retry?.cancel()
    this.#retry = deadlines.after(ms, () => this.wake())
  }

  get #row(): TrainRow | undefined {
    return this.parts.rows.train(this.rig.name)
  }

  async #step(): Promise<Step> {
    const { rows } = this.parts
    const land = this.rig.land()
    if (!land || land.mode === 'off' || this.rig.isSuspended()) return 'wait'
    if (!this.#hasWork(land)) return 'wait'
    await this.#prepare()
    await this.#takeIn(land)
    await this.#pullRequests.follow(land)
    const batch = rows.activeBatch(this.rig.name)
    if (batch?.trial) return (await this.#trials.advance(batch, land)) ? 'again' : 'wait'
    if (batch?.state === 'pushing') return this.#push(batch, land)
    if (batch) return this.#advance(batch, land)
    return this.#form(land)
  }

  #hasWork(land: LandConfig): boolean {
    const { rows } = this.parts
    const { name } = this.rig
    if (rows.inStates(name, 'submitted', 'queued', 'in_batch', 'waits_turn').length > 0) return true
    if (rows.openPushes(name).length + rows.openPullRequests(name).length > 0) return true
    return rows.activeBatch(name) !== undefined || this.#trials.next(land) !== undefined
  }

  /** Creates the repository, and removes refs that a crash left without a row. */
  async #prepare(): Promise<void> {
    const { rows } = this.parts
    const { yard, name } = this.rig
    const [any] = rows.list({ rig: name, limit: 1 })
    await yard.prepare(any?.head.length === 64 ? 'sha256' : 'sha1')
    if (this.#isPrepared) return
    await this.#tidying.removeRefs()
    this.#isTargetKnown = (await yard.refs('refs/gc/base')).size > 0
    await this.#dissolveLost()
    this.#isPrepared = true
  }

  /** Dissolves a batch whose commits went with their yard, as where a backup was restored. A push of it stays open. */
  async #dissolveLost(): Promise<void> {
    const { rows, store, checks } = this.parts
    const batch = rows.activeBatch(this.rig.name)
    const members = batch ? rows.members(batch.id) : []
    if (!batch || (await this.rig.yard.missing(members.map(({ candidate }) => candidate))).length === 0) return
    const open = rows.checksOf(batch.id).filter(({ state }) => state !== 'done')
    await store.write((tx) => {
      for (const { landing } of members) this.#requeueMember(tx, batch.id, landing)
      for (const { id } of open) rows.removeCheck(tx, id)
      this.#endBatch(tx, batch.id, 'lost')
      tx.after(() => {
        for (const check of open) checks.abandon(check)
      })
    }, LANDING)
  }

  /** Brings submitted heads into the yard. */
  async #takeIn(land: LandConfig): Promise<void> {
    const { rows, store } = this.parts
    const submitted = rows.inStates(this.rig.name, 'submitted')
    if (submitted.length === 0) return
    // A shallow clone does not have the history that the target has, so it waits until that was seen.
    const isTargetKnown = this.#isTargetKnown || (await this.#sees(land))
    const problems = await this.#adopt(submitted)
    const unsaved = await this.#unsavedBehind(submitted)
    const taken = submitted.filter(({ id }) => !problems.has(id))
    await this.rig.yard.pin(Object.fromEntries(taken.map((row) => [pinOf(row), row.head])))
    await store.write((tx) => {
      for (const { id, head } of submitted) {
        const row = rows.find(id)
        if (row?.state !== 'submitted' || row.head !== head) continue
        const problem = problems.get(id)
        if (problem && !isTargetKnown) continue
        const unread = problem && `its commit ${head.slice(0, 12)} cannot be read: ${problem}`
        const reason = unread ?? unsaved.get(id)
        const heldFor = unread === undefined ? 'unsaved' : 'source'
        rows.update(tx, id, { fromClose: false })
        if (reason === undefined) this.#requeue(tx, row)
        else this.#enter(tx, row, { state: 'held', heldFor, reason }, events.LandHeld)
      }
    }, LANDING)
  }

  #sees(land: LandConfig): Promise<boolean> {
    return this.#look(land).then(
      () => true,
      () => false,
    )
  }

  /** Describes what sessions left uncommitted whose beads were closed. */
  async #unsavedBehind(rows: readonly LandingRow[]): Promise<Map<string, string>> {
    const found = new Map<string, string>()
    for (const row of rows) {
      const { id, session, fromClose } = row
      if (!fromClose || session === null) continue
      const unseen = (error: unknown) => `the worktree of ${session} cannot be looked at: ${errorMessage(error)}`
      const reason = await this.rig.unsaved(row).catch(unseen)
      if (reason !== undefined) found.set(id, reason)
    }
    return found
  }

  /** Copies heads from wherever they are, together where that is possible; returns what is wrong with the others. */
  async #adopt(rows: readonly LandingRow[]): Promise<Map<string, string>> {
    const { yard } = this.rig
    const problems = new Map<string, string>()
    const [first] = this.rig.sources(null)
    const all = rows.map(({ head }) => head)
    if (first && rows.length > 1) await yard.adopt(first, all).catch(() => {})
    const missing = new Set(await yard.missing(all))
    for (const { id, head, session } of rows.filter((row) => missing.has(row.head))) {
      problems.set(id, 'the rig has no repository')
      for (const source of this.rig.sources(session)) {
        try {
          await yard.copy(source, [head])
          problems.delete(id)
          break
        } catch (error) {
          problems.set(id, errorMessage(error))
        }
      }
    }
    return problems
  }

  /** The commit of the target as it is now; undefined where nothing can land on it. */
  async #look(land: LandConfig): Promise<string | undefined> {
    const base = await (await this.#targetOf(land)).look()
    if (base === undefined) {
      await this.#stand('no-branch', `${this.rig.target()} does not exist there; push it, or name another target`)
      this.#wakeIn(LOOK_MS)
      return undefined
    }
    this.#isTargetKnown = true
    await this.#observe(base)
    await this.#stopStanding('no-branch')
    return base
  }

  async #targetOf(land: LandConfig): Promise<Target> {
    const { yard } = this.rig
    const branch = this.rig.target()
    if (land.mode === 'local') {
      const [source] = this.rig.sources(null)
      if (!source) throw new AppError('service-unavailable', `rig ${this.rig.name} has no repository`)
      return new LocalBranch(yard, { git: (folders) => this.rig.repository(folders), source }, branch)
    }
    const repository = this.rig.repository()
    const key = `${land.remote} ${branch} ${stampOf(repository.path)}`
    if (this.#target?.key === key) return this.#target.target
    const address = await remoteAddress(repository, land.remote)
    const target = new RemoteBranch(this.rig.user(), yard, address, branch)
    this.#target = { key, target }
    return target
  }

  /** Records what the target shows of pushes, and of what had landed. */
  async #observe(base: string): Promise<void> {
    const { rows, store } = this.parts
    const { yard, name } = this.rig
    const before = this.#row?.target === this.rig.target() ? (this.#row.base ?? undefined) : undefined
    const pushes: { push: PushRow; arrived: boolean; wrong: ReadonlySet<string> }[] = []
    for (const push of rows.openPushes(name)) {
      const arrived = push.target === this.rig.target() && (await yard.contains(base, push.new))
      if (!arrived && base === push.old) continue
      pushes.push({ push, arrived, wrong: arrived ? await this.#wrongMembers(push) : new Set() })
    }
    const isRewound = before !== undefined && before !== base && !(await yard.contains(base, before))
    const lost = isRewound ? await this.#lostBy(before, base) : []
    const found = before === base ? [] : await this.#foundAgain(base)
    if (before === base && pushes.length === 0) return
    if (isRewound) await yard.pin({ [rewoundRef(before, this.parts.clock.now())]: before })
    await store.write((tx) => {
      for (const { push, arrived, wrong } of pushes) this.#settle(tx, push, arrived, wrong)
      for (const row of found) this.#land(tx, row, row.merged ?? '')
      for (const row of lost) this.#lose(tx, row)
      rows.setTrain(tx, name, this.rig.target(), { base })
      if (isRewound) {
        const what = `${this.rig.target()} was set back from ${before.slice(0, 12)} to ${base.slice(0, 12)}`
        this.#standIn(tx, 'rewound', `${what}; look at it, then gc land resume`)
      } else if (['base-red', 'refused'].includes(this.#row?.standingFor ?? '')) this.#runIn(tx)
    }, LANDING)
  }

  /** Members of a push whose commits changed other paths or contents than they were to. */
  async #wrongMembers({ batch, upto }: PushRow): Promise<ReadonlySet<string>> {
    const members = this.parts.rows.members(batch).filter(({ position }) => position <= upto)
    const pairs = members.map(({ parent, candidate }) => [parent, candidate] as const)
    const changes = await changesOfPairs(this.rig.yard, pairs)
    const wrong = members.filter(({ expected }, at) => changesDigest(changes[at] ?? []) !== expected)
    return new Set(wrong.map(({ landing }) => landing))
  }

  /** Landings that the target no longer contains. */
  async #lostBy(before: string, base: string): Promise<LandingRow[]> {
    const { yard, name } = this.rig
    const args = ['rev-list', before, '--not', base]
    const gone = new Set((await yard.own.read(args, { maxOutput: 256 * 1024 * 1024 })).split('\n'))
    const landed = this.parts.rows.inStates(name, 'landed')
    return landed.filter(({ merged, target }) => target === this.rig.target() && merged !== null && gone.has(merged))
  }

  async #foundAgain(base: string): Promise<LandingRow[]> {
    const found: LandingRow[] = []
    for (const row of this.parts.rows.inStates(this.rig.name, 'lost')) {
      if (row.merged !== null && (await this.rig.yard.contains(base, row.merged))) found.push(row)
    }
    return found
  }

  #settle(tx: Tx, push: PushRow, arrived: boolean, wrong: ReadonlySet<string>): void {
    const { rows } = this.parts
    rows.updatePush(tx, push.id, { state: arrived ? 'landed' : 'overtaken' })
    rows.count(tx, arrived ? 'push:landed' : 'push:overtaken')
    const members = rows.members(push.batch).filter(({ position }) => position <= push.upto)
    for (const member of members) {
      const row = rows.find(member.landing)
      if (!row) continue
      if (arrived) this.#arrive(tx, row, member, wrong.has(row.id))
      else if (row.state === 'in_batch' && row.batch === push.batch) this.#requeue(tx, row)
    }
    const outcome = arrived ? 'landed' : 'overtaken'
    if (rows.findBatch(push.batch)?.state === 'pushing') this.#endBatch(tx, push.batch, outcome)
    if (!arrived) this.#record(tx, events.LandOvertaken, { batch: push.batch, commit: push.new })
  }

  #arrive(tx: Tx, row: LandingRow, { head, candidate }: MemberRow, isWrong: boolean): void {
    if (row.state === 'landed' || (row.head !== head && row.state !== 'in_batch')) return
    const reason = `${candidate.slice(0, 12)} changed other files than the branch did`
    if (isWrong)
      this.#enter(tx, row, { state: 'held', heldFor: 'contents', reason, merged: candidate }, events.LandHeld)
    else this.#land(tx, row, candidate)
  }

  #land(tx: Tx, row: LandingRow, commit: string): void {
    const { beads } = this.parts
    const merged = { state: 'landed' as const, reason: '', merged: commit, batch: null, waitsFor: null, files: [] }
    const after = this.#enter(tx, row, merged, events.LandLanded)
    const metadata = { merged_sha: commit, merged_target: row.target }
    const bead = row.bead === null ? undefined : beads.find(row.bead)
    if (bead?.status === 'closed') beads.change(tx, bead.id, { metadata })
    else if (bead) {
      const reason = `landed as ${commit.slice(0, 12)} on ${row.target}`
      beads.closeWith(tx, bead.id, { ...metadata, [WorkKey.closeReason]: reason })
    }
    this.#tidying.branches.add(tx, after)
    this.rig.onLanded(tx, after, commit)
  }

  #lose(tx: Tx, row: LandingRow): void {
    const reason = `${row.target} was set back behind ${row.merged?.slice(0, 12)}`
    this.#enter(tx, row, { state: 'lost', reason }, events.LandLost)
    if (row.bead !== null && this.parts.beads.find(row.bead)) {
      this.parts.beads.change(tx, row.bead, { metadata: { merged_sha: '', merged_target: '' } })
    }
  }

  #requeue(tx: Tx, row: LandingRow): void {
    requeue(this.parts, tx, row)
  }

  #endBatch(tx: Tx, batch: string, outcome: string): void {
    const { rows, clock } = this.parts
    endBatch(rows, tx, batch, outcome, clock.now())
    const refs = rows.members(batch).map(({ position }) => `refs/gc/train/${batch}/${position}`)
    tx.after(() => void this.#unpin(refs))
  }

  async #unpin(refs: readonly string[]): Promise<void> {
    await this.rig.yard.unpin(refs).catch(() => {})
  }

  /** Merges what waits, in its order, into candidates that contain each other. */
  async #form(land: LandConfig): Promise<Step> {
    const { rows } = this.parts
    if (this.#row?.pausedAt != null) return 'wait'
    const base = await this.#look(land)
    const standing = this.#row?.standingFor ?? ''
    if (base === undefined || FOR_A_PERSON.includes(standing)) return this.#later(standing)
    if (standing === 'base-red' && this.#row?.standingAt === base) return this.#later(standing)
    await this.#returns.endTurns()
    const queued = rows.inStates(this.rig.name, 'queued')
    const batch = newId('lb-')
    const built = await this.#build(queued, {
      land,
      base,
      batch,
      committedAt: Math.floor(this.parts.clock.now() / 1000),
    })
    if (built.members.length > 0) await this.#begin(batch, base, built.members)
    else if (!built.changed && !(await this.#trials.begin(land, base))) return 'wait'
    return 'again'
  }

  /** Looks again later if only that can end the halt. */
  #later(standing: string): Step {
    if (standing === 'base-red') this.#wakeIn(LOOK_MS)
    return 'wait'
  }

  async #build(
    queued: readonly LandingRow[],
    { land, base, batch, committedAt }: { land: LandConfig; base: string; batch: string; committedAt: number },
  ): Promise<{ members: MemberRow[]; changed: boolean }> {
    const members: MemberRow[] = []
    const ahead: PathChange[] = []
    let onBase: Promise<Replaced> | undefined
    const replaced = async () => {
      onBase ??= replacedIn(this.rig.yard, base)
      return replacedBy(ahead, await onBase)
    }
    const pins = queued.length === 0 ? undefined : await this.rig.yard.refs('refs/gc/land')
    let changed = false
    for (const row of queued) {
      if (members.length >= land.batch) break
      const isProposed = this.#modeOf(row, land) === 'pr'
      if (isProposed && members.length > 0) continue
      if (!(await this.#mayEnter(row, land, pins?.get(pinOf(row))))) {
        changed = true
        continue
      }
      const history = await this.#historyOf(row, base, members)
      if (history.waitsFor !== undefined) {
        await this.#explain(row, `builds on ${history.waitsFor}, which has not landed yet`)
        continue
      }
      const tip = members.at(-1)?.candidate ?? base
      const { landed, isContained } = history
      const isApproved = this.parts.isApproved(row.head)
      const place = { land, base, tip, landed, isContained, replaced, committedAt }
      const result: BuildResult = history.abandoned ?? (await this.#merge(row, { ...place, isApproved }))
      if (result.is === 'candidate') {
        members.push(toMember(batch, members.length, row, result.candidate))
        ahead.push(...result.changes)
      } else if (result.is === 'generating') {
        await this.#explain(row, 'its generated files are being made again')
        break
      } else if (result.is === 'later')
        await this.#explain(row, `waits for ${members.at(-1)?.landing}, which is ahead of it`)
      else changed = (await this.#turnAway(row, land, base, result)) || changed
      if (isProposed && members.length > 0) break
    }
    return { members, changed }
  }

  #merge(row: LandingRow, rest: Omit<BuildRequest, 'yard' | 'row' | 'name' | 'user' | 'generation' | 'missingLfs'>) {
    const { yard, generation } = this.rig
    return build({
      ...{ yard, row, generation, user: this.rig.user(), name: `${this.parts.name}/${row.id}` },
      missingLfs: async (all) => (await this.#targetOf(rest.land)).missingLfs(all),
      ...rest,
    })
  }

  /** Merges a branch onto the target as if it were approved; undefined while it continues one that has not landed. */
  async #mergeAlone(row: LandingRow, land: LandConfig, base: string): Promise<BuildResult | undefined> {
    const pinned = (await this.rig.yard.refs(pinOf(row))).get(pinOf(row))
    const history = await this.#historyOf(row, base, [])
    if (pinned !== row.head || history.waitsFor !== undefined || history.abandoned) return undefined
    const { landed, isContained } = history
    const replaced = async () => replacedBy([], await replacedIn(this.rig.yard, base))
    const committedAt = Math.floor(this.parts.clock.now() / 1000)
    const place = { land, base, tip: base, landed, isContained, replaced, committedAt }
    return this.#merge(row, { ...place, isApproved: true })
  }

  /** Whether a landing is still what was submitted; otherwise it is held. */
  async #mayEnter(row: LandingRow, land: LandConfig, pinned: string | undefined): Promise<boolean> {
    if (pinned !== row.head) {
      await this.#change(row, 'queued', { state: 'submitted', reason: '' }, events.LandSubmitted)
      return false
    }
    const reasons = {
      bead: this.#beadProblem(row),
      pack: this.#packProblem(row),
      strategy: await this.#strategyProblem(row, land),
    }
    const found = Object.entries(reasons).find(([name, reason]) => reason !== undefined && !row.allowed.includes(name))
    if (!found) return true
    const [heldFor, reason = ''] = found
    await this.#change(row, 'queued', { state: 'held', heldFor, reason }, events.LandHeld)
    return false
  }

  /** The mode of a landing: that of its rig, unless its bead asks for a stricter one. */
  #modeOf(row: LandingRow, { mode }: LandConfig): LandConfig['mode'] {
    const asked = row.bead === null ? undefined : this.parts.beads.find(row.bead)?.metadata?.[WorkKey.mergeStrategy]
    return row.allowed.includes('strategy') ? mode : landingMode(mode, asked)
  }

  /** Reason the rig cannot land a branch in the way that its bead asks for. */
  async #strategyProblem(row: LandingRow, land: LandConfig): Promise<string | undefined> {
    const mode = this.#modeOf(row, land)
    if (mode === 'off') return 'its bead asks to stay on its branch: merge_strategy = local'
    const problem = mode === 'pr' && land.mode !== 'pr' ? await this.#pullRequests.problem(land) : undefined
    return problem && `its bead asks for a pull request, and ${problem}`
  }

  /** An agent of a pack that merges the branch itself. */
  #packProblem({ bead, branch, agent, session }: LandingRow): string | undefined {
    const found = bead === null ? undefined : this.parts.beads.find(bead)
    const makers = [agent, session, session === null ? undefined : found?.metadata?.[WorkKey.sessionName]]
    const holder = packHolder(found, { branch, makers })
    return holder === undefined ? undefined : `${holder} merges this branch itself; gc does not land it as well`
  }

  /** The change of its bead since submission that holds a landing. */
  #beadProblem({ bead: id, beadClosed, session }: LandingRow): string | undefined {
    if (id === null) return undefined
    const bead = this.parts.beads.find(id)
    if (!bead) return `its bead ${id} was deleted`
    if (bead.status === 'closed') return undefined
    if (beadClosed) return `its bead ${id} was reopened since`
    const holder = this.parts.holderOf(id)
    return holder !== undefined && holder !== session ? `its bead ${id} was claimed by ${holder} since` : undefined
  }

  /** Landings that a branch continues: landed ones, and those that must land first. */
  async #historyOf(
    row: LandingRow,
    base: string,
    members: readonly MemberRow[],
  ): Promise<{ landed: string[]; isContained: boolean; waitsFor?: string; abandoned?: BuildResult }> {
    const args = ['rev-list', '-n', String(MAX_COMMITS), row.head, '--not', base]
    const commits = (await this.rig.yard.own.run(...args)).split('\n').filter((commit) => commit !== '')
    const landed: string[] = []
    const isContained = commits.length === 0
    for (const { row: other, head } of this.parts.rows.withHeads(this.rig.name, commits)) {
      if (other.id === row.id) continue
      const isAhead = members.some((member) => member.landing === other.id && member.head === head)
      if (isAhead || other.state === 'landed') landed.push(head)
      else if (!FINAL.includes(other.state)) return { landed, isContained, waitsFor: other.id }
      else if (other.state !== 'already' && other.branch !== row.branch && !row.allowed.includes('parent')) {
        const reason = `builds on ${other.id}, which was ${other.state === 'cancelled' ? 'cancelled' : 'given up'}`
        return { landed, isContained, abandoned: { is: 'held', for: 'parent', reason } }
      }
    }
    return { landed: [...new Set(landed)], isContained }
  }

  /** Records why a landing stays where it is in the queue. */
  async #explain(row: LandingRow, reason: string): Promise<void> {
    if (row.reason === reason) return
    const { rows, store } = this.parts
    await store.write((tx) => {
      if (rows.find(row.id)?.state === 'queued') rows.update(tx, row.id, { reason })
    }, LANDING)
  }

  /** Records what keeps a branch from being merged; false where it only waits. */
  async #turnAway(row: LandingRow, land: LandConfig, base: string, result: BuildResult): Promise<boolean> {
    if (result.is === 'already') {
      const reason = `${row.target} has all of its changes`
      await this.#change(row, 'queued', { state: 'already', reason, turnUntil: null, files: [] }, events.LandAlready)
    } else if (result.is === 'held') {
      await this.#change(row, 'queued', { state: 'held', heldFor: result.for, reason: result.reason }, events.LandHeld)
    } else if (result.is === 'conflict') await this.#returns.conflict(row, land, { base, ...result })
    return true
  }

  async #begin(batch: string, base: string, members: readonly MemberRow[], trial = false): Promise<void> {
    const { rows, store, clock } = this.parts
    const { yard, name } = this.rig
    await yard.pin(
      Object.fromEntries(members.map((each) => [`refs/gc/train/${batch}/${each.position}`, each.candidate])),
    )
    const baseTree = await yard.own.run('rev-parse', `${base}^{tree}`)
    await store.write((tx) => {
      const isCurrent = members.every(({ landing, head }) => {
        const row = rows.find(landing)
        return row?.state === (trial ? 'held' : 'queued') && row.head === head
      })
      // A person or an owner took one of them back while it was merged.
      if (!isCurrent || this.#row?.pausedAt != null) return
      const row = { id: batch, rig: name, target: this.rig.target(), base, baseTree, state: 'checking' as const, trial }
      const fresh = { lo: -1, hi: members.length - 1, outcome: '', createdAt: clock.now(), endedAt: null }
      rows.addBatch(tx, { ...row, ...fresh }, members)
      if (trial) return
      for (const { landing } of members)
        rows.update(tx, landing, { state: 'in_batch', batch, reason: '', updatedAt: clock.now() })
      this.#record(tx, events.LandBatched, { batch, base, landings: members.map(({ landing }) => landing) })
    }, LANDING)
  }

  #beginTrial(row: LandingRow, base: string, candidate: Candidate): Promise<void> {
    const batch = newId('lb-')
    return this.#begin(batch, base, [toMember(batch, 0, row, candidate)], true)
  }

  /** Takes a batch one step on: the next check, its push, or back into the queue. */
  async #advance(batch: BatchRow, land: LandConfig): Promise<Step> {
    const { rows } = this.parts
    const members = rows.members(batch.id)
    const checks = rows.checksOf(batch.id)
    if (checks.some(({ state }) => state !== 'done')) return 'wait'
    if (this.#row?.pausedAt != null) return 'wait'
    const decision: Decision = this.rig.checkPlace()
      ? decide({
          size: members.length,
          verdicts: verdictsOf(checks),
          confirms: land.confirmRed,
          parallel: land.parallel,
        })
      : { is: 'settled', upto: members.length - 1 }
    if (decision.is === 'check') return this.#check(batch, members, decision)
    if (decision.is === 'settled') return this.#close(batch, members, land, decision)
    const last = checks.findLast(({ position }) => position === (decision.is === 'base-red' ? -1 : decision.position))
    const [kind, what] =
      decision.is === 'base-red'
        ? (['base-red', `the check fails on ${this.rig.target()} itself (${last?.reason})`] as const)
        : (['no-verdict', `the check ended twice without a verdict: ${last?.reason}`] as const)
    await this.parts.store.write((tx) => {
      for (const { landing } of members) this.#requeueMember(tx, batch.id, landing)
      this.#endBatch(tx, batch.id, kind)
      this.#standIn(tx, kind, what, batch.base)
    }, LANDING)
    return 'again'
  }

  #requeueMember(tx: Tx, batch: string, landing: string): void {
    const row = this.parts.rows.find(landing)
    if (row?.state === 'in_batch' && row.batch === batch) this.#requeue(tx, row)
  }

  /** Begins checks, each in a scratch folder of its own, except of files that passed before. */
  async #check(
    batch: BatchRow,
    members: readonly MemberRow[],
    { position, also, lo, hi }: Extract<Decision, { is: 'check' }>,
  ): Promise<Step> {
    const { rows, store, checks, clock } = this.parts
    const place = this.rig.checkPlace()
    if (!place) return 'wait'
    const begun = [position, ...also].map((at, slot) => {
      const member = members[at]
      const key = checks.keyOf(member?.tree ?? batch.baseTree, place)
      const attempt = rows.checksOf(batch.id).filter((check) => check.position === at).length
      const row = { id: checkId(slot), batch: batch.id, rig: this.rig.name, position: at, attempt, key }
      const commitId = member?.candidate ?? batch.base
      return { row: { ...row, commitId }, before: attempt === 0 ? rows.passedBefore(key) : undefined }
    })
    const isAgain = begun.some(({ row }) => row.attempt > 0)
    await store.write((tx) => {
      rows.updateBatch(tx, batch.id, { lo, hi, state: hi - lo < members.length || isAgain ? 'bisecting' : 'checking' })
      for (const { row, before } of begun) {
        if (before) {
          const reason = `as ${before.id}, with the same files`
          rows.addCheck(tx, { ...row, state: 'done', verdict: 'green', reason, endedAt: clock.now() })
          continue
        }
        rows.addCheck(tx, { ...row, state: 'starting' })
        this.#record(tx, events.LandChecking, { batch: batch.id, commit: row.commitId })
      }
      tx.after(() => checks.wake())
    }, LANDING)
    return begun.every(({ before }) => before) ? 'again' : 'wait'
  }

  /** The end of the checks: branches that passed are pushed, the culprit is returned, and the rest waits again. */
  async #close(
    batch: BatchRow,
    members: readonly MemberRow[],
    land: LandConfig,
    { upto, blamed }: Extract<Decision, { is: 'settled' }>,
  ): Promise<Step> {
    const { rows, store, clock, letters } = this.parts
    const last = members[upto]
    if (last && !(await this.rig.yard.contains(last.candidate, batch.base))) {
      throw new AppError('internal', `candidate ${last.candidate} does not continue ${batch.base}`)
    }
    const proposed = last && rows.find(last.landing)
    const isProposed = proposed !== undefined && this.#modeOf(proposed, land) === 'pr'
    if (last && isProposed) await this.#pullRequests.pin(last.landing, last.candidate)
    const back = blamed === undefined ? undefined : this.#returns.redOf(batch, members, blamed)
    if (back) await letters.pin(batch.rig, members[blamed ?? 0]?.landing ?? '', back)
    const checks = rows.checksOf(batch.id)
    const flaky = checks.filter(({ verdict, position }) => verdict === 'red' && position <= upto)
    await store.write((tx) => {
      for (const { reason, commitId } of flaky)
        this.#record(tx, events.LandFlaky, { batch: batch.id, commit: commitId, reason })
      for (const member of members) {
        if (checks.length > 0 && member.position <= upto) this.#passed(tx, member)
        if (member.position === blamed && back) this.#blame(tx, batch, member, land, back)
        else if (member.position > upto) this.#requeueMember(tx, batch.id, member.landing)
      }
      if (!last) return this.#endBatch(tx, batch.id, 'red')
      if (isProposed) return this.#propose(tx, batch, last)
      rows.updateBatch(tx, batch.id, { state: 'pushing', lo: upto, hi: blamed ?? upto })
      const push = { batch: batch.id, rig: batch.rig, target: batch.target, old: batch.base, new: last.candidate, upto }
      rows.addPush(tx, { ...push, state: 'open', startedAt: clock.now() })
      tx.after(() => {
        this.#newPush = batch.id
      })
      this.#record(tx, events.LandPushing, { batch: batch.id, base: batch.base, commit: last.candidate })
    }, LANDING)
    return 'again'
  }

  /** Opens a pull request for a batch that passed, instead of pushing it. */
  #propose(tx: Tx, batch: BatchRow, { landing, candidate }: MemberRow): void {
    const row = this.parts.rows.find(landing)
    if (row?.state === 'in_batch') this.#pullRequests.propose(tx, row, { base: batch.base, sha: candidate })
    this.#endBatch(tx, batch.id, 'proposed')
  }

  #passed(tx: Tx, { landing, head }: MemberRow): void {
    const row = this.parts.rows.find(landing)
    if (row?.head === head) this.rig.onChecked(tx, row, 'green')
  }

  #blame(tx: Tx, batch: BatchRow, member: MemberRow, land: LandConfig, back: GivenBack): void {
    const row = this.parts.rows.find(member.landing)
    if (row?.state === 'in_batch' && row.batch === batch.id) this.#returns.giveBack(tx, row, land, back)
  }

  /** Pushes what passed, and looks. It looks first unless the push is new: the lease has what was seen when it was merged. */
  async #push(batch: BatchRow, land: LandConfig): Promise<Step> {
    const { rows, store } = this.parts
    const isNew = this.#newPush === batch.id
    this.#newPush = undefined
    if (!isNew && (await this.#look(land)) === undefined) return 'wait'
    const push = rows.openPushes(this.rig.name).find((each) => each.batch === batch.id)
    if (!push) return this.#unpushed(batch)
    if (this.#row?.pausedAt != null) return 'wait'
    if (push.tries >= MAX_REFUSALS) {
      const why = push.message || 'it answered that it had'
      await this.#stand('refused', `${this.rig.target()} did not move when it was pushed to: ${why}`)
      this.#wakeIn(LOOK_MS)
      return 'wait'
    }
    const target = await this.#targetOf(land)
    const message = await target.push(push.old, push.new)
    if ((await this.#look(land)) === undefined) return 'wait'
    if (!rows.openPushes(this.rig.name).some(({ id }) => id === push.id)) return 'again'
    await store.write((tx) => {
      rows.updatePush(tx, push.id, { tries: push.tries + 1, message })
      this.#record(tx, events.LandRefused, { batch: batch.id, commit: push.new, reason: message })
    }, LANDING)
    if (push.tries + 1 >= MAX_REFUSALS) return 'again'
    this.#wakeIn(RETRY_MS)
    return 'wait'
  }

  /** A batch whose push was settled is over. */
  async #unpushed(batch: BatchRow): Promise<Step> {
    if (this.parts.rows.findBatch(batch.id)?.state === 'pushing') {
      await this.parts.store.write((tx) => this.#endBatch(tx, batch.id, 'settled'), LANDING)
    }
    return 'again'
  }

  /** Enters a state if the landing is still in the one that was seen, with the same head. */
  async #change(row: LandingRow, from: LandingState, change: Partial<LandingRow>, event: LandingEvent): Promise<void> {
    const { rows, store } = this.parts
    await store.write((tx) => {
      const current = rows.find(row.id)
      if (current?.state === from && current.head === row.head) this.#enter(tx, current, change, event)
    }, LANDING)
  }

  #enter(tx: Tx, row: LandingRow, change: Partial<LandingRow>, event: LandingEvent): LandingRow {
    return enterState(this.parts, tx, row, change, event)
  }

  #record(tx: Tx, event: TrainEvent, facts: Omit<TrainFacts, 'rig' | 'target'>): void {
    this.parts.log.append(tx, event, {}, { rig: this.rig.name, target: this.rig.target(), ...facts })
    this.parts.rows.count(tx, event.type)
  }

  #stand(kind: string, reason: string): Promise<void> {
    return this.parts.store.write((tx) => this.#standIn(tx, kind, reason), LANDING)
  }

  #standIn(tx: Tx, kind: string, reason: string, at?: string): void {
    const { rows, clock } = this.parts
    const before = this.#row
    if (before?.standingFor === kind && before.standing === reason) return
    countStanding(rows, tx, before, clock.now())
    const since = { standingFor: kind, standing: reason, standingSince: clock.now(), standingAt: at ?? null }
    rows.setTrain(tx, this.rig.name, this.rig.target(), since)
    this.#record(tx, events.LandStanding, { reason, ...(at !== undefined && { base: at }) })
  }

  /** It stands for this no more. */
  async #stopStanding(kind: string): Promise<void> {
    if (this.#row?.standingFor === kind) await this.parts.store.write((tx) => this.#runIn(tx), LANDING)
  }

  #runIn(tx: Tx): void {
    const { rows, clock } = this.parts
    if (!this.#row?.standingFor) return
    countStanding(rows, tx, this.#row, clock.now())
    const over = { standingFor: '', standing: '', standingSince: null, standingAt: null }
    rows.setTrain(tx, this.rig.name, this.rig.target(), over)
    this.#record(tx, events.LandRunning, {})
  }
}

/** Changes whenever the configuration of a repository is written, which has the addresses of its remotes. */
function stampOf(folder: string): string {
  const own = findRepository(folder)
  const found = own === undefined ? undefined : statSync(join(sharedFolder(own), 'config'), { throwIfNoEntry: false })
  return found === undefined ? '' : `${found.ino} ${found.ctimeMs}`
}

type TrainEvent = typeof events.LandBatched
type TrainFacts = PayloadOf<TrainEvent>

export const pinOf = ({ id, try: number }: LandingRow): string => `refs/gc/land/${id}/${number}`

const toMember = (batch: string, position: number, { id, head }: LandingRow, candidate: Candidate): MemberRow => ({
  ...{ batch, position, landing: id, head },
  ...candidate,
})
