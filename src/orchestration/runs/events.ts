import { defineEvent } from '../../core/events/event.ts'
import { RunChange, RunPauseChange, RunResumeChange } from './schema.ts'

export const RunChanged = defineEvent('run.changed', RunChange, 'A run began, or its status changed.')

export const RunPaused = defineEvent(
  'run.paused',
  RunPauseChange,
  'A run was paused: nothing of it is offered or started until it is resumed.',
)

export const RunResumed = defineEvent('run.resumed', RunResumeChange, 'A paused run goes on.')
