import { Type } from '@sinclair/typebox'
import { defineEvent } from '../../core/events/index.ts'

const optional = { reason: Type.Optional(Type.String()), batch: Type.Optional(Type.String()) }

const Payload = Type.Object(
  {
    ...{ landing: Type.String(), rig: Type.String(), target: Type.String(), branch: Type.String() },
    ...{ head: Type.String(), try: Type.Integer(), bead_id: Type.Optional(Type.String()) },
    ...optional,
    merged: Type.Optional(Type.String()),
    waits_for: Type.Optional(Type.String()),
    paths: Type.Optional(Type.Array(Type.String())),
  },
  { $id: 'LandingEventPayload', additionalProperties: false },
)

const TrainPayload = Type.Object(
  {
    ...{ rig: Type.String(), target: Type.String() },
    ...optional,
    base: Type.Optional(Type.String()),
    commit: Type.Optional(Type.String()),
    landings: Type.Optional(Type.Array(Type.String())),
  },
  { $id: 'LandingTrainEventPayload', additionalProperties: false },
)

export const LandSubmitted = defineEvent('land.submitted', Payload, 'A branch was submitted to land.')
export const LandQueued = defineEvent('land.queued', Payload, 'A branch waits for its place in a batch.')
export const LandLanded = defineEvent(
  'land.landed',
  Payload,
  'A branch was seen on its target, with exactly its changes.',
)
export const LandAlready = defineEvent('land.already', Payload, 'A branch had nothing that its target lacks.')
export const LandConflict = defineEvent('land.conflict', Payload, 'A branch cannot be merged in its current state.')
export const LandWaitingTurn = defineEvent(
  'land.waiting_turn',
  Payload,
  'A branch conflicts in files that the owner of another one resolves first.',
)
export const LandPassed = defineEvent('land.passed', Payload, 'A branch that waits for approval passed the check.')
export const LandRed = defineEvent('land.red', Payload, 'The check failed twice with a branch, and passed without it.')
export const LandUndelivered = defineEvent(
  'land.undelivered',
  Payload,
  'The owner of a branch that was given back could not be written to.',
)
export const LandHeld = defineEvent('land.held', Payload, 'A branch waits for a person.')
export const LandParked = defineEvent('land.parked', Payload, 'A branch could not land in all its tries.')
export const LandLost = defineEvent('land.lost', Payload, 'The target was set back behind a branch that had landed.')
export const LandCancelled = defineEvent('land.cancelled', Payload, 'A branch was removed from the queue.')
export const LandBatched = defineEvent('land.batched', TrainPayload, 'Branches were merged to be checked together.')
export const LandChecking = defineEvent('land.checking', TrainPayload, 'A check started.')
export const LandProposed = defineEvent('land.proposed', Payload, 'A checked branch becomes a pull request.')
export const LandMerging = defineEvent('land.merging', Payload, 'The forge was asked to merge a pull request.')
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
