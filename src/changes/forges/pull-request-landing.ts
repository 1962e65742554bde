import { NoAnswer, TooSoon } from '../../connect/forge-api/index.ts'
import type { Landed } from './contents.ts'
import {
  type BranchFacts,
  type Forge,
  type ForgeCheck,
  ForgeProblem,
  type MergeMessage,
  type MergeMethod,
  type Outcome,
  type PullRequest,
} from './forge.ts'

/** A landing by pull request, as its row stands. Every request that changes something has a row before it. */
export interface PullRequestLanding {
  /** `pr_open`: branch and pull request are made. `pr_waiting`: rules are not met. `pr_merging`: a merge was asked for. */
  readonly state: 'pr_open' | 'pr_waiting' | 'pr_merging'
  readonly headBranch: string
  readonly target: string
  /** The commit of the target that the candidate stands on. */
  readonly base: string
  /** The candidate, which was checked. */
  readonly sha: string
  /** Earlier candidates of gc for the head branch, which a push may replace; nothing else may. */
  readonly replaced: readonly string[]
  /** Head branches of earlier pull requests, which a person had to decide about, with the commits that gc left there. */
  readonly left?: readonly { readonly branch: string; readonly sha: string }[]
  readonly number?: number
  /** The time at which the pull request was first seen. */
  readonly seenAt?: number
  /** Since when the forge says merged, and the target does not show it. */
  readonly claimedAt?: number
  readonly isLabelled?: boolean
  /** Merges that were asked for without success. */
  readonly attempts: number
  /** No request that changes something before this moment. */
  readonly notBefore?: number
  /** The reason for waiting, as a sentence for people. */
  readonly reason?: string
}

/** The end of such a landing. `stale`: the target has moved, so that another candidate must be made and checked. */
export type LandingEnd =
  | { readonly kind: 'landed'; readonly commit: string }
  | { readonly kind: 'conflict'; readonly reason: string }
  | { readonly kind: 'stale'; readonly reason: string }
  | { readonly kind: 'red'; readonly checks: readonly ForgeCheck[] }
  | { readonly kind: 'held'; readonly reason: string }

type Effect = 'push' | 'create' | 'label' | 'merge' | 'enqueue'

/** The next step after a look: one request after its row, a pause, or the end. */
export type Step =
  | {
      readonly kind: 'effect'
      readonly effect: Effect
      readonly row: PullRequestLanding
      readonly method?: MergeMethod
      /** The only commit that a push may replace. */
      readonly lease?: string | undefined
    }
  | { readonly kind: 'wait'; readonly row: PullRequestLanding; readonly after: number }
  | { readonly kind: 'end'; readonly end: LandingEnd }

/** The state of the remote and the forge as just seen. */
export interface Look {
  readonly now: number
  readonly forge: string
  readonly facts: BranchFacts
  /** The newest commits of the target and of the head branch at the remote. */
  readonly target: string
  readonly branch: string | undefined
  readonly pull: PullRequest | undefined
  readonly landed: Landed
}

export interface LandingOptions {
  readonly strategy: 'squash' | 'merge'
  readonly labels: readonly string[]
}

const SOON_MS = 2_000
const POLL_MS = 30_000
/** The time within which checks must begin that no rule requires. */
const SETTLE_MS = 30_000
/** The time within which a merge must show on the target. */
const CLAIM_MS = 120_000
const MAX_ATTEMPTS = 10

/** Decides what follows from a look. Only what the remote shows ends a landing as landed. */
export function decide(row: PullRequestLanding, look: Look, options: LandingOptions): Step {
  const { landed, pull, forge } = look
  if (landed.kind === 'landed') return end({ kind: 'landed', commit: landed.commit })
  if (landed.kind === 'different') {
    const paths = landed.paths.join(', ')
    const what = `${landed.commit.slice(0, 12)}, which is not what was checked; it differs in ${paths}`
    return held(`${forge} merged pull request ${pull?.number ?? ''} as ${what}`)
  }
  if (pull?.state === 'merged') return claimed(row, look, pull)
  return ofBranch(row, look) ?? (pull ? ofPullRequest(row, look, pull, options) : create(row))
}

const create = (row: PullRequestLanding): Step => ({
  kind: 'effect',
  effect: 'create',
  row: { ...row, state: 'pr_open' },
})

/** A merge that the forge claims and the target does not show. */
function claimed(row: PullRequestLanding, { now, forge }: Look, { number }: PullRequest): Step {
  const claimedAt = row.claimedAt ?? now
  if (now - claimedAt >= CLAIM_MS) {
    return held(`${forge} says that pull request ${number} is merged, but ${row.target} does not have it`)
  }
  return wait({ ...row, claimedAt, reason: `${forge} says merged; ${row.target} does not show it yet` }, SOON_MS)
}

/** The head branch: pushed where it is new or as gc left it, and no one else's. */
function ofBranch(row: PullRequestLanding, { branch, pull }: Look): Step | undefined {
  if (branch === row.sha) return undefined
  if (branch === undefined ? pull === undefined : row.replaced.includes(branch)) {
    return { kind: 'effect', effect: 'push', row: { ...row, state: 'pr_open' }, lease: branch }
  }
  if (branch === undefined) return held(`branch ${row.headBranch} was deleted at the remote before it was merged`)
  return held(
    `branch ${row.headBranch} was changed at the remote: it is at ${branch.slice(0, 12)}, not at what was checked`,
  )
}

function ofPullRequest(before: PullRequestLanding, look: Look, pull: PullRequest, options: LandingOptions): Step {
  const { now, target } = look
  const row = { ...before, number: pull.number, seenAt: before.seenAt ?? now }
  if (pull.state === 'closed') return held(`pull request ${pull.number} was closed without being merged`)
  if (pull.base !== row.target)
    return held(`pull request ${pull.number} goes into ${pull.base} now, not into ${row.target}`)
  if (pull.headSha !== row.sha) return wait({ ...row, reason: `${look.forge} has not seen the push yet` }, SOON_MS)
  if (target !== row.base && pull.mergeability === 'conflict') {
    return end({ kind: 'conflict', reason: `it no longer merges with ${row.target}` })
  }
  if (options.labels.length > 0 && !row.isLabelled) {
    return { kind: 'effect', effect: 'label', row: { ...row, isLabelled: true } }
  }
  return ofRules(row, look, pull) ?? ofMerge(row, look, pull, options)
}

/** The requirements of the branch. gc waits for them and never bypasses one. */
function ofRules(row: PullRequestLanding, { facts, now, target }: Look, pull: PullRequest): Step | undefined {
  const waiting = (reason: string, after = POLL_MS) => wait({ ...row, state: 'pr_waiting', reason }, after)
  const required = facts.requiredChecks
  const fits = (name: string, check: string) => name === check || (facts.arePatterns && fitsPattern(name, check))
  const relevant =
    required.length > 0 ? pull.checks.filter((check) => required.some((name) => fits(name, check.name))) : pull.checks
  const red = relevant.filter(({ state }) => state === 'red')
  if (red.length > 0) return end({ kind: 'red', checks: red })
  const missing = required.filter(
    (name) => !relevant.some((check) => fits(name, check.name) && check.state !== 'pending'),
  )
  const pending = relevant.filter(({ state }) => state === 'pending').map(({ name }) => name)
  const open = [...new Set([...missing, ...pending])]
  if (open.length > 0) return waiting(`waiting for checks: ${open.join(', ')}`)
  const settled = (row.seenAt ?? now) + SETTLE_MS
  if (required.length === 0 && now < settled) return waiting('waiting for checks to begin', settled - now)
  if (pull.isDraft) return waiting('the pull request is a draft; mark it as ready for review')
  if (pull.changesRequested) return waiting('a reviewer has requested changes')
  const lacking = facts.requiredApprovals - pull.approvals
  if (lacking > 0) return waiting(`waiting for ${lacking} more ${lacking === 1 ? 'approval' : 'approvals'}`)
  if (pull.mergeability === 'blocked')
    return waiting('a rule of the branch blocks the merge; the pull request says which')
  // If the target has moved, another candidate is made, whatever the forge says of this one: Gitea never reports a conflict.
  const isCurrent = target === row.base || facts.hasQueue
  if (pull.mergeability === 'unknown' && !pull.isQueued && isCurrent) {
    return waiting('the forge has not decided yet whether it merges', now < settled ? SOON_MS : POLL_MS)
  }
  return undefined
}

/** Whether the name of a check fits a pattern, in which `*` stands for slashes as well. */
const fitsPattern = (pattern: string, name: string): boolean =>
  new Bun.Glob(pattern.replaceAll('/', ':')).match(name.replaceAll('/', ':'))

function ofMerge(row: PullRequestLanding, look: Look, pull: PullRequest, { strategy }: LandingOptions): Step {
  const { facts, now } = look
  if (pull.isQueued) return wait({ ...row, state: 'pr_merging', reason: 'it is in the merge queue' }, POLL_MS)
  // Another candidate is made once everything else is there: it has to be checked, and maybe approved, again.
  if ((look.target !== row.base && !facts.hasQueue) || pull.mergeability === 'behind') {
    return end({ kind: 'stale', reason: `${row.target} has moved since the candidate was checked` })
  }
  if (row.notBefore !== undefined && now < row.notBefore) return wait(row, row.notBefore - now)
  if (row.attempts >= MAX_ATTEMPTS) {
    return held(
      `pull request ${pull.number} was not merged in ${row.attempts} attempts: ${row.reason ?? 'no reason given'}`,
    )
  }
  const method = facts.hasQueue ? undefined : methodOf(facts.methods, strategy)
  if (!facts.hasQueue && method === undefined) return held('the repository allows no way of merging that gc knows')
  const { reason: _waitedFor, ...rest } = row
  const next = { ...rest, state: 'pr_merging' as const, attempts: row.attempts + 1, notBefore: now + SOON_MS }
  if (method === undefined) return { kind: 'effect', effect: 'enqueue', row: next }
  return { kind: 'effect', effect: 'merge', row: next, method }
}

/** The way that keeps most of what was checked: the very commit, else what the rig declares. */
function methodOf(allowed: readonly MergeMethod[], strategy: 'squash' | 'merge'): MergeMethod | undefined {
  const preferred: MergeMethod[] = ['fast-forward', strategy, 'squash', 'merge']
  return preferred.find((method) => allowed.includes(method))
}

const end = (of: LandingEnd): Step => ({ kind: 'end', end: of })
const held = (reason: string): Step => end({ kind: 'held', reason })
const wait = (row: PullRequestLanding, after: number): Step => ({ kind: 'wait', row, after })

/** The remote of a rig, through the repository in which candidates are made. */
export interface LandingRemote {
  /** Fetches both branches; the head branch is undefined if it is not there. */
  fetch(target: string, headBranch: string): Promise<{ target: string; branch: string | undefined }>
  /** Pushes a commit with a lease on what it replaces; none for a new branch. What it says is not believed: the next fetch shows it. */
  push(headBranch: string, sha: string, lease: string | undefined): Promise<void>
  judge(change: { base: string; sha: string }, seen: { target: string; merged: string | undefined }): Promise<Landed>
}

export interface LandingWorld {
  readonly forge: Forge
  readonly remote: LandingRemote
  readonly now: () => number
  /** Puts a row on disk; resolves once it is. */
  save(row: PullRequestLanding): Promise<void>
  readonly options: LandingOptions
  /** The commit message, and the text of the pull request. */
  readonly message: MergeMessage
  readonly isDraft: boolean
}

/** The next move: another step immediately, one after a pause, or none. */
export type Advance =
  | { readonly kind: 'again'; readonly row: PullRequestLanding; readonly after: number }
  | { readonly kind: 'end'; readonly end: LandingEnd }

/** Looks once, and does the one thing that follows. It can be ended anywhere, and begun again from the row that was saved. */
export async function advance(row: PullRequestLanding, world: LandingWorld): Promise<Advance> {
  try {
    const step = decide(row, await look(row, world), world.options)
    if (step.kind === 'end') return { kind: 'end', end: step.end }
    await world.save(step.row)
    if (step.kind === 'wait') return { kind: 'again', row: step.row, after: step.after }
    const outcome = await perform(step, world)
    return after(step.row, outcome, world)
  } catch (error) {
    if (error instanceof ForgeProblem) return { kind: 'end', end: { kind: 'held', reason: error.message } }
    if (error instanceof TooSoon) return { kind: 'again', row, after: error.wait }
    if (error instanceof NoAnswer) return { kind: 'again', row: { ...row, reason: error.message }, after: POLL_MS }
    throw error
  }
}

async function look(row: PullRequestLanding, { forge, remote, now }: LandingWorld): Promise<Look> {
  const facts = await forge.facts(row.target)
  const pull = await (row.number === undefined ? forge.find(row.headBranch, row.target) : forge.read(row.number))
  // Fetched after the forge was read: what it says was merged is then on the target, or was never merged.
  const { target, branch } = await remote.fetch(row.target, row.headBranch)
  const landed = await remote.judge({ base: row.base, sha: row.sha }, { target, merged: pull?.mergeCommit })
  return { now: now(), forge: forge.name, facts, target, branch, pull, landed }
}

async function perform(step: Extract<Step, { kind: 'effect' }>, world: LandingWorld): Promise<Outcome | PullRequest> {
  const { effect, row, method = 'squash', lease } = step
  const { forge, remote, message, isDraft, options } = world
  const { headBranch, target, sha, number = 0 } = row
  if (effect === 'create') return forge.create({ ...message, head: headBranch, base: target, isDraft })
  if (effect === 'label') return forge.label(number, options.labels)
  if (effect === 'merge') return forge.merge({ number, sha, method, message })
  if (effect === 'enqueue') return forge.enqueue(number, sha)
  await remote.push(headBranch, sha, lease)
  return { kind: 'accepted' }
}

/** The row after a request. Its answer decides when to look again, and why; never that something has landed. */
async function after(
  row: PullRequestLanding,
  answer: Outcome | PullRequest,
  { save, now }: LandingWorld,
): Promise<Advance> {
  const keep = async (next: PullRequestLanding, pause: number): Promise<Advance> => {
    await save(next)
    return { kind: 'again', row: next, after: pause }
  }
  if (!('kind' in answer)) return keep({ ...row, state: 'pr_waiting', number: answer.number, seenAt: now() }, 0)
  if (answer.kind === 'accepted') return { kind: 'again', row, after: 0 }
  const { reason } = answer
  const attempts = Math.max(0, row.attempts - 1)
  if (answer.kind === 'retry') return keep({ ...row, attempts, reason, notBefore: now() + answer.after }, answer.after)
  if (answer.kind === 'refused' && answer.cause === 'permission' && row.state === 'pr_merging') {
    return { kind: 'end', end: { kind: 'held', reason: `the forge does not let gc merge: ${reason}` } }
  }
  if (answer.kind === 'refused' && answer.cause === 'rules') {
    return keep({ ...row, state: 'pr_waiting', attempts, reason, notBefore: now() + 2 * POLL_MS }, POLL_MS)
  }
  return keep({ ...row, reason, notBefore: now() + SOON_MS }, SOON_MS)
}

/** The outcome of closing a proposal. `landed`: it had been merged. */
export type ProposalClose =
  | { readonly kind: 'closed' }
  | { readonly kind: 'landed'; readonly commit: string }
  | { readonly kind: 'again'; readonly after: number }
  | { readonly kind: 'failed'; readonly reason: string }

/** Closes the pull request of a landing that is not to land any more, and looks; one that was merged has landed. */
export async function closeProposal(row: PullRequestLanding, world: LandingWorld): Promise<ProposalClose> {
  try {
    const { pull, landed } = await look(row, world)
    if (landed.kind === 'landed') return { kind: 'landed', commit: landed.commit }
    if (pull?.state === 'merged' && landed.kind !== 'different') return { kind: 'again', after: POLL_MS }
    if (pull?.state !== 'open') return { kind: 'closed' }
    const answer = await world.forge.close(pull.number)
    if (answer.kind === 'refused') return { kind: 'failed', reason: answer.reason }
    return { kind: 'again', after: answer.kind === 'retry' ? answer.after : SOON_MS }
  } catch (error) {
    if (error instanceof ForgeProblem) return { kind: 'failed', reason: error.message }
    if (error instanceof TooSoon) return { kind: 'again', after: error.wait }
    if (error instanceof NoAnswer) return { kind: 'again', after: POLL_MS }
    throw error
  }
}
