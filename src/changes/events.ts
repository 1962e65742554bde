import { Type } from '@sinclair/typebox'
import { defineEvent, payload } from '../core/events/index.ts'

// Changes and their review

const change = {
  change_id: Type.String(),
  rig: Type.String(),
  agent: Type.String(),
  bead_id: Type.Optional(Type.String()),
  round: Type.Integer({ description: 'Number of times the change became ready for review, including this one.' }),
}
const person = Type.String({ description: 'Actor.' })
const head = Type.String({ description: 'The last commit of the change.' })

export const ChangeReady = defineEvent(
  'change.ready',
  payload('ChangeReadyPayload', {
    ...{ ...change, base: Type.String(), head, branch: Type.Optional(Type.String()), target: Type.String() },
    ...{ files: Type.Integer(), added: Type.Integer(), removed: Type.Integer() },
  }),
  'The work of a session waits for review: its bead was closed, the session ended, or what was asked for is done.',
)
export const ChangeLooked = defineEvent(
  'change.looked',
  payload('ChangeLookedPayload', { ...change, person, head }),
  'A person began to review a change, or saw new commits of it.',
)
export const ChangeAsked = defineEvent(
  'change.asked',
  payload('ChangeAskedPayload', {
    ...change,
    person,
    head,
    comments: Type.Integer({ description: 'Number of comments sent.' }),
  }),
  'A person asked the session of a change for changes.',
)
export const ChangeReplied = defineEvent(
  'change.replied',
  payload('ChangeRepliedPayload', { ...change, comment: Type.Integer() }),
  'A comment on a change was answered.',
)
export const ChangeApproved = defineEvent(
  'change.approved',
  payload('ChangeApprovedPayload', { ...change, person, head, target: Type.String() }),
  'A person approved a change at its last commit.',
)
export const ChangeDiscarded = defineEvent(
  'change.discarded',
  payload('ChangeDiscardedPayload', { ...change, person, head, reason: Type.Optional(Type.String()) }),
  'A person decided against a change. Its commits are kept for 30 days.',
)
export const ChangeLanded = defineEvent(
  'change.landed',
  payload('ChangeLandedPayload', {
    ...change,
    head,
    target: Type.String(),
    commit: Type.String({ description: 'Commit on the target.' }),
  }),
  'The work of a change is in the branch that it was for.',
)

// Branches that land

const facts = { reason: Type.Optional(Type.String()), batch: Type.Optional(Type.String()) }

const LandingPayload = payload('LandingEventPayload', {
  ...{ landing: Type.String(), rig: Type.String(), target: Type.String(), branch: Type.String() },
  ...{ head: Type.String(), try: Type.Integer(), bead_id: Type.Optional(Type.String()) },
  ...facts,
  merged: Type.Optional(Type.String()),
  waits_for: Type.Optional(Type.String()),
  paths: Type.Optional(Type.Array(Type.String())),
})

const TrainPayload = payload('LandingTrainEventPayload', {
  ...{ rig: Type.String(), target: Type.String() },
  ...facts,
  base: Type.Optional(Type.String()),
  commit: Type.Optional(Type.String()),
  landings: Type.Optional(Type.Array(Type.String())),
})

export const LandSubmitted = defineEvent('land.submitted', LandingPayload, 'A branch was submitted to land.')
export const LandQueued = defineEvent('land.queued', LandingPayload, 'A branch waits for its place in a batch.')
export const LandLanded = defineEvent(
  'land.landed',
  LandingPayload,
  'A branch was seen on its target, with exactly its changes.',
)
export const LandAlready = defineEvent('land.already', LandingPayload, 'A branch had nothing that its target lacks.')
export const LandConflict = defineEvent(
  'land.conflict',
  LandingPayload,
  'A branch cannot be merged in its current state.',
)
export const LandWaitingTurn = defineEvent(
  'land.waiting_turn',
  LandingPayload,
  'A branch conflicts in files that the owner of another one resolves first.',
)
export const LandPassed = defineEvent(
  'land.passed',
  LandingPayload,
  'A branch that waits for approval passed the check.',
)
export const LandRed = defineEvent(
  'land.red',
  LandingPayload,
  'The check failed twice with a branch, and passed without it.',
)
export const LandUndelivered = defineEvent(
  'land.undelivered',
  LandingPayload,
  'The owner of a branch that was given back could not be written to.',
)
export const LandHeld = defineEvent('land.held', LandingPayload, 'A branch waits for a person.')
export const LandParked = defineEvent('land.parked', LandingPayload, 'A branch could not land in all its tries.')
export const LandLost = defineEvent(
  'land.lost',
  LandingPayload,
  'The target was set back behind a branch that had landed.',
)
export const LandCancelled = defineEvent('land.cancelled', LandingPayload, 'A branch was removed from the queue.')
export const LandBatched = defineEvent('land.batched', TrainPayload, 'Branches were merged to be checked together.')
export const LandChecking = defineEvent('land.checking', TrainPayload, 'A check started.')
export const LandProposed = defineEvent('land.proposed', LandingPayload, 'A checked branch becomes a pull request.')
export const LandMerging = defineEvent('land.merging', LandingPayload, 'The forge was asked to merge a pull request.')
export const LandFlaky = defineEvent('land.flaky', TrainPayload, 'A check failed and then passed with the same files.')
export const LandPushing = defineEvent('land.pushing', TrainPayload, 'A checked commit is being pushed.')
export const LandOvertaken = defineEvent(
  'land.overtaken',
  TrainPayload,
  'The target moved first; the branches are merged again.',
)
export const LandRefused = defineEvent(
  'land.refused',
  TrainPayload,
  'The target did not move although it was pushed to.',
)
export const LandStanding = defineEvent('land.standing', TrainPayload, 'Nothing lands in a rig until a cause is gone.')
export const LandRunning = defineEvent('land.running', TrainPayload, 'Branches of a rig land again.')
