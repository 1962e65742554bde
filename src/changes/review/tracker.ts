import { join, sep } from 'node:path'
import { CHANGES, type CopiedCommit, readHead, type Snapshots, type Worktrees } from '../../agents/worktrees/index.ts'
import type { Config } from '../../config/compose/index.ts'
import { gcPart } from '../../core/actor.ts'
import type { CityContext } from '../../core/city-context.ts'
import type { Deadline } from '../../core/deadlines.ts'
import { errorMessage } from '../../core/errors.ts'
import type { Reactions } from '../../core/events/index.ts'
import { isObject } from '../../core/json.ts'
import type { Tx } from '../../core/store/index.ts'
import type { LogStatus } from '../../programs/log-status.ts'
import type { ClaimManager } from '../../work/claims/index.ts'
import type { SessionRepository, SessionRow } from '../../work/sessions/index.ts'
import { Diffs } from '../diffs/index.ts'
import { ChangeLanded, ChangeReady } from '../events.ts'
import { baseOf } from './base.ts'
import type { ChangeContents } from './contents.ts'
import { type AttemptUsage, settleCost } from './cost.ts'
import { type ChangeDraft, type ChangeRows, GROWING } from './rows.ts'
import type { ChangeRow, Due } from './table.ts'

const TRACKER = gcPart('changes')
const DAY_MS = 24 * 3_600_000
/** The time for which gc keeps the commits of a change that was landed or discarded. */
const PINNED_MS = 30 * DAY_MS
/** As long as what a session used is known. */
const ATTEMPT_MS = 35 * DAY_MS
const FIRST_SWEEP_MS = 60_000
const RETRY_MS = 30_000
const MAX_RETRY_MS = 3_600_000
const MAX_RISK = 300

/** States in which its owner is at rest. */
const AT_REST: ReadonlySet<ChangeRow['state']> = new Set(['ready', 'approved'])

/** The facts of a change that its events begin with. */
export const factsOf = ({ id, rig, agent, bead, round }: ChangeRow) => ({
  ...{ change_id: id, rig, agent, round },
  ...(bead !== null && { bead_id: bead }),
})

export const attributesOf = ({ bead, session }: ChangeRow) => ({ subject: bead ?? session, session_id: session })

/**
 * Follows the work of sessions from the claim of a bead: which commits it consists of, and when it is ready for review. Looks
 * only when a session did something, and keeps the commits of every round in gc's own repository of the rig.
 */
export class ChangeTracker {
  #settling: Promise<void> = Promise.resolve()
  #sweep: Deadline | undefined
  #retry: Deadline | undefined
  /** Attempts in a row of which one failed. */
  #failures = 0
  #isClosed = false
  #unsubscribe: () => void = () => {}

  constructor(
    private readonly context: CityContext,
    private readonly peers: {
      reactions: Reactions
      config: Pick<Config, 'current'>
      claimManager: Pick<ClaimManager, 'onClaim'>
      snapshots: Snapshots
      worktrees: Pick<Worktrees, 'rowOf'>
      sessionRepository: Pick<SessionRepository, 'find'>
      /** The logs that the programs of sessions write. */
      logs: { status(session: string): LogStatus | undefined }
      rows: ChangeRows
      contents: Pick<ChangeContents, 'ranked'>
      usage: AttemptUsage
      landings: { trialOf(rig: string, branch: string, head: string): ChangeRow['checks'] | undefined }
    },
  ) {
    const { claimManager, snapshots, reactions, rows } = peers
    claimManager.onClaim((tx, bead, session) => this.#onClaim(tx, bead, session))
    snapshots.watchCommits((copied) => this.#onCommit(copied))
    reactions.on('changes.closed', ['bead.closed'], (tx, { subject }) => {
      if (subject === undefined) return
      const due: Due = peers.sessionRepository.find(subject) ? 'ended' : 'closed'
      const found = due === 'ended' ? rows.ofSession(subject) : rows.ofBead(subject)
      for (const row of found) this.settle(tx, row, due)
    })
    reactions.on('changes.merged', ['bead.worktree.reaped'], (tx, { session_id: session }) => {
      if (session !== undefined) tx.after(() => this.#settleSoon(() => this.#landMerged(rows.ofSession(session))))
    })
    reactions.on('changes.stopped', ['session.stopped', 'session.crashed'], (tx, { session_id: session }) => {
      const row = session === undefined ? undefined : rows.growingOf(session)
      if (row?.state === 'asked' && this.#hasArrived(row)) this.settle(tx, row, 'idle')
    })
    reactions.on('changes.returned', ['land.conflict', 'land.red'], (tx, { session_id: session, payload }) => {
      const head = isObject(payload) ? payload.head : undefined
      // Its owner may have gone on until this is carried out.
      const returned = rows.ofSession(session ?? '').find((row) => AT_REST.has(row.state) && row.head === head)
      if (returned) rows.update(tx, returned.id, { state: 'asked' })
    })
    reactions.on('changes.resubmitted', ['land.submitted'], (tx, { session_id: session }) => {
      const row = session === undefined ? undefined : rows.growingOf(session)
      if (row?.state === 'asked' && this.#hasArrived(row)) this.settle(tx, row, 'idle')
    })
  }

  start(): void {
    this.#unsubscribe = this.peers.snapshots.onLooked((session) => this.#onLooked(session))
    if (this.peers.rows.due().length > 0) this.#settleSoon()
    this.#scheduleSweep(FIRST_SWEEP_MS)
  }

  async stop(): Promise<void> {
    this.#isClosed = true
    this.#unsubscribe()
    this.#sweep?.cancel()
    this.#retry?.cancel()
    await this.#settling
  }

  /** Resolves when it is decided of all changes whether they are ready. */
  async whenIdle(): Promise<void> {
    await this.#settling
  }

  /** Has it decided whether a change is ready, once that is on disk. */
  settle(tx: Tx, { id, state }: ChangeRow, due: Due): void {
    if (state !== 'working' && state !== 'asked') return
    this.peers.rows.update(tx, id, { due })
    tx.after(() => this.#settleSoon())
  }

  /** Records that the work of a change is in its target. */
  landed(tx: Tx, row: ChangeRow, { commit, target }: { commit: string; target: string }): void {
    const { log, clock } = this.context
    const { rows } = this.peers
    if (row.state === 'landed') return
    const landed = rows.update(tx, row.id, {
      state: 'landed',
      landed: commit,
      target,
      due: null,
      decidedAt: clock.now(),
      ...settleCost(tx, row, 'landed', this.context.clock, this.peers),
    })
    const payload = { ...factsOf(landed), head: landed.head ?? commit, target, commit }
    log.append(tx, ChangeLanded, attributesOf(landed), payload)
  }

  /** A change whose session could not be asked waits for review again, as it did. */
  takeBack(tx: Tx, row: ChangeRow): void {
    this.#ready(tx, row, row.round)
  }

  #onClaim(tx: Tx, bead: string, session: string): void {
    const { rows, sessionRepository } = this.peers
    const owner = sessionRepository.find(session)
    const draft = owner && this.#draft(owner, bead)
    if (!draft) return
    const earlier = rows.ofBead(bead)
    const own = earlier.find((row) => row.session === session && (row.state === 'working' || row.state === 'asked'))
    const now = this.#nextActivity(session)
    if (own) return void rows.update(tx, own.id, { activeAt: now, due: null })
    const given = earlier.find((row) => row.state === 'asked' && this.#isReopened(row))
    if (!given) return void rows.add(tx, draft, now)
    rows.update(tx, given.id, { ...draft, activeAt: now, due: null })
  }

  /** A time after that of whatever a session worked on before. */
  #nextActivity(session: string): number {
    const { clock } = this.context
    const { rows } = this.peers
    return Math.max(clock.now(), (rows.ofSession(session, 1)[0]?.activeAt ?? 0) + 1)
  }

  /** True if the bead of a change was reopened with what was asked for, for any session to take. */
  #isReopened({ id }: ChangeRow): boolean {
    return this.peers.rows.asks(id).at(-1)?.state === 'reopened'
  }

  /** The work that a session begins; undefined outside of rigs that are repositories. */
  #draft({ id, template, rig: name, workDir }: SessionRow, bead: string | null): ChangeDraft | undefined {
    const { config, worktrees } = this.peers
    const rig = config.current.rigs.find((each) => each.name === name)
    if (rig?.path === undefined) return undefined
    const worktree = worktrees.rowOf(id)
    const place = worktree?.path ?? (isInside(workDir, rig.path) ? rig.path : workDir)
    const head = readHead(place)
    if (!head) return undefined
    const kind = worktree ? 'worktree' : 'folder'
    const branch = worktree?.branch ?? head.branch ?? null
    const target = worktree?.base ?? rig.defaultBranch ?? head.branch ?? ''
    const started = head.commit ?? null
    return { session: id, bead, agent: template, rig: name, kind, folder: place, branch, target, started }
  }

  async #onCommit(copied: CopiedCommit): Promise<void> {
    const { rows } = this.peers
    const oldestFirst = rows.ofSession(copied.session).reverse()
    for (const [at, done] of oldestFirst.entries()) {
      // A session that claims its next bead before gc has looked had finished this one at the commit where the next begins.
      const next = oldestFirst[at + 1]?.started
      if (done.due != null && GROWING.includes(done.state) && next != null && (await isReached(copied, next)))
        await this.#follow({ ...copied, commit: next }, done)
    }
    await this.#follow(copied, rows.growingOf(copied.session))
  }

  /** Records the commit that a change has reached. */
  async #follow(copied: CopiedCommit, row: ChangeRow | undefined): Promise<void> {
    const { store } = this.context
    const { rows } = this.peers
    const draft = row ?? this.#withoutBead(copied)
    if (!draft) return
    const base = await baseOf(copied, draft)
    if (base === undefined) return row && this.#onNothingNew(row, copied)
    if (row?.head === copied.commit && row.base === base) return
    const { total: files, ...lines } = await new Diffs(copied.repository).size(base, copied.commit)
    const known = row ?? (await store.write((tx) => rows.add(tx, draft, this.context.clock.now()), TRACKER))
    const round = this.#roundFor(known)
    const ref = `${CHANGES}/${known.id}/${round}`
    const updates = [`update ${ref} ${copied.commit}`, `update ${ref}-base ${base}`, '']
    await copied.own.read(['update-ref', '--stdin'], { input: Buffer.from(updates.join('\n')) })
    const grown = { base, head: copied.commit, files, ...lines }
    await store.write((tx) => this.#grow(tx, known.id, round, grown), TRACKER)
  }

  /** The work of a session that claimed no bead. Commits of a change that is decided make no other. */
  #withoutBead({ session, commit, branch }: CopiedCommit): ChangeDraft | undefined {
    const { rows, sessionRepository, worktrees } = this.peers
    const owner = sessionRepository.find(session)
    const worktree = worktrees.rowOf(session)
    if (!owner || !worktree) return undefined
    const earlier = rows.ofSession(session).filter(({ state }) => state !== 'none')
    if (earlier.some(({ head }) => head === commit)) return undefined
    const bead = worktree.bead !== null && earlier.length === 0 ? worktree.bead : null
    const draft = this.#draft(owner, bead)
    return draft && { ...draft, branch: branch ?? draft.branch, started: earlier[0]?.head ?? null }
  }

  /** Its commit adds nothing to the target: it is in it, or its session went back. */
  async #onNothingNew(row: ChangeRow, { commit }: CopiedCommit): Promise<void> {
    const { store } = this.context
    const { rows } = this.peers
    await store.write((tx) => {
      const now = rows.find(row.id)
      if (now?.state === 'working') rows.update(tx, row.id, { head: null, base: null, files: 0, added: 0, removed: 0 })
      if (now?.state === 'ready' && now.kind === 'worktree' && now.head === commit) {
        this.landed(tx, now, { commit, target: now.target })
      }
    }, TRACKER)
  }

  /** The round that new commits belong to: what a person saw stays as it was. */
  #roundFor({ id, state, round }: ChangeRow): number {
    if (state === 'working') return round
    if (state === 'asked') return round + 1
    const { rows } = this.peers
    const isSeen = [...rows.looks(id), ...rows.comments(id).map(() => ({ round }))].some((look) => look.round === round)
    return isSeen ? round + 1 : round
  }

  #grow(tx: Tx, id: string, round: number, { base, head, ...size }: Growth): void {
    const { clock } = this.context
    const { rows } = this.peers
    const row = rows.find(id)
    if (!row || (row.state !== 'working' && row.state !== 'asked' && row.state !== 'ready')) return
    const { startedAt = clock.now(), endedAt = null } = rows.round(id, round) ?? {}
    rows.setRound(tx, { change: id, round, startedAt, endedAt, base, head })
    // Checks may have ended before the commit was copied.
    const checks = row.head === head ? row.checks : this.#trialOf(row, head)
    const grown = rows.update(tx, id, { pinned: true, base, head, checks, ...size })
    if (row.state === 'ready') this.#ready(tx, grown, round)
  }

  #trialOf({ rig, branch }: ChangeRow, head: string): ChangeRow['checks'] {
    return branch === null ? null : (this.peers.landings.trialOf(rig, branch, head) ?? null)
  }

  /** True if the turn has arrived that asks for changes; that of a landing that gave the change back is not an ask. */
  #hasArrived({ id }: ChangeRow): boolean {
    return (this.peers.rows.asks(id).at(-1)?.state ?? 'delivered') === 'delivered'
  }

  /** After a look: the turn that was asked for is over once its program is idle and there are new commits. */
  #onLooked(session: string): void {
    const { store } = this.context
    const { rows, logs } = this.peers
    const row = rows.growingOf(session)
    if (row?.state !== 'asked' || !this.#hasArrived(row) || logs.status(session)?.activity !== 'idle') return
    if ((rows.round(row.id, row.round + 1)?.head ?? null) === null) return
    void store
      .write((tx) => this.settle(tx, row, 'idle'), TRACKER)
      .catch((error) => this.context.report(`change ${row.id}: ${errorMessage(error)}`))
  }

  #settleSoon(settle = () => this.#settleAll()): void {
    if (this.#isClosed) return
    this.#settling = this.#settling.then(settle)
  }

  /** Records which changes of worktrees you merged yourself: in the rig, their target contains them. */
  async #landMerged(changes: readonly ChangeRow[]): Promise<void> {
    const { store, report } = this.context
    const { rows, snapshots } = this.peers
    for (const { id, kind, state, rig, head, target } of changes) {
      if (this.#isClosed) return
      if (kind !== 'worktree' || !AT_REST.has(state) || head === null) continue
      const isMerged = await snapshots
        .isMerged(rig, head, target)
        .catch((error) => report(`change ${id}: ${errorMessage(error)}`))
      if (!isMerged) continue
      await store.write((tx) => {
        const now = rows.find(id)
        if (now?.head === head && AT_REST.has(now.state)) this.landed(tx, now, { commit: head, target })
      }, TRACKER)
    }
  }

  async #settleAll(): Promise<void> {
    let hasFailed = false
    this.#retry?.cancel()
    for (const row of this.peers.rows.due()) {
      if (this.#isClosed) return
      await this.#settleOne(row).catch((error) => {
        hasFailed = true
        this.context.report(`change ${row.id}: ${errorMessage(error)}`)
      })
    }
    this.#failures = hasFailed ? this.#failures + 1 : 0
    const delay = Math.min(RETRY_MS * 2 ** (this.#failures - 1), MAX_RETRY_MS)
    if (hasFailed) this.#retry = this.context.deadlines.after(delay, () => this.#settleSoon())
  }

  async #settleOne({ id, kind, session, rig, folder, state }: ChangeRow): Promise<void> {
    const { store, clock } = this.context
    const { snapshots, rows, sessionRepository } = this.peers
    if (kind === 'worktree') await snapshots.look(session)
    else await snapshots.copyFolder({ session, rig, folder })
    if (kind === 'folder' && sessionRepository.find(session)?.state === 'closed')
      await snapshots.forget({ session, rig })
    const grown = rows.find(id)
    const risk = grown && (await this.#riskOf(grown))
    await store.write((tx) => {
      const row = rows.find(id)
      if (!row || row.due === null) return
      const now = clock.now()
      if (row.state === 'working' && row.head === null) {
        rows.update(tx, id, { state: 'none', due: null })
        return this.#endRound(tx, row, row.round, now)
      }
      if (row.state !== state) return void rows.update(tx, id, { due: null })
      this.#ready(tx, rows.update(tx, id, { risk: risk ?? null }), state === 'asked' ? row.round + 1 : row.round)
    }, TRACKER)
  }

  /** The first reason why a change deserves attention. */
  async #riskOf(row: ChangeRow): Promise<string | undefined> {
    if (row.head === null) return undefined
    try {
      const [first] = await this.peers.contents.ranked(row)
      const [reason] = first?.reasons ?? []
      return first && reason && `${first.path}: ${reason}`.slice(0, MAX_RISK)
    } catch (error) {
      this.context.report(`files of ${row.id}: ${errorMessage(error)}`)
      return undefined
    }
  }

  #endRound(tx: Tx, { id, base, head }: ChangeRow, round: number, now: number): void {
    const { rows } = this.peers
    const { startedAt = now } = rows.round(id, round) ?? {}
    rows.setRound(tx, { change: id, round, base, head, startedAt, endedAt: now })
  }

  /** A round of a change waits for review; one that adds no commits is that of the round before. */
  #ready(tx: Tx, row: ChangeRow, round: number): void {
    const { log, clock } = this.context
    const { rows } = this.peers
    const { base, head } = row
    if (base === null || head === null) return
    const now = clock.now()
    const ready = rows.update(tx, row.id, { state: 'ready', due: null, round, readyAt: now })
    this.#endRound(tx, ready, round, now)
    const { branch, target, files, added, removed } = ready
    log.append(tx, ChangeReady, attributesOf(ready), {
      ...{ ...factsOf(ready), base, head, target, files, added, removed },
      ...(branch !== null && { branch }),
    })
  }

  #scheduleSweep(delay: number): void {
    this.#sweep = this.context.deadlines.interval(delay, () => {
      void this.sweep().catch((error) => this.context.report(`changes: ${errorMessage(error)}`))
      this.#scheduleSweep(DAY_MS)
    })
  }

  /** Drops the commits of changes that were decided long ago, and attempts that left none. Finds merges by hand. */
  async sweep(): Promise<void> {
    const { store, clock } = this.context
    const { rows, snapshots } = this.peers
    const now = clock.now()
    for (const row of rows.pinnedBefore(now - PINNED_MS)) {
      if (this.#isClosed) return
      const refs = rows.rounds(row.id).map(({ round }) => `${CHANGES}/${row.id}/${round}`)
      await snapshots.changeRefs(
        row.rig,
        refs.flatMap((ref) => [`delete ${ref}`, `delete ${ref}-base`]),
      )
      await store.write((tx) => void rows.update(tx, row.id, { pinned: false }), TRACKER)
    }
    await this.#landMerged(rows.undecided(...AT_REST))
    if (rows.hasOld(now - ATTEMPT_MS)) await store.write((tx) => rows.prune(tx, now - ATTEMPT_MS), TRACKER)
  }
}

/** True if a commit is in the history of the one that was copied. The worktree can have later ones. */
const isReached = async ({ repository, commit }: CopiedCommit, id: string): Promise<boolean> =>
  (await repository.execute(['merge-base', '--is-ancestor', id, commit])).exitCode === 0

type Growth = Pick<ChangeRow, 'files' | 'added' | 'removed'> & { base: string; head: string }

const isInside = (path: string, folder: string): boolean => path === folder || path.startsWith(join(folder, sep))
