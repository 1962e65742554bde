import { constantOf } from './constants.ts'
import { formatDuration } from './keys/key.ts'

const IDLE = formatDuration(constantOf('src/host/server/host-process.ts', 'IDLE_MS'))
const UNATTENDED = formatDuration(constantOf('src/host/server/main.ts', 'UNATTENDED_MS'))

/** The variables that gc reads, which you set. */
export const READ: Readonly<Record<string, string>> = {
  GC_HOME: 'Folder of the supervisor’s own files; default: `~/.gc`.',
  GC_URL: 'Address of the supervisor; default: the one of this machine.',
  GC_PORT: `Port of a supervisor that gc starts; default: ${constantOf('src/client/home.ts', 'DEFAULT_PORT')}.`,
  GC_TOKEN: 'Token that commands send; default: the operator’s in `GC_HOME`, on this machine.',
  GC_CITY: 'City to work in: its name or folder.',
  GC_RIG: 'Rig to work in.',
  GC_NO_AUTOSTART: 'Any value keeps commands from starting a supervisor.',
  GC_PROTOCOL_ONLY: 'Any value makes gc reject options that need your approval, on commands that do not.',
  GC_COMPLETION_MS: `Time limit of a completion in milliseconds; default: ${constantOf('cli/completion/completion.ts', 'DEADLINE_MS')}.`,
  GC_SOCIAL_URL: 'Address of the network of agents.',
  GC_SOCIAL_KEY: 'Key of the agent to act as on the network.',
  GC_SOCIAL_KEY_FILE: 'File with that key.',
  NO_COLOR: 'Any value turns colours off.',
  NO_MOUSE: 'Any value leaves the mouse to the terminal.',
  BD_JSON_ENVELOPE: '`1` puts the JSON of `bd` into an envelope.',
  GC_SESSION: 'Backend of sessions in Gas City; gc only checks that it asks for nothing else.',
  GC_SESSION_CGROUP: '`off` keeps the session host from using control groups.',
  GC_HOST_IDLE_TIMEOUT: `Time after which a session host without sessions and supervisor exits; default: \`${IDLE}\`.`,
  GC_UNATTENDED_TIMEOUT: `Time for which sessions continue without a supervisor; default: \`${UNATTENDED}\`.`,
}

/** The variables that gc sets, by the programs that get them. */
export const SET: readonly (readonly [programs: string, variables: Readonly<Record<string, string>>])[] = [
  [
    'sessions, and commands, orders, checks and services of a city',
    {
      GC_URL: 'Address of the supervisor.',
      GC_HOME: 'Folder of the supervisor’s own files.',
      GC_BIN: 'Path of the program `gc`.',
      GC_TOKEN: 'Token of the session or command.',
      GC_CITY: 'Folder of the city; `GC_CITY_PATH` is the same.',
      GC_CITY_PATH: 'Folder of the city.',
      GC_CITY_NAME: 'Name of the city.',
      GC_CITY_RUNTIME_DIR: 'Folder for state of programs of the city.',
      GC_RIG: 'Rig of the session or order.',
      GC_RIG_ROOT: 'Folder of that rig.',
      GC_PACK_DIR: 'Folder of the pack.',
      GC_PACK_NAME: 'Name of the pack.',
      GC_PACK_STATE_DIR: 'Folder for state of the pack.',
    },
  ],
  [
    'sessions',
    {
      GC_AGENT: 'Name of the session.',
      GC_TEMPLATE: 'Agent that the session runs.',
      GC_ALIAS: 'Alias of the session, or its name.',
      GC_SESSION_ID: 'Id of the session.',
      GC_SESSION_NAME: 'Long name of the session.',
      GC_SESSION_ORIGIN: 'What started the session.',
      GC_PROVIDER: 'Provider of its program.',
      GC_DIR: 'Folder that the session works in.',
      GC_TRIGGER_BEAD_ID: 'Bead that the session was started for.',
      GC_STARTUP_PROMPT_DELIVERED: 'Set if the program got its first prompt as an argument.',
      GC_SOCIAL_NAME: 'Name of the agent on the network.',
    },
  ],
  [
    'orders',
    {
      GC_STORE_ROOT: 'Folder of the city or rig.',
      GC_STORE_SCOPE: '`city` or `rig`.',
      GC_BEADS_PREFIX: 'First part of the ids of its beads.',
      GC_API_BASE_URL: 'Address of the supervisor.',
      GC_WEBHOOK_ARG_REF: 'An argument of the order, here `ref`; each has a variable of its own.',
    },
  ],
  [
    'checks of steps and landings',
    {
      GC_BEAD_ID: 'Bead of the attempt.',
      GC_ITERATION: 'Number of the attempt.',
      GC_MAX_ITERATIONS: 'Maximum attempts.',
      GC_WISP_ID: 'Root bead of the run.',
      GC_WORK_DIR: 'Folder that the step was worked on in.',
      GC_STORE_PATH: 'Folder of the city or rig.',
      GC_MOLECULE_DIR: 'Folder of the run.',
      GC_ARTIFACT_DIR: 'Folder for files of the attempt.',
      GC_LANDING_COMMIT: 'Commit that a landing checks.',
    },
  ],
  [
    'services',
    {
      GC_SERVICE_NAME: 'Name of the service.',
      GC_SERVICE_SOCKET: 'Unix socket on which it serves HTTP.',
      GC_SERVICE_STATE_ROOT: 'Folder for its state.',
      GC_SERVICE_SECRETS_DIR: 'Folder for its secrets.',
      GC_SERVICE_RUN_ROOT: 'Folder for files of one run.',
      GC_SERVICE_URL_PREFIX: 'Start of its paths.',
      GC_SERVICE_PUBLIC_URL: 'Public address of a direct service.',
      GC_SERVICE_VISIBILITY: 'Audience of the service.',
      GC_PUBLISHED_SERVICES_DIR: 'Folder with the addresses of all services.',
    },
  ],
]

export const environmentSection = (): string => `## Environment variables

${list(READ)}

gc sets these for the programs that it starts.

${SET.map(([programs, variables]) => `### For ${programs}\n\n${list(variables)}`).join('\n\n')}
`

const list = (variables: Readonly<Record<string, string>>): string =>
  Object.entries(variables)
    .map(([name, about]) => `- \`${name}\`: ${about}`)
    .join('\n')
