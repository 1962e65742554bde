import { defineEvent } from '../../core/events/index.ts'
import { RunDismissal, RunPauseChange, RunResumeChange, RunRetryChange, RunSkipChange } from './controls-schema.ts'
import { RunChange } from './schema.ts'

export const RunChanged = defineEvent('run.changed', RunChange, 'A run began, or its status changed.')

export const RunPaused = defineEvent(
  'run.paused',
  RunPauseChange,
  'A run was paused: nothing of it is offered or started until it is resumed.',
)

export const RunResumed = defineEvent('run.resumed', RunResumeChange, 'A paused run was resumed.')

export const RunRetried = defineEvent(
  'run.retried',
  RunRetryChange,
  'Steps of a run, and what comes after them, are done again.',
)

export const RunDismissed = defineEvent('run.dismissed', RunDismissal, 'The failure of a run was dismissed.')

export const RunStepSkipped = defineEvent(
  'run.step_skipped',
  RunSkipChange,
  'A run continues without one of its steps.',
)
