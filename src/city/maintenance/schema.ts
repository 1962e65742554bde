import { type Static, Type } from '@sinclair/typebox'

const bytes = (description: string) => Type.Integer({ format: 'int64', description })
const timestamp = (description: string) => Type.String({ description })

export const MaintenanceRunBody = Type.Object(
  {
    started_at: timestamp('Start time.'),
    finished_at: timestamp('Finish time.'),
    stage: Type.String({ description: '`done`, or the step that failed.' }),
    before_bytes: bytes('Size of the store before.'),
    after_bytes: bytes('Size of the store after.'),
    duration_s: Type.Number({ format: 'double' }),
    snapshot_path: Type.Optional(Type.String({ description: 'A copy made first; not needed by this store.' })),
    err: Type.Optional(Type.String({ description: 'Reason it failed.' })),
  },
  { $id: 'MaintenanceRunBody', additionalProperties: false },
)
export type MaintenanceRunBody = Static<typeof MaintenanceRunBody>

export const MaintenanceStatusBody = Type.Object(
  {
    enabled: Type.Boolean({ description: 'True if it runs automatically.' }),
    interval_seconds: Type.Integer({ format: 'int64', description: 'Frequency of its runs.' }),
    in_flight: Type.Boolean({ description: 'True if it is running now.' }),
    in_flight_start: Type.Optional(timestamp('Start of the current run.')),
    last_run: Type.Optional(MaintenanceRunBody),
    next_scheduled: Type.Optional(timestamp('Time of the next run.')),
    history: Type.Array(MaintenanceRunBody, { description: 'The last runs, newest first.' }),
  },
  { $id: 'MaintenanceStatusBody', additionalProperties: false },
)
export type MaintenanceStatusBody = Static<typeof MaintenanceStatusBody>

export const MaintenanceTriggerBody = Type.Object(
  {
    accepted: Type.Boolean(),
    started_at: Type.Optional(timestamp('Start of the run.')),
    run: Type.Optional(MaintenanceRunBody),
  },
  { $id: 'MaintenanceTriggerBody', additionalProperties: false },
)
export type MaintenanceTriggerBody = Static<typeof MaintenanceTriggerBody>
