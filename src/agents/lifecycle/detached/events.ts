import { Type } from '@sinclair/typebox'
import { defineEvent } from '../../../core/events/index.ts'

const processes = Type.Array(Type.Object({ pid: Type.Integer(), command: Type.String() }))

export const ProcessesDetached = defineEvent(
  'session.processes_detached',
  Type.Object(
    { session_id: Type.String(), processes },
    { $id: 'SessionProcessesDetachedPayload', additionalProperties: false },
  ),
  'A session ended and left processes that had left its terminal session.',
)

export const ProcessesEnded = defineEvent(
  'session.processes_ended',
  Type.Object(
    { session_id: Type.String(), processes },
    { $id: 'SessionProcessesEndedPayload', additionalProperties: false },
  ),
  'Processes that had left the terminal session of a session were stopped on request.',
)
