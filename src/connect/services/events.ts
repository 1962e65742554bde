import { Type } from '@sinclair/typebox'
import { defineEvent } from '../../core/events/index.ts'

const closed = { additionalProperties: false } as const
const service = Type.String({ description: 'The name of the service.' })

export const ServiceStarted = defineEvent(
  'service.started',
  Type.Object({ service, pid: Type.Integer() }, { $id: 'ServiceStartedPayload', ...closed }),
  'The process of a service was started; it is ready a little later.',
)
export const ServiceExited = defineEvent(
  'service.exited',
  Type.Object(
    {
      service,
      failures: Type.Integer({ description: 'Number of consecutive unexpected exits.' }),
      next_start_at: Type.Optional(
        Type.String({ format: 'date-time', description: 'Time of the next start; absent if there is none.' }),
      ),
    },
    { $id: 'ServiceExitedPayload', ...closed },
  ),
  'The process of a service exited unexpectedly or could not be started.',
)
export const ServiceRestarted = defineEvent(
  'service.restarted',
  Type.Object({ service }, { $id: 'ServiceRestartedPayload', ...closed }),
  'A service was restarted on request.',
)
