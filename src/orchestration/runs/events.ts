import { defineEvent } from '../../core/events/event.ts'
import { RunChange } from './schema.ts'

export const RunChanged = defineEvent('run.changed', RunChange, 'A run began, or its status changed.')
