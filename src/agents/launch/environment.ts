import { delimiter, join } from 'node:path'
import { CERTIFICATE_VARIABLES } from '../../host/confine/index.ts'
import { PRESETS } from '../../programs/presets.ts'
import { identityOf, type SessionRow } from '../../work/sessions/index.ts'
import type { TokenDemand } from '../confinement/index.ts'
import type { SessionAccounts } from '../network/index.ts'

/** Variables of the supervisor that sessions inherit: the user's identity and locale, and keys of model providers. */
const INHERITED = new Set(
  `HOME USER LOGNAME SHELL LANG LANGUAGE TZ TMPDIR PATH SSH_AUTH_SOCK NODE_USE_SYSTEM_CA
   HTTP_PROXY HTTPS_PROXY NO_PROXY ALL_PROXY http_proxy https_proxy no_proxy all_proxy
   GITHUB_TOKEN GH_TOKEN GIT_AUTHOR_NAME GIT_AUTHOR_EMAIL GIT_COMMITTER_NAME GIT_COMMITTER_EMAIL`
    .split(/\s+/)
    .concat(CERTIFICATE_VARIABLES),
)
const INHERITED_PATTERNS = [
  /^(?:LC_|XDG_|AWS_|AZURE_|VERTEX)/,
  ...[...PRESETS.values()].flatMap(({ inherited }) => inherited ?? []),
]

/** Facts about city and supervisor that sessions need. */
export interface CityEnvironment {
  readonly city: string
  /** The city's folder. */
  readonly path: string
  /** `$GC_HOME`. */
  readonly home: string
  /** The folders of the other cities of `$GC_HOME`. */
  otherCities?(): readonly string[]
  /** The URL of the supervisor. */
  url(): string
  /** The gc binary. */
  readonly bin: string
  /** Has the supervisor ask everybody for a token, which confinement implies. */
  readonly tokenRequirement: TokenDemand
  /** Social network accounts of agents, as sessions see them. */
  readonly network: Pick<SessionAccounts, 'variables' | 'instructions'>
  /** The supervisor's own environment. */
  readonly env: Readonly<Record<string, string | undefined>>
}

/** The pack that declares an agent. */
export interface PackVariables {
  readonly name: string
  readonly folder: string
}

const DEFAULT_PATH = '/usr/local/bin:/usr/bin:/bin'

/** A PATH on which `gc` and `bd` are this program. */
const searchPath = ({ home }: Pick<CityEnvironment, 'home'>, path = DEFAULT_PATH): string =>
  [join(home, 'bin'), path].join(delimiter)

/** The environment of commands that a city runs: the supervisor's own, with `gc` and `bd` on the PATH. */
export const commandEnvironment = (
  environment: Omit<CityEnvironment, 'network'>,
): Readonly<Record<string, string | undefined>> => ({
  ...environment.env,
  PATH: searchPath(environment, environment.env.PATH),
  GC_HOME: environment.home,
  ...cityVariables(environment),
})

/** The environment of a command that nothing is inherited by: where the city is, and `gc` and `bd` on the PATH. */
export const plainEnvironment = (environment: Omit<CityEnvironment, 'network'>): Record<string, string> => ({
  PATH: searchPath(environment, environment.env.PATH),
  TMPDIR: environment.env.TMPDIR ?? '/tmp',
  GC_URL: environment.url(),
  GC_HOME: environment.home,
  GC_BIN: environment.bin,
  ...cityVariables(environment),
})

/** The environment of a program that runs beside the agents: what sessions inherit, and where the city is. */
export const programEnvironment = (environment: Omit<CityEnvironment, 'network'>): Record<string, string> => ({
  ...inheritedVariables(environment.env, () => false),
  ...plainEnvironment(environment),
})

/**
 * The environment of a session: inherited variables, declared ones, and those that identify it, which win. Variables that
 * would log its program in as somebody else are not inherited.
 */
export function sessionEnvironment(
  row: SessionRow,
  environment: CityEnvironment,
  declared: Readonly<Record<string, string>>,
  more: {
    token: string
    rigPath: string | undefined
    pack: PackVariables
    /** True if a variable belongs to another login than that of the session. */
    isForeign(variable: string): boolean
  },
): Record<string, string> {
  const inherited = inheritedVariables(environment.env, more.isForeign)
  return {
    ...inherited,
    TERM: 'xterm-256color',
    COLORTERM: 'truecolor',
    ...declared,
    PATH: searchPath(environment, declared.PATH ?? inherited.PATH),
    ...identityVariables(row, environment),
    ...(row.rig && { GC_RIG: row.rig }),
    ...(more.rigPath && { GC_RIG_ROOT: more.rigPath }),
    ...packVariables(environment, more.pack),
    ...(row.work && { GC_TRIGGER_BEAD_ID: row.work }),
    ...environment.network.variables(row),
    GC_TOKEN: more.token,
  }
}

/** Folder of the city, under each variable that packs use. */
const cityVariables = ({ path, city }: Pick<CityEnvironment, 'path' | 'city'>): Record<string, string> => ({
  GC_CITY: path,
  GC_CITY_PATH: path,
  GC_CITY_NAME: city,
  GC_CITY_RUNTIME_DIR: runtimeFolder(path),
  GT_ROOT: path,
})

const runtimeFolder = (city: string): string => join(city, '.gc', 'runtime')

const packVariables = (environment: CityEnvironment, { name, folder }: PackVariables): Record<string, string> => ({
  GC_PACK_DIR: folder,
  GC_PACK_NAME: name,
  GC_PACK_STATE_DIR: join(runtimeFolder(environment.path), 'packs', name),
})

function identityVariables(row: SessionRow, environment: CityEnvironment): Record<string, string> {
  const name = identityOf(row)
  return {
    GC_URL: environment.url(),
    GC_HOME: environment.home,
    GC_BIN: environment.bin,
    ...cityVariables(environment),
    GC_AGENT: name,
    GC_TEMPLATE: row.template,
    GC_ALIAS: row.alias ?? (row.agentName || name),
    GC_SESSION_ID: row.id,
    GC_SESSION_NAME: row.sessionName,
    GC_SESSION_ORIGIN: row.origin,
    GC_PROVIDER: row.provider,
    GC_DIR: row.workDir,
    BEADS_ACTOR: name,
  }
}

function inheritedVariables(
  env: Readonly<Record<string, string | undefined>>,
  isForeign: (variable: string) => boolean,
): Record<string, string> {
  const passed: Record<string, string> = {}
  for (const [name, value] of Object.entries(env)) {
    if (
      value !== undefined &&
      !isForeign(name) &&
      (INHERITED.has(name) || INHERITED_PATTERNS.some((pattern) => pattern.test(name)))
    )
      passed[name] = value
  }
  return passed
}
