import { Type } from '@sinclair/typebox'
import { defineEvent, NoPayload, payload } from '../core/events/index.ts'
import { RunDismissal, RunStatus } from './schema.ts'

// Runs

const run = { run_id: Type.String() }
const reason = Type.Optional(Type.String())

export const RunChanged = defineEvent(
  'run.changed',
  payload('RunChange', { ...run, status: RunStatus, formula: Type.String() }),
  'A run began, or its status changed.',
)
export const RunPaused = defineEvent(
  'run.paused',
  payload('RunPauseChange', { ...run, reason }),
  'A run was paused: nothing of it is offered or started until it is resumed.',
)
export const RunResumed = defineEvent('run.resumed', payload('RunResumeChange', run), 'A paused run was resumed.')
export const RunRetried = defineEvent(
  'run.retried',
  payload('RunRetryChange', {
    ...run,
    steps: Type.Array(Type.String(), { description: 'The beads of the steps that were named.' }),
    reason,
  }),
  'Steps of a run, and what comes after them, are done again.',
)
export const RunDismissed = defineEvent('run.dismissed', RunDismissal, 'The failure of a run was dismissed.')
export const RunStepSkipped = defineEvent(
  'run.step_skipped',
  payload('RunSkipChange', { ...run, step_id: Type.String(), reason: Type.String() }),
  'A run continues without one of its steps.',
)

// Molecules

export const MoleculeResolved = defineEvent(
  'molecule.resolved',
  payload('MoleculeResolvedPayload', {
    issue_id: Type.String(),
    from_status: Type.String(),
    to_status: Type.String(),
    actor: Type.String(),
    ts: Type.String({ format: 'date-time' }),
    close_reason: Type.Optional(Type.String()),
    session_id: Type.Optional(Type.String()),
    session_name: Type.Optional(Type.String()),
    work_dir: Type.Optional(Type.String()),
  }),
  'A molecule was closed with the last of its steps.',
)

// Formulas

export const FormulaChanged = defineEvent(
  'formula.changed',
  payload('FormulaChangedPayload', {
    name: Type.String(),
    change: Type.Union([Type.Literal('saved'), Type.Literal('deleted')]),
  }),
  'The file of a formula of the city was written or deleted through gc.',
)

// Orders

export const OrderFired = defineEvent('order.fired', NoPayload, 'An order was started.')
export const OrderCompleted = defineEvent('order.completed', NoPayload, 'The run of an order succeeded.')
export const OrderFailed = defineEvent('order.failed', NoPayload, 'The run of an order failed; the message says why.')
