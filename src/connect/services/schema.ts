import { type Static, Type } from '@sinclair/typebox'
import { listOf } from '../../http/schema.ts'

const closed = { additionalProperties: false } as const

export const Status = Type.Object(
  {
    service_name: Type.String({ description: 'Its name, unique in the city.' }),
    kind: Type.Optional(
      Type.String({ description: '`proxy_process`: a program of the city or a pack; `workflow`: gc itself answers.' }),
    ),
    workflow_contract: Type.Optional(Type.String({ description: 'What gc answers with.' })),
    mount_path: Type.String({ description: 'Where it lies, below the address of the city.' }),
    publish_mode: Type.String({ description: '`private`, or `direct` through the public listener.' }),
    visibility: Type.Optional(Type.String({ description: 'Who may reach it: `private`, `tenant` or `public`.' })),
    hostname: Type.Optional(Type.String({ description: 'The label of a host name that it asks for.' })),
    state_root: Type.String({ description: 'Where it keeps its state, from the folder of the city.' }),
    url: Type.Optional(Type.String({ description: 'Where other machines reach it.' })),
    state: Type.Optional(Type.String({ description: '`starting`, `ready`, `degraded`, `stopping` or `stopped`.' })),
    local_state: Type.String({
      description:
        'The same; also `config_error` when its declaration is wrong, and `restart_failed` when it ended so often that it is not started again by itself.',
    }),
    publication_state: Type.String({
      description: '`private`, `direct`, or `blocked` when it cannot be reached as it asks to be.',
    }),
    reason: Type.Optional(Type.String({ description: 'Why it is not ready, or how it is published.' })),
    allow_websockets: Type.Optional(Type.Boolean({ description: 'Whether other machines may open WebSockets to it.' })),
    updated_at: Type.String({ format: 'date-time', description: 'When its state changed last.' }),
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
  { $id: 'ServiceRestartOutputBody', ...closed, description: 'The service was started anew.' },
)
export type ServiceRestarted = Static<typeof ServiceRestarted>

/** Ours: the process behind a service. */
export const ServiceProcessView = Type.Object(
  {
    service: Type.String(),
    command: Type.Array(Type.String(), { description: 'What runs; empty when gc itself answers.' }),
    folder: Type.String({ description: 'The folder that it runs in.' }),
    declared_at: Type.String({ description: 'The file and line that declare it.' }),
    socket: Type.Optional(Type.String({ description: 'The Unix socket on which it speaks HTTP.' })),
    log: Type.Optional(Type.String({ description: 'The file that has what it prints.' })),
    pid: Type.Optional(Type.Integer()),
    started_at: Type.Optional(Type.String({ format: 'date-time' })),
    starts: Type.Integer({ description: 'How many times it was started.' }),
    failures: Type.Integer({ description: 'How many times in a row it ended by itself.' }),
    last_exit: Type.Optional(Type.String({ description: 'How it ended last.' })),
    last_exit_at: Type.Optional(Type.String({ format: 'date-time' })),
    next_start_at: Type.Optional(Type.String({ format: 'date-time', description: 'When it is started again.' })),
    to_do: Type.Optional(Type.String({ description: 'What a person can do when it is not ready.' })),
  },
  { $id: 'ServiceProcess', ...closed, description: 'The process behind a service.' },
)
export type ServiceProcessView = Static<typeof ServiceProcessView>

/** Ours: the end of what a service printed. */
export const ServiceLog = Type.Object(
  {
    text: Type.String({ description: 'The last lines.' }),
    file: Type.String({ description: 'The file that has all that is kept.' }),
    offset: Type.Integer({ description: 'Where the stream of what follows goes on.' }),
  },
  { $id: 'ServiceLog', ...closed },
)
export type ServiceLog = Static<typeof ServiceLog>

/** Ours: what a service prints now. */
export const ServiceLogFrame = Type.Object({ text: Type.String() }, { $id: 'ServiceLogFrame', ...closed })
