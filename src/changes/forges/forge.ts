/** The rules of a forge for a branch, and the rights of the token. */
export interface BranchFacts {
  readonly branch: string
  /** Its newest commit. */
  readonly head: string
  /** Names of the checks that must pass; at Gitea they are patterns, each of which needs one check at least. */
  readonly requiredChecks: readonly string[]
  readonly arePatterns: boolean
  readonly requiredApprovals: number
  /** True if the token may push to it; undefined where only an admin is shown that. */
  readonly canPush: boolean | undefined
  /** True if changes get onto it by a merge queue only. */
  readonly hasQueue: boolean
  /** The permitted ways to merge a pull request. */
  readonly methods: readonly MergeMethod[]
}

/** `fast-forward` lands the very commit; `merge` adds a merge commit over it, and `squash` makes another of its changes. */
export type MergeMethod = 'fast-forward' | 'merge' | 'squash'

export type CheckState = 'green' | 'red' | 'pending'

/** A check or a status of a commit. */
export interface ForgeCheck {
  readonly name: string
  readonly state: CheckState
  /** The address of its log; empty if the forge gives none. */
  readonly url: string
}

/** A pull request as the forge last said. */
export interface PullRequest {
  readonly number: number
  readonly url: string
  readonly state: 'open' | 'merged' | 'closed'
  readonly isDraft: boolean
  readonly base: string
  readonly head: string
  readonly headSha: string
  /** The commit by which it was merged; only for `merged`. */
  readonly mergeCommit: string | undefined
  /** `blocked`: a rule of the branch is not met. `unknown`: the forge has not looked yet. */
  readonly mergeability: 'clean' | 'conflict' | 'behind' | 'blocked' | 'unknown'
  /** All of its newest commit. */
  readonly checks: readonly ForgeCheck[]
  /** Approvals of people that still hold, and whether somebody asked for changes. */
  readonly approvals: number
  readonly changesRequested: boolean
  /** True if it is in the merge queue. */
  readonly isQueued: boolean
}

export interface PullRequestDraft {
  readonly title: string
  readonly body: string
  readonly head: string
  readonly base: string
  readonly isDraft: boolean
}

/** The commit message of a merge. */
export interface MergeMessage {
  readonly title: string
  readonly body: string
}

export interface MergeRequest {
  readonly number: number
  /** The commit that was checked: the forge merges this head or none. */
  readonly sha: string
  readonly method: MergeMethod
  readonly message: MergeMessage
}

/**
 * The answer of a forge to a request that changes something. None of these says that something was merged: that is seen at the
 * remote. After `unknown` it may have happened or not.
 */
export type Outcome =
  | { readonly kind: 'accepted' }
  | { readonly kind: 'retry'; readonly reason: string; readonly after: number }
  | { readonly kind: 'refused'; readonly reason: string; readonly cause: RefusalCause }
  | { readonly kind: 'unknown'; readonly reason: string }

/** `moved`: the head is another commit now. `conflict`: it does not merge. `rules`: what the branch requires is not met. */
export type RefusalCause = 'moved' | 'conflict' | 'rules' | 'permission'

/** A repository at a forge. gc never asks it to pass over a rule: no bypass, no admin merge, no forced one. */
export interface Forge {
  /** The name for people: `GitHub` or `Gitea`. */
  readonly name: string
  facts(branch: string): Promise<BranchFacts>
  /** The pull request from a branch of this repository into another; the open one if there are several. */
  find(head: string, base: string): Promise<PullRequest | undefined>
  /** Opens a pull request, or returns the one that there is. */
  create(draft: PullRequestDraft): Promise<PullRequest>
  /** Undefined if there is none of that number. */
  read(number: number): Promise<PullRequest | undefined>
  merge(request: MergeRequest): Promise<Outcome>
  /** Puts it into the merge queue, pinned to its head. */
  enqueue(number: number, sha: string): Promise<Outcome>
  /** Closes it without merging it; one that is closed already stays so. */
  close(number: number): Promise<Outcome>
  /** Adds labels, which are made where they are missing; they decide nothing, so that a failure is a reason only. */
  label(number: number, labels: readonly string[]): Promise<Outcome>
}

/** A forge cannot be used as declared, and a person has to act. */
export class ForgeProblem extends Error {}
