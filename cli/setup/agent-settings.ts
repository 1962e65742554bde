import type { FoundProgram } from '../../src/agents/readiness/index.ts'
import { resolveHome } from '../../src/client/home.ts'
import { sanitizeLine } from '../../src/client/text.ts'
import type { CityConfig } from '../../src/config/city/index.ts'
import type { ConfineMode } from '../../src/config/declare/index.ts'
import type { Project } from '../../src/config/git/index.ts'
import type { AgentSettingOptions } from '../context/options.ts'
import { failure } from '../io/exit.ts'
import type { Io } from '../io/io.ts'
import { type Choice, shownPath, type Talk } from './talk.ts'

/** The settings of a new agent: what was given, chosen, or taken as the default. */
export interface AgentSettings extends AgentSettingOptions {
  readonly provider?: string
  readonly command?: string
  readonly max?: number
}

/** The surroundings of a new agent. */
export interface AgentPlace {
  /** The folder that it works on; absent for an agent without a rig. */
  readonly project?: Project | undefined
  /** The city, as far as there is one. */
  readonly config?: Pick<CityConfig, 'providers' | 'workspace'>
  /** True if model and maximum are asked for as well. */
  readonly isDetailed: boolean
}

/** Maximum sessions of an agent unless another number is chosen. */
const DEFAULT_MAX = 1

/** Asks for each missing setting; without a person to ask, each takes its default. */
export async function settleAgent(talk: Talk, io: Io, place: AgentPlace, given: AgentSettings): Promise<AgentSettings> {
  const { config, project, isDetailed } = place
  const isNamed = given.provider !== undefined || given.command !== undefined
  const provider = isNamed ? given.provider : await chooseProgram(talk, io, config)
  const effective = given.command === undefined ? (provider ?? config?.workspace.provider) : undefined
  const worktree = given.worktree ?? (await chooseWorktree(talk, project))
  const confine = given.confine ?? (await chooseConfine(talk, io))
  const isLoose = confine === 'off'
  const permissionMode = given.permissionMode ?? (await choosePermissions(talk, effective, config, isLoose))
  const model = given.model ?? (isDetailed ? await chooseModel(talk, effective, config) : undefined)
  const max = given.max ?? (isDetailed ? await chooseMaximum(talk) : DEFAULT_MAX)
  return {
    ...given,
    ...(provider !== undefined && { provider }),
    ...(worktree !== undefined && { worktree }),
    ...(permissionMode !== undefined && { permissionMode }),
    ...(model !== undefined && { model }),
    ...{ max, confine },
  }
}

/** The keys of agent.toml for settings. */
export function declaredKeys({ provider, command, worktree, permissionMode, model, max, confine }: AgentSettings) {
  const options = {
    ...(permissionMode !== undefined && { permission_mode: permissionMode }),
    ...(model !== undefined && { model }),
  }
  return {
    ...(provider !== undefined && { provider }),
    ...(command !== undefined && { start_command: command }),
    ...(worktree !== undefined && { worktree }),
    ...(Object.keys(options).length > 0 && { option_defaults: options }),
    ...(max !== undefined && { max_active_sessions: max }),
    ...(confine !== undefined && { confine }),
  }
}

/** Fails for an agent that asks for a worktree where git cannot make one. */
export function requireRepository(worktree: boolean | undefined, project: Project | undefined): void {
  if (!worktree || project?.hasCommit) return
  const missing = project?.isRepository ? `${project.path} has no commit yet` : 'a worktree needs a rig that git tracks'
  throw failure(`${missing}; make a commit there, or give --no-worktree`)
}

/** The state of a program in a few words. */
export function programState({ isInstalled, isReady, detail, install, login }: FoundProgram): string {
  if (!isInstalled) return `not installed: ${install}`
  if (!isReady) return `not ready: ${detail ?? login}`
  return detail === undefined ? 'ready' : 'installed'
}

/** A sentence for a program that is not ready; undefined for one that is, or that gc does not know. */
export async function programLack(io: Io, name: string | undefined): Promise<string | undefined> {
  if (name === undefined) return undefined
  const { findPrograms } = await import('../../src/agents/readiness/offline.ts')
  const found = (await findPrograms(io.env)).find((each) => each.name === name)
  return found && !found.isReady ? `${found.displayName} is ${sanitizeLine(programState(found))}.` : undefined
}

/** The program that is ready, else one that is installed. */
export const preferred = (programs: readonly FoundProgram[]): FoundProgram | undefined =>
  programs.find(({ isReady, detail }) => isReady && detail === undefined) ??
  programs.find(({ isReady }) => isReady) ??
  programs.find(({ isInstalled }) => isInstalled)

/** Stands for another look; no program is called so. */
const AGAIN = 'look again'

/** The program of an agent; undefined where the city has one for all. */
async function chooseProgram(talk: Talk, io: Io, config: AgentPlace['config']): Promise<string | undefined> {
  const { findPrograms } = await import('../../src/agents/readiness/offline.ts')
  const { provider: usual, startCommand } = config?.workspace ?? {}
  const hasUsual = usual !== undefined || startCommand !== undefined
  for (;;) {
    if (hasUsual && !talk.isAsking) return undefined
    const programs = await findPrograms(io.env)
    const best = preferred(programs)
    if (!best && !talk.isAsking) throw noProgram(programs)
    if (!best) {
      talk.say('\nNo agent program is installed. Install one in another terminal and type r,')
      talk.say('or continue: work stays queued until the program is installed.')
    }
    const choice = (name: string, about: string): Choice<string | undefined> => ({
      ...{ value: name, word: name },
      about: sanitizeLine(about),
    })
    const choices = [
      ...(hasUsual ? [{ value: undefined, word: 'city', about: `the city’s own: ${usual ?? startCommand}` }] : []),
      ...programs.map((program) => choice(program.name, programState(program))),
      ...[...(config?.providers.keys() ?? [])].map((name) => choice(name, 'declared by the city')),
      { value: AGAIN, key: 'r', word: AGAIN },
    ]
    const first = hasUsual ? undefined : (best ?? programs[0])?.name
    const chosen = await talk.choose({ text: 'Agent program', help: PROGRAM_HELP }, choices, first)
    if (chosen !== AGAIN) return chosen
  }
}

function noProgram(programs: readonly FoundProgram[]): Error {
  const lines = programs.map(({ displayName, install }) => `  ${displayName}: ${install}`)
  return failure(`no agent program is installed; install one, or give --command:\n${lines.join('\n')}`)
}

const PROGRAM_HELP = `gc starts this program in a terminal of its own for each piece of work.
\`gc readiness\` shows this list again. \`--command\` takes any other program.`

/** True if sessions get a worktree; undefined where git cannot make one. */
async function chooseWorktree(talk: Talk, project: Project | undefined): Promise<boolean | undefined> {
  if (project?.hasCommit) return talk.yes({ text: 'A git worktree for each session?', help: WORKTREE_HELP }, true)
  if (project?.isRepository) talk.say('The repository has no commit, so sessions work in the folder itself.')
  return undefined
}

const WORKTREE_HELP = `A worktree is a copy of the project on a branch of its own, so that sessions
change neither your files nor each other’s. You review and merge the branches;
\`gc worktree list\` shows them. Without worktrees, sessions work in the project
folder itself. Key: worktree.`

async function chooseConfine(talk: Talk, io: Io): Promise<ConfineMode> {
  const { readDefaultMode } = await import('../../src/config/confinement/default-mode.ts')
  const choices: Choice<ConfineMode>[] = [
    {
      value: 'default',
      word: 'default',
      about: 'writes only to its folder; reaches its model and registries',
    },
    { value: 'network', word: 'network', about: 'writes only to its folder; reaches every network' },
    { value: 'off', word: 'off', about: 'no sandbox: runs with your permissions' },
  ]
  return talk.choose({ text: 'Sandbox', help: CONFINE_HELP }, choices, readDefaultMode(resolveHome(io.env)))
}

const CONFINE_HELP = `The sandbox holds whatever the program runs. Keys of model APIs stay outside of it.
\`gc confine explain <agent>\` lists every rule. Key: confine.`

async function choosePermissions(
  talk: Talk,
  provider: string | undefined,
  config: AgentPlace['config'],
  isLoose: boolean,
): Promise<string | undefined> {
  const options = await optionsOf(provider, 'permission_mode', config)
  if (!options) return undefined
  const usual = isLoose && options.values.some(({ value }) => value === 'auto-edit') ? 'auto-edit' : options.usual
  const choices = options.values.map(({ value, label }) => ({ value, word: value, about: label }))
  return talk.choose({ text: 'Permission mode', help: PERMISSION_HELP }, choices, usual)
}

const PERMISSION_HELP = `The program’s own setting for when it asks before it acts. Its questions
appear in \`gc attention\`. Without permission checks, only the sandbox limits it.
Key: option_defaults.permission_mode.`

async function chooseModel(
  talk: Talk,
  provider: string | undefined,
  config: AgentPlace['config'],
): Promise<string | undefined> {
  const options = await optionsOf(provider, 'model', config)
  if (!options || !talk.isAsking) return undefined
  const choices = options.values.map(({ value }) => ({
    value,
    word: value || 'own',
    about: value ? '' : 'the one that the program is set to',
  }))
  const chosen = await talk.choose({ text: 'Model', help: MODEL_HELP }, choices, options.usual)
  return chosen === options.usual ? undefined : chosen
}

const MODEL_HELP = 'The default is the model that the program itself is set to. Key: option_defaults.model.'

const optionsOf = async (provider: string | undefined, key: string, config: AgentPlace['config']) => {
  if (provider === undefined) return undefined
  const { optionChoices } = await import('../../src/config/offline/new-agent.ts')
  return optionChoices(provider, key, config?.providers ?? new Map())
}

const chooseMaximum = (talk: Talk): Promise<number> =>
  talk.ask<number>({ text: 'Maximum sessions at a time', help: MAXIMUM_HELP }, 1, '1', (text) =>
    /^[1-9]\d{0,2}$/.test(text) ? { value: Number(text) } : { problem: 'Type a number from 1 to 999.' },
  )

const MAXIMUM_HELP = `With more than one, gc starts as many sessions as there is ready work.
Give each a worktree then. Key: max_active_sessions.`

/** Asks whether confined sessions may read a login that was found; what was given holds. */
export async function chooseLogin(
  talk: Talk,
  io: Io,
  login: { readonly provider: string; readonly file: string } | undefined,
  given: boolean | undefined,
): Promise<boolean> {
  if (given && !login) io.err('gc: no login to share: its sessions see it already, or there is none\n')
  if (given !== undefined || !login) return given === true && login !== undefined
  const text = `Let its sessions read your login, ${shownPath(io, login.file)}?`
  return talk.yes({ text, help: loginHelp(login.provider) }, false)
}

export const hiddenLoginHint = (provider: string): string =>
  `Its sessions do not see your login; \`gc confine share-login ${provider}\` shares it.`

const loginHelp = (
  provider: string,
): string => `The sandbox hides your login. Without it the program cannot log in, unless you use a key of its API.
Whatever runs in a session can read a shared login, and act as you with your subscription until you log out.
\`gc confine share-login ${provider}\` shares it later, and --stop ends that. Key: share_login.`
