import { delimiter, join } from 'node:path'
import { identityOf } from '../sessions/metadata.ts'
import type { SessionRow } from '../sessions/table.ts'

/** Variables of the supervisor that sessions inherit: the user's identity and locale, and keys of model providers. */
const INHERITED = new Set(
  `HOME USER LOGNAME SHELL LANG LANGUAGE TZ TMPDIR PATH SSH_AUTH_SOCK SSL_CERT_FILE SSL_CERT_DIR NODE_EXTRA_CA_CERTS
   HTTP_PROXY HTTPS_PROXY NO_PROXY ALL_PROXY http_proxy https_proxy no_proxy all_proxy
   GITHUB_TOKEN GH_TOKEN GIT_AUTHOR_NAME GIT_AUTHOR_EMAIL GIT_COMMITTER_NAME GIT_COMMITTER_EMAIL`.split(/\s+/),
)
const INHERITED_PREFIXES =
  /^(LC_|XDG_|ANTHROPIC_|CLAUDE_CONFIG_DIR$|OPENAI_|CODEX_HOME$|GEMINI_|GOOGLE_|XAI_|KIMI_|KIRO_|CURSOR_|COPILOT_|AMP_|GROQ_|CEREBRAS_|AWS_|AZURE_|VERTEX)/

/** What sessions need to know of their city and supervisor. */
export interface CityEnvironment {
  readonly city: string
  /** The city's folder. */
  readonly path: string
  /** `$GC_HOME`. */
  readonly home: string
  /** The URL of the supervisor. */
  url(): string
  /** The gc binary. */
  readonly bin: string
  /** The supervisor's own environment. */
  readonly env: Readonly<Record<string, string | undefined>>
}

const DEFAULT_PATH = '/usr/local/bin:/usr/bin:/bin'

/** A PATH on which `gc` and `bd` are this program. */
const searchPath = ({ home }: CityEnvironment, path = DEFAULT_PATH): string => [join(home, 'bin'), path].join(delimiter)

/** The environment of commands that a city runs: the supervisor's own, with `gc` and `bd` on the PATH. */
export const commandEnvironment = (environment: CityEnvironment): Readonly<Record<string, string | undefined>> => ({
  ...environment.env,
  PATH: searchPath(environment, environment.env.PATH),
  GC_HOME: environment.home,
})

/** The environment of a session: inherited variables, declared ones, and those that identify it, which win. */
export function sessionEnvironment(
  row: SessionRow,
  environment: CityEnvironment,
  declared: Readonly<Record<string, string>>,
  more: { token: string; rigPath: string | undefined },
): Record<string, string> {
  const inherited = inheritedVariables(environment.env)
  return {
    ...inherited,
    TERM: 'xterm-256color',
    COLORTERM: 'truecolor',
    ...declared,
    PATH: searchPath(environment, declared.PATH ?? inherited.PATH),
    ...identityVariables(row, environment),
    ...(row.rig && { GC_RIG: row.rig }),
    ...(more.rigPath && { GC_RIG_ROOT: more.rigPath }),
    GC_TOKEN: more.token,
  }
}

function identityVariables(row: SessionRow, environment: CityEnvironment): Record<string, string> {
  const name = identityOf(row)
  return {
    GC_URL: environment.url(),
    GC_HOME: environment.home,
    GC_BIN: environment.bin,
    GC_CITY: environment.path,
    GC_CITY_NAME: environment.city,
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

function inheritedVariables(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const passed: Record<string, string> = {}
  for (const [name, value] of Object.entries(env)) {
    if (value !== undefined && (INHERITED.has(name) || INHERITED_PREFIXES.test(name))) passed[name] = value
  }
  return passed
}
