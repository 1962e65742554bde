import { Type } from '@sinclair/typebox'
import { defineEvent } from '../../core/events/index.ts'

const bytes = Type.Integer({ format: 'int64' })

export const StoreMaintenanceDone = defineEvent(
  'gc.store.maintenance.done',
  Type.Object(
    {
      duration_s: Type.Number({ format: 'double' }),
      before_bytes: bytes,
      after_bytes: bytes,
      snapshot_path: Type.String({ description: 'Always empty: no prior copies are needed.' }),
    },
    { $id: 'StoreMaintenanceDonePayload', additionalProperties: false },
  ),
  'Unused space was given back to the disk.',
)

export const StoreMaintenanceFailed = defineEvent(
  'gc.store.maintenance.failed',
  Type.Object(
    {
      stage: Type.String(),
      error_msg: Type.String(),
      duration_s: Type.Number({ format: 'double' }),
      snapshot_path: Type.Optional(Type.String()),
    },
    { $id: 'StoreMaintenanceFailedPayload', additionalProperties: false },
  ),
  'Maintenance of the store failed.',
)
