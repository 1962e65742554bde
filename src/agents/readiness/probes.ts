import { join } from 'node:path'
import { asObject, asString, isObject, parseJson } from '../../programs/entries/json.ts'
import { BUILTINS, PRESETS } from '../../programs/presets.ts'
import type { ProgramInspector } from './inspector.ts'

/** The result of probing a program. */
export interface ProbeResult {
  readonly status: 'configured' | 'needs_auth' | 'not_installed' | 'invalid_configuration' | 'probe_error'
  readonly detail?: string
}

/** How the readiness of one program is determined. */
export interface Probe {
  readonly kind: 'provider' | 'tool'
  readonly displayName: string
  /** The program that must be installed. */
  readonly program: string
  /** The line that installs it. */
  readonly install?: string
  /** Determines whether the installed program is ready for use. */
  check(inspector: ProgramInspector): Promise<ProbeResult> | ProbeResult
}

const configured: ProbeResult = { status: 'configured' }
const needsAuth = (detail: string): ProbeResult => ({ status: 'needs_auth', detail })
const invalid = (detail: string): ProbeResult => ({ status: 'invalid_configuration', detail })

async function claude(inspector: ProgramInspector): Promise<ProbeResult> {
  const result = await inspector.run(['claude', 'auth', 'status', '--json'])
  if (result.timedOut) return { status: 'probe_error', detail: '`claude auth status` did not answer in time' }
  const status = parseJson(result.stdout)
  if (!isObject(status)) return { status: 'probe_error', detail: '`claude auth status --json` did not print JSON' }
  if (status.loggedIn !== true) return needsAuth('run `claude auth login`')
  if (status.apiProvider !== 'firstParty')
    return invalid(`it uses ${asString(status.apiProvider) ?? 'another provider'}`)
  if (status.authMethod === 'claude.ai' || status.authMethod === 'oauth_token') return configured
  return invalid(`it is logged in by ${asString(status.authMethod) ?? 'other means'}, not with a Claude account`)
}

function codex(inspector: ProgramInspector): ProbeResult {
  const auth = inspector.readJson(join(inspector.env.CODEX_HOME || join(inspector.home, '.codex'), 'auth.json'))
  if (auth === undefined) return needsAuth('run `codex login`')
  if (!isObject(auth)) return invalid('~/.codex/auth.json is not JSON')
  if (auth.auth_mode !== 'chatgpt') return invalid('it is not logged in with a ChatGPT account')
  const tokens = asObject(auth.tokens)
  return asString(tokens.refresh_token) || asString(tokens.access_token) ? configured : needsAuth('run `codex login`')
}

function gemini(inspector: ProgramInspector): ProbeResult {
  const folder = join(inspector.env.GEMINI_CLI_HOME || inspector.home, '.gemini')
  const settings = inspector.readJson(join(folder, 'settings.json'))
  if (settings === undefined) return needsAuth('run `gemini` and log in')
  if (!isObject(settings)) return invalid('~/.gemini/settings.json is not JSON')
  const authType = asString(asObject(asObject(settings.security).auth).selectedType)
  if (authType === undefined) return needsAuth('run `gemini` and log in')
  if (authType !== 'oauth-personal') return invalid(`it logs in by ${authType}, not with a Google account`)
  const credentials = asObject(inspector.readJson(join(folder, 'oauth_creds.json')))
  return asString(credentials.refresh_token) ? configured : needsAuth('run `gemini` and log in again')
}

async function github(inspector: ProgramInspector): Promise<ProbeResult> {
  if (inspector.env.GH_TOKEN || inspector.env.GITHUB_TOKEN) return configured
  const folder =
    inspector.env.GH_CONFIG_DIR || join(inspector.env.XDG_CONFIG_HOME || join(inspector.home, '.config'), 'gh')
  if (/oauth_token:\s*\S/.test(inspector.readFile(join(folder, 'hosts.yml')) ?? '')) return configured
  const result = await inspector.run(['gh', 'auth', 'status'])
  if (result.timedOut) return { status: 'probe_error', detail: '`gh auth status` did not answer in time' }
  return result.code === 0 ? configured : needsAuth('run `gh auth login`')
}

const whenFileExists =
  (paths: readonly string[], how: string) =>
  (inspector: ProgramInspector): ProbeResult =>
    paths.some((path) => inspector.readFile(join(inspector.home, path)) !== undefined) ? configured : needsAuth(how)

/** The probes of programs whose login can be told. */
const OWN_PROBES: Readonly<Record<string, Probe>> = {
  claude: { kind: 'provider', displayName: 'Claude Code', program: 'claude', check: claude },
  codex: { kind: 'provider', displayName: 'Codex', program: 'codex', check: codex },
  gemini: { kind: 'provider', displayName: 'Gemini CLI', program: 'gemini', check: gemini },
  antigravity: {
    kind: 'provider',
    displayName: 'Antigravity',
    program: 'agy',
    check: whenFileExists(
      ['.gemini/antigravity-cli/antigravity-oauth-token', '.gemini/antigravity/oauth_creds.json'],
      'run `agy` and log in',
    ),
  },
  mimocode: {
    kind: 'provider',
    displayName: 'MiMo Code',
    program: 'mimo',
    check: (inspector) =>
      inspector.env.XIAOMI_API_KEY
        ? configured
        : whenFileExists(
            ['.local/share/mimocode/auth.json'],
            'run `mimo auth login`, or set XIAOMI_API_KEY',
          )(inspector),
  },
  pi: {
    kind: 'provider',
    displayName: 'Pi Coding Agent',
    program: 'pi',
    check: whenFileExists(['.pi/agent/auth.json'], 'run `pi` and log in'),
  },
  github_cli: { kind: 'tool', displayName: 'GitHub CLI', program: 'gh', check: github },
}

/** A preset whose login cannot be told from outside: its program says so itself when it needs one. */
const installedIsReady = (name: string): Probe => {
  const { displayName = name, command = name } = BUILTINS.get(name) ?? {}
  const login = PRESETS.get(name)?.login
  const detail = login && `its login shows only in the program; if it asks for one: ${login}`
  const result: ProbeResult = { ...configured, ...(detail !== undefined && { detail }) }
  return { kind: 'provider', displayName, program: command, check: () => result }
}

/** A login that gc cannot use, with the line for another. */
const withLogin =
  ({ check }: Probe, login: string | undefined): Probe['check'] =>
  async (inspector) => {
    const result = await check(inspector)
    if (result.status !== 'invalid_configuration' || login === undefined) return result
    return { ...result, detail: `${result.detail}; to log in otherwise: ${login}` }
  }

/** The probes of every preset and tool, each with the line that installs it. */
export const PROBES: ReadonlyMap<string, Probe> = new Map(
  [...new Set([...Object.keys(OWN_PROBES), ...BUILTINS.keys()])].map((name) => {
    const install = name === 'github_cli' ? 'see https://cli.github.com' : PRESETS.get(name)?.install
    const probe = OWN_PROBES[name] ?? installedIsReady(name)
    const check = withLogin(probe, PRESETS.get(name)?.login)
    return [name, { ...probe, check, ...(install !== undefined && { install }) }] as const
  }),
)
