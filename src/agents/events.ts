import { Type } from '@sinclair/typebox'
import { defineEvent, NoPayload, payload } from '../core/events/index.ts'
import { Budget, BudgetSet } from './schema.ts'

// Logins

const login = Type.String({ description: 'The account, or the provider whose own login it is.' })
const provider = Type.String()
const LoginLimitReached = payload('LoginLimitReached', {
  login,
  provider,
  until: Type.String({ format: 'date-time', description: 'Nothing is started on it before.' }),
  stated: Type.Boolean({ description: 'True if its program stated that time.' }),
  reason: Type.String({ description: 'Output of its program.' }),
})
const FailedLogin = payload('LoginFailed', { login, provider, reason: Type.String() })
const RestoredLogin = payload('LoginRestored', { login, provider })

export const LimitReached = defineEvent('login.limited', LoginLimitReached, 'A login reached its usage limit.')
export const LoginFailed = defineEvent('login.failed', FailedLogin, 'A login is no longer accepted.')
export const LoginRestored = defineEvent('login.restored', RestoredLogin, 'A login is usable again.')

// Worktrees

const where = { bead_id: Type.String(), path: Type.String(), rig: Type.String() }

export const WorktreeReaped = defineEvent(
  'bead.worktree.reaped',
  payload('BeadWorktreeReapedPayload', { ...where, branch: Type.String() }),
  'A worktree was removed; all its work exists elsewhere.',
)

export const WorktreeReapSkipped = defineEvent(
  'bead.worktree.reap_skipped',
  payload('BeadWorktreeReapSkippedPayload', { ...where, reason: Type.String() }),
  'A worktree was kept, because it holds work that exists nowhere else.',
)

export const WorktreeSnapshotted = defineEvent(
  'worktree.snapshotted',
  payload('WorktreeSnapshottedPayload', {
    ...where,
    snapshot: Type.String(),
    reason: Type.String(),
    left_out: Type.Integer(),
  }),
  'The state of a worktree was stored before something that could lose it. Those after activity are not recorded.',
)

export const WorktreeSnapshotFailed = defineEvent(
  'worktree.snapshot_failed',
  payload('WorktreeSnapshotFailedPayload', { ...where, reason: Type.String(), error: Type.String() }),
  'The state of a worktree could not be stored. Each error is recorded once, until it works again.',
)

export const WorktreeRestored = defineEvent(
  'worktree.restored',
  payload('WorktreeRestoredPayload', {
    ...{ snapshot: Type.String(), rig: Type.String() },
    ...{ branch: Type.Optional(Type.String()), commit: Type.Optional(Type.String()) },
    folder: Type.Optional(Type.String()),
  }),
  'A snapshot was restored into a new branch or folder.',
)

export const WorktreeFetched = defineEvent(
  'bead.worktree.fetched',
  payload('BeadWorktreeFetchedPayload', { ...where, branch: Type.String(), commit: Type.String() }),
  "The commits of a session's worktree were fetched into the repository of its rig.",
)

// Questions and the rules that answer them

const optional = (description: string) => Type.Optional(Type.String({ description }))

const question = {
  session_id: Type.String(),
  request_id: Type.String({ description: 'The id under which its program knows the question.' }),
  question_id: optional('Names the question under attention; absent from events of earlier versions.'),
  text: optional('The command, path or text that it asks about; cut after 8,000 characters.'),
  folder: optional('The folder that the session works in.'),
  bead_id: optional('The bead that the session works on.'),
}

export const SessionAsked = defineEvent(
  'session.asked',
  payload('SessionAskedPayload', { ...question, prompt: Type.String() }),
  'The program of a session asks a person something and waits.',
)
export const SessionAnswered = defineEvent(
  'session.answered',
  payload('SessionAnsweredPayload', {
    ...question,
    prompt: Type.Optional(Type.String()),
    choice: optional('The answer in the program’s words; absent when the question ended without one.'),
    rule: optional('The rule that gave the answer; absent from answers of people.'),
    choice_text: optional('The text that was given with the answer; cut after 8,000 characters.'),
  }),
  'A question of a session was answered by the actor of this event, or no longer needs an answer.',
)

export const RuleAdded = defineEvent(
  'rule.added',
  payload('RuleAddedPayload', { rule: Type.String() }),
  'A person added a rule that answers questions.',
)
export const RuleRemoved = defineEvent(
  'rule.removed',
  payload('RuleRemovedPayload', { rule: Type.String() }),
  'A rule was removed.',
)
export const RuleReviewed = defineEvent(
  'rule.reviewed',
  payload('RuleReviewedPayload', { rule: Type.String() }),
  'A person saw the changed files that a rule depends on.',
)

// Trust in rigs

export const RigTrusted = defineEvent(
  'rig.trusted',
  NoPayload,
  'A person trusts the folder of a rig, and those that gc makes of it.',
)
export const RigDistrusted = defineEvent('rig.distrusted', NoPayload, 'A person revoked the trust in a rig.')

// Budgets

export const BudgetChanged = defineEvent('budget.set', BudgetSet, 'A budget was set.')
export const BudgetRemoved = defineEvent('budget.removed', BudgetSet, 'A budget was removed.')
export const BudgetsStrict = defineEvent(
  'budget.strict',
  NoPayload,
  'Agents whose programs do not report what they use get no turn under a budget from now on.',
)
export const BudgetWarned = defineEvent('budget.warned', Budget, '80 % of a budget is used.')
export const BudgetExhausted = defineEvent(
  'budget.exhausted',
  Budget,
  'A budget is exhausted. Its agents get no new turns.',
)

// Parked work

export const BeadParked = defineEvent(
  'bead.parked',
  payload('BeadParkedPayload', {
    bead_id: Type.String(),
    agent: Type.String({ description: 'The agent whose sessions exited.' }),
    deaths: Type.Integer({ description: 'Number of exited sessions.' }),
  }),
  'Too many sessions exited while they worked on a bead; gc does not offer it again until a person unparks it.',
)

// Processes that leave their sessions

const processes = Type.Array(Type.Object({ pid: Type.Integer(), command: Type.String() }))

export const ProcessesDetached = defineEvent(
  'session.processes_detached',
  payload('SessionProcessesDetachedPayload', { session_id: Type.String(), processes }),
  'A session ended and left processes that had left its terminal session.',
)

export const ProcessesEnded = defineEvent(
  'session.processes_ended',
  payload('SessionProcessesEndedPayload', { session_id: Type.String(), processes }),
  'Processes that had left the terminal session of a session were stopped on request.',
)

// Accounts on the social network

const NetworkAccountPayload = payload('NetworkAccountPayload', {
  agent: Type.String(),
  name: Type.String(),
  account_id: Type.String(),
})

export const NetworkAccountAdded = defineEvent(
  'network.account_added',
  NetworkAccountPayload,
  'An agent got an account on the social network.',
)
export const NetworkAccountStopped = defineEvent(
  'network.account_stopped',
  NetworkAccountPayload,
  'An agent was banned from the social network.',
)
export const NetworkAccountStarted = defineEvent(
  'network.account_started',
  NetworkAccountPayload,
  'An agent may use the social network again.',
)

// Attention

const item = {
  id: Type.String({ description: 'Names the item; both events of an item have the same.' }),
  kind: Type.String(),
  asks: Type.String({ description: 'The item in a sentence, cut after 1,000 characters.' }),
  since: Type.String({ format: 'date-time' }),
  agent: Type.Optional(Type.String()),
  bead_id: Type.Optional(Type.String()),
  session_id: Type.Optional(Type.String()),
}

export const AttentionRaised = defineEvent(
  'attention.raised',
  payload('AttentionRaisedPayload', { ...item, to_do: Type.String({ description: 'Fix, for a person.' }) }),
  'Something waits for a person. `GET attention` lists all that does.',
)
export const AttentionMuted = defineEvent(
  'attention.muted',
  payload('AttentionMutedPayload', { kind: Type.String(), until: Type.Optional(Type.String({ format: 'date-time' })) }),
  'A person hid a kind of what waits for a person, for good or until a time.',
)
export const AttentionUnmuted = defineEvent(
  'attention.unmuted',
  payload('AttentionUnmutedPayload', { kind: Type.String() }),
  'A kind of what waits for a person is shown again.',
)
export const AttentionCleared = defineEvent(
  'attention.cleared',
  payload('AttentionClearedPayload', {
    ...item,
    resolution: Type.Optional(Type.String({ description: 'Outcome, if known.' })),
    by: Type.Optional(Type.String({ description: 'Actor.' })),
  }),
  'An item no longer needs a person.',
)
