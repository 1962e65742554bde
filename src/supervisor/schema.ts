import { type Static, Type } from '@sinclair/typebox'

export const SupervisorStartup = Type.Object(
  {
    ready: Type.Boolean({ description: 'True if the first city takes requests.' }),
    phase: Type.Optional(Type.String({ description: 'Phase of the first city; `running` when it is up.' })),
    phases_completed: Type.Optional(Type.Array(Type.String(), { description: 'The start-up steps already done.' })),
  },
  { $id: 'SupervisorStartup', additionalProperties: false },
)
export type SupervisorStartup = Static<typeof SupervisorStartup>

export const SupervisorHealth = Type.Object(
  {
    status: Type.String({ description: '`ok`, or `failed: ` and which stores of running cities take no more writes.' }),
    version: Type.String(),
    build_id: Type.Optional(Type.String({ description: 'The commit this program was built from.' })),
    uptime_sec: Type.Integer(),
    cities_total: Type.Integer(),
    cities_running: Type.Integer(),
    packs_lock_sha256: Type.Optional(Type.String({ description: 'Fingerprint of the installed packs.' })),
    startup: Type.Optional(SupervisorStartup),
  },
  { $id: 'SupervisorHealthOutputBody', additionalProperties: false },
)
export type SupervisorHealth = Static<typeof SupervisorHealth>

export const CityInfo = Type.Object(
  {
    name: Type.String(),
    path: Type.String({ description: 'The folder the city lives in.' }),
    running: Type.Boolean({ description: 'True if its routes answer.' }),
    status: Type.Optional(
      Type.String({ description: 'The start-up step it is in, `init_failed`, `stopping` or `stopped`.' }),
    ),
    error: Type.Optional(
      Type.String({
        description: 'Reason it could not be started or was stopped, or why its writes fail.',
      }),
    ),
    phases_completed: Type.Optional(Type.Array(Type.String())),
  },
  { $id: 'CityInfo', additionalProperties: false },
)
export type CityInfo = Static<typeof CityInfo>

export const SupervisorCities = Type.Object(
  { items: Type.Array(CityInfo), total: Type.Integer() },
  { $id: 'SupervisorCitiesOutputBody', additionalProperties: false },
)
export type SupervisorCities = Static<typeof SupervisorCities>

export const CityCreate = Type.Object(
  {
    dir: Type.String({ minLength: 1, description: 'Absolute path of the folder to make the city in.' }),
    provider: Type.Optional(
      Type.String({ minLength: 1, description: 'Preset its agents run by default, such as `claude`.' }),
    ),
    start_command: Type.Optional(
      Type.String({ description: 'Command its agents run by default, instead of a preset.' }),
    ),
    bootstrap_profile: Type.Optional(
      Type.Union(
        [
          Type.Literal('k8s-cell'),
          Type.Literal('kubernetes'),
          Type.Literal('kubernetes-cell'),
          Type.Literal('single-host-compat'),
        ],
        { description: 'Folder of the city.' },
      ),
    ),
  },
  { $id: 'CityCreateRequest', additionalProperties: false },
)
export type CityCreate = Static<typeof CityCreate>

export const CityRegister = Type.Object(
  {
    path: Type.String({ minLength: 1, description: 'A folder that holds a city already.' }),
    name: Type.Optional(Type.String({ minLength: 1, description: 'Name to register it under, instead of its own.' })),
  },
  { $id: 'CityRegisterBody', additionalProperties: false },
)
export type CityRegister = Static<typeof CityRegister>

const Host = Type.Object(
  {
    pid: Type.Integer(),
    build: Type.String({ description: 'The program it runs.' }),
    sessions: Type.Integer({ description: 'Number of its sessions.' }),
    no_cgroup: Type.Optional(
      Type.String({ description: 'Reason its sessions have no cgroup; absent where they have.' }),
    ),
    no_share: Type.Optional(
      Type.String({ description: 'Reason their cgroups do not enforce all shares; absent if they do.' }),
    ),
  },
  { $id: 'SessionHost', additionalProperties: false },
)

export const HostStatus = Type.Object(
  {
    items: Type.Array(Host, { description: 'The one that takes new sessions first; others end with their last one.' }),
    total: Type.Integer(),
  },
  { $id: 'HostStatusBody', additionalProperties: false },
)
export type HostStatus = Static<typeof HostStatus>

export const Stop = Type.Object(
  { sessions: Type.Optional(Type.Boolean({ description: 'True to stop every session and the host as well.' })) },
  { $id: 'StopBody', additionalProperties: false },
)
export type Stop = Static<typeof Stop>
