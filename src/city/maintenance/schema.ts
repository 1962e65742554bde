import { type Static, Type } from '@sinclair/typebox'

const bytes = (description: string) => Type.Integer({ format: 'int64', description })
const moment = (description: string) => Type.String({ description })

export const MaintenanceRunBody = Type.Object(
  {
    started_at: moment('When it began.'),
    finished_at: moment('When it ended.'),
    stage: Type.String({ description: '`done`, or the step that failed.' }),
    before_bytes: bytes('What the store took before.'),
    after_bytes: bytes('What it takes since.'),
    duration_s: Type.Number({ format: 'double' }),
    snapshot_path: Type.Optional(Type.String({ description: 'A copy made first; this store needs none.' })),
    err: Type.Optional(Type.String({ description: 'Why it failed.' })),
  },
  { $id: 'MaintenanceRunBody', additionalProperties: false },
)
export type MaintenanceRunBody = Static<typeof MaintenanceRunBody>

export const MaintenanceStatusBody = Type.Object(
  {
    enabled: Type.Boolean({ description: 'Whether it runs by itself.' }),
    interval_seconds: Type.Integer({ format: 'int64', description: 'How often it does.' }),
    in_flight: Type.Boolean({ description: 'Whether it runs now.' }),
    in_flight_start: Type.Optional(moment('When the present run began.')),
    last_run: Type.Optional(MaintenanceRunBody),
    next_scheduled: Type.Optional(moment('When it runs next by itself.')),
    history: Type.Array(MaintenanceRunBody, { description: 'The last runs, the newest first.' }),
  },
  { $id: 'MaintenanceStatusBody', additionalProperties: false },
)
export type MaintenanceStatusBody = Static<typeof MaintenanceStatusBody>

export const MaintenanceTriggerBody = Type.Object(
  {
    accepted: Type.Boolean(),
    started_at: Type.Optional(moment('When the run began.')),
    run: Type.Optional(MaintenanceRunBody),
  },
  { $id: 'MaintenanceTriggerBody', additionalProperties: false },
)
export type MaintenanceTriggerBody = Static<typeof MaintenanceTriggerBody>
