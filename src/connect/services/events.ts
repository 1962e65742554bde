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
      failures: Type.Integer({ description: 'How many times in a row it ended by itself.' }),
      next_start_at: Type.Optional(
        Type.String({ format: 'date-time', description: 'When it is started again; absent when it is not.' }),
      ),
    },
    { $id: 'ServiceExitedPayload', ...closed },
  ),
  'The process of a service ended by itself, or could not be started.',
)
export const ServiceRestarted = defineEvent(
  'service.restarted',
  Type.Object({ service }, { $id: 'ServiceRestartedPayload', ...closed }),
  'Somebody had a service started anew.',
)
