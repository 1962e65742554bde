import { join } from 'node:path'
import { asObject, asString, isObject } from '../conversations/entries/json.ts'
import type { Look } from './inspector.ts'

/** What was found out about a program. */
export interface Finding {
  readonly status: 'configured' | 'needs_auth' | 'not_installed' | 'invalid_configuration' | 'probe_error'
  readonly detail?: string
}

/** How one program is looked at. */
export interface Probe {
  readonly kind: 'provider' | 'tool'
  readonly displayName: string
  /** The program that has to be there. */
  readonly program: string
  /** Looks whether it is ready for use; it is known to be installed. */
  check(look: Look): Promise<Finding> | Finding
}

const configured: Finding = { status: 'configured' }
const needsAuth = (detail: string): Finding => ({ status: 'needs_auth', detail })
const invalid = (detail: string): Finding => ({ status: 'invalid_configuration', detail })

async function claude(look: Look): Promise<Finding> {
  const ran = await look.run(['claude', 'auth', 'status', '--json'])
  if (ran.late) return { status: 'probe_error', detail: '`claude auth status` did not answer in time' }
  const said = look.parse(ran.out)
  if (!isObject(said)) return { status: 'probe_error', detail: '`claude auth status --json` did not print JSON' }
  if (said.loggedIn !== true) return needsAuth('run `claude auth login`')
  if (said.apiProvider !== 'firstParty') return invalid(`it uses ${asString(said.apiProvider) ?? 'another provider'}`)
  if (said.authMethod === 'claude.ai' || said.authMethod === 'oauth_token') return configured
  return invalid(`it is logged in by ${asString(said.authMethod) ?? 'other means'}, not with a Claude account`)
}

function codex(look: Look): Finding {
  const auth = look.json(join(look.env.CODEX_HOME || join(look.home, '.codex'), 'auth.json'))
  if (auth === undefined) return needsAuth('run `codex login`')
  if (!isObject(auth)) return invalid('~/.codex/auth.json is not JSON')
  if (auth.auth_mode !== 'chatgpt') return invalid('it is not logged in with a ChatGPT account')
  const tokens = asObject(auth.tokens)
  return asString(tokens.refresh_token) || asString(tokens.access_token) ? configured : needsAuth('run `codex login`')
}

function gemini(look: Look): Finding {
  const folder = join(look.home, '.gemini')
  const settings = look.json(join(folder, 'settings.json'))
  if (settings === undefined) return needsAuth('run `gemini` and log in')
  if (!isObject(settings)) return invalid('~/.gemini/settings.json is not JSON')
  const chosen = asString(asObject(asObject(settings.security).auth).selectedType)
  if (chosen === undefined) return needsAuth('run `gemini` and log in')
  if (chosen !== 'oauth-personal') return invalid(`it logs in by ${chosen}, not with a Google account`)
  const credentials = asObject(look.json(join(folder, 'oauth_creds.json')))
  return asString(credentials.refresh_token) ? configured : needsAuth('run `gemini` and log in again')
}

async function github(look: Look): Promise<Finding> {
  if (look.env.GH_TOKEN || look.env.GITHUB_TOKEN) return configured
  const folder = look.env.GH_CONFIG_DIR || join(look.env.XDG_CONFIG_HOME || join(look.home, '.config'), 'gh')
  if (/oauth_token:\s*\S/.test(look.file(join(folder, 'hosts.yml')) ?? '')) return configured
  const ran = await look.run(['gh', 'auth', 'status'])
  if (ran.late) return { status: 'probe_error', detail: '`gh auth status` did not answer in time' }
  return ran.code === 0 ? configured : needsAuth('run `gh auth login`')
}

const whenThere =
  (paths: readonly string[], how: string) =>
  (look: Look): Finding =>
    paths.some((path) => look.file(join(look.home, path)) !== undefined) ? configured : needsAuth(how)

/** Every program that can be asked about. */
export const PROBES: ReadonlyMap<string, Probe> = new Map(
  Object.entries<Probe>({
    claude: { kind: 'provider', displayName: 'Claude Code', program: 'claude', check: claude },
    codex: { kind: 'provider', displayName: 'Codex', program: 'codex', check: codex },
    gemini: { kind: 'provider', displayName: 'Gemini CLI', program: 'gemini', check: gemini },
    antigravity: {
      kind: 'provider',
      displayName: 'Antigravity',
      program: 'agy',
      check: whenThere(
        ['.gemini/antigravity-cli/antigravity-oauth-token', '.gemini/antigravity/oauth_creds.json'],
        'run `agy` and log in',
      ),
    },
    mimocode: {
      kind: 'provider',
      displayName: 'MiMo Code',
      program: 'mimo',
      check: (look) =>
        look.env.XIAOMI_API_KEY
          ? configured
          : whenThere(['.local/share/mimocode/auth.json'], 'run `mimo auth login`, or set XIAOMI_API_KEY')(look),
    },
    pi: {
      kind: 'provider',
      displayName: 'Pi Coding Agent',
      program: 'pi',
      check: whenThere(['.pi/agent/auth.json'], 'run `pi` and log in'),
    },
    github_cli: { kind: 'tool', displayName: 'GitHub CLI', program: 'gh', check: github },
  }),
)
