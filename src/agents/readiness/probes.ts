import { join } from 'node:path'
import { type Check, configured, type Inspector, needsAuth, type ProbeResult } from '../../programs/parts/index.ts'
import { PRESETS } from '../../programs/presets.ts'
import type { Obstacle, ProgramPreset } from '../../programs/program.ts'
import { presetObstacle } from './obstacles.ts'

/** The readiness check of one program. */
export interface Probe {
  readonly kind: 'provider' | 'tool'
  readonly displayName: string
  /** The program that must be installed. */
  readonly program: string
  /** The line that installs it. */
  readonly install: string
  readonly check: Check
  /** The obstacle between the program and gc, as it is started by default. */
  readonly obstacle?: (inspector: Inspector) => Promise<Obstacle | undefined>
}

async function github(inspector: Inspector): Promise<ProbeResult> {
  if (inspector.env.GH_TOKEN || inspector.env.GITHUB_TOKEN) return configured
  const folder =
    inspector.env.GH_CONFIG_DIR || join(inspector.env.XDG_CONFIG_HOME || join(inspector.home, '.config'), 'gh')
  if (/oauth_token:\s*\S/.test(inspector.readFile(join(folder, 'hosts.yml')) ?? '')) return configured
  const result = await inspector.run(['gh', 'auth', 'status'])
  if (result.timedOut) return { status: 'probe_error', detail: '`gh auth status` did not answer in time' }
  return result.code === 0 ? configured : needsAuth('run `gh auth login`')
}

const GITHUB: Probe = {
  ...{ kind: 'tool', displayName: 'GitHub CLI', program: 'gh', check: github },
  install: 'see https://cli.github.com',
}

const whenFileExists =
  ({ files, variable, otherwise }: NonNullable<ProgramPreset['loggedIn']>): Check =>
  (inspector) => {
    const isKeyed = variable !== undefined && Boolean(inspector.env[variable])
    const isThere = (path: string) => inspector.readFile(join(inspector.home, path)) !== undefined
    return isKeyed || files.some(isThere) ? configured : needsAuth(otherwise)
  }

/** A preset whose login cannot be told from outside: its program asks for one itself. */
const installedIsReady = (login: string): Check => {
  const detail = `its login shows only in the program; if it asks for one: ${login}`
  return () => ({ ...configured, detail })
}

/** A login that gc cannot use, with the line for another. */
const withLogin =
  (check: Check, login: string): Check =>
  async (inspector): Promise<ProbeResult> => {
    const result = await check(inspector)
    if (result.status !== 'invalid_configuration') return result
    return { ...result, detail: `${result.detail}; to log in otherwise: ${login}` }
  }

function probeOf(name: string, { provider, probe, loggedIn, install, login }: ProgramPreset): Probe {
  const check = probe?.check ?? (loggedIn ? whenFileExists(loggedIn) : installedIsReady(login))
  return {
    kind: 'provider',
    displayName: probe?.displayName ?? provider.displayName ?? name,
    program: provider.command ?? name,
    install,
    check: withLogin(check, login),
    obstacle: (inspector) => presetObstacle(name, inspector),
  }
}

/** The probes of every preset and tool. */
export const PROBES: ReadonlyMap<string, Probe> = new Map([
  ...[...PRESETS].map(([name, preset]) => [name, probeOf(name, preset)] as const),
  ['github_cli', GITHUB],
])

/** The programs whose login can be checked, which are probed unless others are named. */
export const DEFAULT_PROVIDERS: readonly string[] = [...PRESETS].flatMap(([name, { probe }]) => (probe ? name : []))
export const DEFAULT_ITEMS: readonly string[] = [...DEFAULT_PROVIDERS, 'github_cli']
