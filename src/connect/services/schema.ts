import { type Static, Type } from '@sinclair/typebox'
import { listOf } from '../../http/schema.ts'

const closed = { additionalProperties: false } as const

export const Status = Type.Object(
  {
    service_name: Type.String({ description: 'Its name, unique in the city.' }),
    kind: Type.Optional(
      Type.String({ description: '`proxy_process`: a program of the city or a pack; `workflow`: gc itself answers.' }),
    ),
    workflow_contract: Type.Optional(Type.String({ description: 'Response of gc.' })),
    mount_path: Type.String({ description: 'Path below the address of the city.' }),
    publish_mode: Type.String({ description: '`private`, or `direct` through the public listener.' }),
    visibility: Type.Optional(Type.String({ description: 'Visibility: `private`, `tenant` or `public`.' })),
    hostname: Type.Optional(Type.String({ description: 'The label of a host name that it asks for.' })),
    state_root: Type.String({ description: 'Folder of its state, relative to the city.' }),
    url: Type.Optional(Type.String({ description: 'Address for other machines.' })),
    state: Type.Optional(Type.String({ description: '`starting`, `ready`, `degraded`, `stopping` or `stopped`.' })),
    local_state: Type.String({
      description:
        'As `state`; also `config_error` if its declaration is invalid, and `restart_failed` after too many exits.',
    }),
    publication_state: Type.String({
      description: '`private`, `direct`, or `blocked` when it cannot be reached as it asks to be.',
    }),
    reason: Type.Optional(Type.String({ description: 'Reason it is not ready, or how it is published.' })),
    allow_websockets: Type.Optional(Type.Boolean({ description: 'True if other machines may open WebSockets to it.' })),
    updated_at: Type.String({ format: 'date-time', description: 'Time of its last state change.' }),
  },
  { $id: 'Status', ...closed, description: 'A service of the city or of one of its packs.' },
)
export type Status = Static<typeof Status>

export const ServiceList = listOf(Status, 'ListBodyStatus')
export type ServiceList = Static<typeof ServiceList>

export const ServiceRestarted = Type.Object(
  {
    status: Type.String({ description: '`ok`.' }),
    action: Type.String({ description: '`restart`.' }),
    service: Type.String({ description: 'The name of the service.' }),
  },
  { $id: 'ServiceRestartOutputBody', ...closed, description: 'The service was restarted.' },
)
export type ServiceRestarted = Static<typeof ServiceRestarted>

/** Ours: the process behind a service. */
export const ServiceProcessView = Type.Object(
  {
    service: Type.String(),
    command: Type.Array(Type.String(), { description: 'Command; empty if gc itself serves it.' }),
    folder: Type.String({ description: 'The folder that it runs in.' }),
    declared_at: Type.String({ description: 'The file and line that declare it.' }),
    socket: Type.Optional(Type.String({ description: 'The Unix socket on which it speaks HTTP.' })),
    log: Type.Optional(Type.String({ description: 'The file that has what it prints.' })),
    pid: Type.Optional(Type.Integer()),
    started_at: Type.Optional(Type.String({ format: 'date-time' })),
    starts: Type.Integer({ description: 'Number of starts.' }),
    failures: Type.Integer({ description: 'Number of consecutive unexpected exits.' }),
    last_exit: Type.Optional(Type.String({ description: 'Outcome of the last run.' })),
    last_exit_at: Type.Optional(Type.String({ format: 'date-time' })),
    next_start_at: Type.Optional(Type.String({ format: 'date-time', description: 'Time of the next start.' })),
    to_do: Type.Optional(Type.String({ description: 'Fix if it is not ready.' })),
  },
  { $id: 'ServiceProcess', ...closed, description: 'The process behind a service.' },
)
export type ServiceProcessView = Static<typeof ServiceProcessView>

/** Ours: the end of what a service printed. */
export const ServiceLog = Type.Object(
  {
    text: Type.String({ description: 'The last lines.' }),
    file: Type.String({ description: 'The file that has all that is kept.' }),
    offset: Type.Integer({ description: 'Resume point of the stream.' }),
  },
  { $id: 'ServiceLog', ...closed },
)
export type ServiceLog = Static<typeof ServiceLog>

/** Ours: what a service prints now. */
export const ServiceLogFrame = Type.Object({ text: Type.String() }, { $id: 'ServiceLogFrame', ...closed })
