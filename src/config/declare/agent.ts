import { dirname, join } from 'node:path'
import type { AgentConfig, AgentDefaults, WorkspaceConfig } from '../city-config.ts'
import type { FileSnapshot } from '../file-snapshot.ts'
import { qualify } from '../names.ts'
import { PROMPT_MODES } from '../providers/provider.ts'
import type { Reader } from './section-reader.ts'

/** A pool is listed by its places; more of them than a machine could run are a slip of the pen. */
const MOST_SESSIONS = 1000

/** What an agent's sessions may be allowed beyond their own work. */
export const MAY = ['respond', 'budgets', 'tokens'] as const

const MINUTE = 60_000

/** What an agent falls back to where it says nothing. */
export interface Fallbacks {
  readonly workspace: WorkspaceConfig
  readonly defaults: AgentDefaults
}

/** One agent as its own table declares it; caps and references are looked at by whoever knows the others. */
export function readAgent(
  at: Reader,
  known: { name: string; origin: AgentConfig['origin']; prompt?: string },
  sources: FileSnapshot,
  fallbacks: Fallbacks,
): AgentConfig {
  const dir = at.text('dir')
  const spec: AgentConfig = {
    ...known,
    dir,
    qualified: qualify(dir, known.name),
    file: at.file,
    description: at.text('description'),
    scope: at.oneOf('scope', ['city', 'rig']),
    suspended: at.flag('suspended') ?? false,
    may: may(at),
    ...launch(at, fallbacks),
    prompt: readPrompt(at, sources) ?? known.prompt,
    ...scaling(at, sources),
    ...lifetime(at),
    ...routing(at, fallbacks.defaults),
    ...setup(at, fallbacks.defaults),
  }
  at.keep('skills', 'mcp', 'mouse_mode', 'hooks_installed', 'assigned_work_defer_limit')
  at.end()
  return spec
}

/** What runs: its own command, else its own provider, else what it falls back to. */
function launch(at: Reader, { workspace, defaults }: Fallbacks) {
  const command = at.text('start_command')
  const own = at.text('provider')
  const provider = own ?? (command ? undefined : (defaults.provider ?? workspace.provider))
  const promptMode = at.oneOf('prompt_mode', PROMPT_MODES)
  const promptFlag = at.text('prompt_flag')
  if (promptMode === 'flag' && !promptFlag) at.wrong('prompt_flag', 'is required when prompt_mode is "flag"')
  return {
    provider,
    startCommand: command ?? (provider ? undefined : workspace.startCommand),
    args: at.texts('args') ?? [],
    env: at.map('env') ?? {},
    optionDefaults: at.map('option_defaults') ?? {},
    upstream: at.text('upstream') ?? defaults.upstream,
    workDir: at.text('work_dir'),
    worktree: worktree(at),
    promptMode,
    promptFlag,
    session: at.text('session'),
  }
}

/** A worktree is one of the repository that the agent's rig is. */
function worktree(at: Reader): boolean {
  const wanted = at.flag('worktree') ?? false
  if (wanted && !at.text('dir')) at.wrong('worktree', 'needs dir, the rig whose repository it is a worktree of')
  if (wanted && at.text('work_dir') !== undefined) at.wrong('worktree', 'and work_dir cannot both say where it works')
  return wanted
}

function scaling(at: Reader, sources: FileSnapshot) {
  const minActive = at.whole('min_active_sessions', 0, MOST_SESSIONS) ?? 0
  const declared = at.whole('max_active_sessions', -1, MOST_SESSIONS)
  const maxActive = declared === undefined || declared < 0 ? undefined : declared
  if (maxActive !== undefined && minActive > maxActive) {
    at.wrong('min_active_sessions', `${minActive} is more than max_active_sessions, ${maxActive}`)
  }
  const namepool = readNamepool(at, sources)
  if (namepool.length > 0 && maxActive === undefined) {
    at.warn('namepool', 'names are given out only when max_active_sessions is set')
  }
  return { minActive, maxActive, namepool, scaleCheck: at.text('scale_check') }
}

function lifetime(at: Reader) {
  return {
    lifecycle: at.oneOf('lifecycle', ['one_shot']),
    wakeMode: at.oneOf('wake_mode', ['resume', 'fresh']) ?? ('resume' as const),
    attach: at.flag('attach') ?? true,
    drainTimeout: at.span('drain_timeout') ?? 5 * MINUTE,
    idleTimeout: at.span('idle_timeout'),
    sleepAfterIdle: at.text('sleep_after_idle') === 'off' ? undefined : at.span('sleep_after_idle'),
    maxSessionAge: at.span('max_session_age'),
    maxSessionAgeJitter: at.span('max_session_age_jitter'),
  }
}

function routing(at: Reader, defaults: AgentDefaults) {
  return {
    workQuery: at.text('work_query'),
    slingQuery: at.text('sling_query'),
    defaultSlingFormula: at.text('default_sling_formula') ?? defaults.defaultSlingFormula,
    dependsOn: at.texts('depends_on') ?? [],
    nudge: at.text('nudge'),
  }
}

function setup(at: Reader, defaults: AgentDefaults) {
  return {
    resumeCommand: at.text('resume_command'),
    sessionAlias: at.text('tmux_alias'),
    onBoot: at.text('on_boot'),
    onDeath: at.text('on_death'),
    preStart: at.texts('pre_start') ?? [],
    sessionSetup: at.texts('session_setup') ?? [],
    sessionSetupScript: at.text('session_setup_script'),
    sessionLive: at.texts('session_live') ?? [],
    overlayDir: at.text('overlay_dir'),
    installAgentHooks: at.texts('install_agent_hooks') ?? [],
    injectFragments: at.texts('inject_fragments') ?? [],
    appendFragments: at.texts('append_fragments') ?? defaults.appendFragments,
    injectAssignedSkills: at.flag('inject_assigned_skills') ?? true,
  }
}

function may(at: Reader): string[] {
  const asked = at.texts('may') ?? []
  for (const one of asked) {
    if (!MAY.some((known) => known === one)) at.wrong('may', `"${one}" is not one of ${MAY.join(', ')}`)
  }
  return asked
}

/** A path of an agent's table: beside its file, or from the city when it begins with `//`. */
const beside = (at: Reader, path: string): string =>
  path.startsWith('//') ? path.slice(2) : join(path.startsWith('/') ? '' : dirname(at.file), path)

function readPrompt(at: Reader, sources: FileSnapshot): string | undefined {
  const path = at.text('prompt_template')
  if (path === undefined) return undefined
  const text = sources.text(beside(at, path))
  if (text === undefined) at.wrong('prompt_template', `there is no file ${beside(at, path)}`)
  return text
}

/** Names for the instances of a pool: a list, or a file with one on each line. */
function readNamepool(at: Reader, sources: FileSnapshot): string[] {
  const node = at.raw('namepool')
  if (node?.kind === 'array') return at.texts('namepool') ?? []
  const path = at.text('namepool')
  if (path === undefined) return []
  const text = sources.text(beside(at, path))
  if (text === undefined) at.wrong('namepool', `there is no file ${beside(at, path)}`)
  const lines = (text ?? '').split(/\r?\n/).map((line) => line.trim())
  return lines.filter((line) => line !== '' && !line.startsWith('#'))
}
