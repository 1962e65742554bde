import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { AgentDeclare, AgentDeclared } from '../../src/agents/agents/index.ts'
import type { CityClient } from '../../src/client/client.ts'
import { resolveHome } from '../../src/client/home.ts'
import { sanitizeLine, sanitizeLines } from '../../src/client/text.ts'
import type { CityDraft } from '../../src/config/offline/index.ts'
import { offerLogin, shareLogin } from '../confine/login.ts'
import type { CommandContext } from '../context/context.ts'
import type { AgentSettingOptions, JsonOption } from '../context/options.ts'
import { failure, usageError } from '../io/exit.ts'
import { type Io, printJson, printLine } from '../io/io.ts'
import {
  type AgentPlace,
  type AgentSettings,
  chooseLogin,
  declaredKeys,
  hiddenLoginHint,
  programLack,
  requireRepository,
  settleAgent,
} from '../setup/agent-settings.ts'
import { hasPerson, Talk } from '../setup/talk.ts'
import { registerCityAgent, reportCityAgent } from '../social/city-agent-actions.ts'

export interface AddOptions extends JsonOption, AgentSettingOptions {
  description?: string
  provider?: string
  command?: string
  prompt?: string
  promptFile?: string
  promptTemplate?: string
  max?: number
  min?: number
  env?: Record<string, string>
  suspended?: true
  social?: true | string
}

interface AgentName {
  readonly dir?: string | undefined
  readonly base: string
}

/** Adds an agent: in a terminal each setting that is not given is asked for, elsewhere it is left to its program. */
export async function addAgent(context: CommandContext, name: AgentName, options: AddOptions): Promise<void> {
  const { io } = context
  const prompt = promptOf(context, options)
  const city = await context.city()
  const { path } = await city.call('GET ~/status')
  const isHere = existsSync(join(path, 'city.toml'))
  const isAsking = !options.yes && !options.json && options.command === undefined && hasPerson(io)
  const talk = new Talk(io, isAsking)
  const isSettling = isAsking || options.yes === true
  const settings = await settingsOf(context, { talk, isSettling, name, path: isHere ? path : undefined }, options)
  const body = declaration(name, prompt, settings, options)
  const draft = isHere && isChosen(options, isSettling) ? await draftOf(context, path, body) : undefined
  const login = isSettling || options.shareLogin !== undefined ? draft?.login : undefined
  const isShared = await chooseLogin(talk, io, login, options.shareLogin)
  const response = await city.call('POST ~/agents/declare', { body })
  const account = options.social && (await register(city, response.agent, options.social))
  if (!options.json) report(io, response, draft?.drafts ?? new Map(), options)
  const lack = isSettling && !options.json ? await programLack(io, settings.provider) : undefined
  if (isHere && lack === undefined) await warnOfObstacle(io, path, response.agent)
  if (login && isShared) await shareLogin(context, path, login.provider, options.json)
  if (options.json) return printJson(io, { ...response, ...(account && { social: account }) })
  if (lack !== undefined) printLine(io, lack)
  else if (login && !isShared && options.shareLogin === undefined) printLine(io, hiddenLoginHint(login.provider))
  if (account) reportCityAgent(context, account)
  if (isHere && options.shareLogin === undefined && !isSettling) await offerLogin(context, path, response.agent)
}

/** Reports a program that cannot reach gc, or that would ask about gc's own commands. */
async function warnOfObstacle(io: Io, path: string, agent: string): Promise<void> {
  const { readConfig } = await import('../../src/config/offline/new-agent.ts')
  const { agentObstacle } = await import('../../src/agents/readiness/offline.ts')
  const found = await agentObstacle(io.env, readConfig(path, resolveHome(io.env)), agent)
  if (found) io.err(`gc: ${sanitizeLine(`${found.reason}; to fix it: ${found.fix}`)}\n`)
}

/** Prints the result in one sentence, and the files that declare it. */
function report(
  io: Io,
  { agent, unavailable_reason }: AgentDeclared,
  files: CityDraft['drafts'],
  options: AddOptions,
): void {
  printLine(io, sentenceOf(agent, unavailable_reason, options))
  for (const [file, text] of files) {
    if (file.endsWith('.toml')) printLine(io, `${file}:\n${sanitizeLines(text.trimEnd()).replace(/^/gm, '  ')}`)
  }
}

/** True if the command chose settings, so that its output shows them. */
const isChosen = (options: AddOptions, isSettling: boolean): boolean =>
  isSettling ||
  [options.worktree, options.permissionMode, options.model, options.confine, options.shareLogin].some(
    (value) => value !== undefined,
  )

interface Settling {
  readonly talk: Talk
  readonly isSettling: boolean
  readonly name: AgentName
  /** The folder of the city; absent where its files are on another machine. */
  readonly path: string | undefined
}

async function settingsOf(
  { io }: CommandContext,
  { talk, isSettling, name, path }: Settling,
  options: AddOptions,
): Promise<AgentSettings> {
  const isLocal = path !== undefined && (isSettling || options.worktree === true)
  const place = isLocal ? await placeOf(io, path, name.dir) : { isDetailed: true }
  if (isLocal) requireRepository(options.worktree, place.project)
  return isSettling ? settleAgent(talk, io, place, options) : { ...options, max: options.max ?? 1 }
}

async function placeOf(io: CommandContext['io'], path: string, rig: string | undefined): Promise<AgentPlace> {
  const { readConfig } = await import('../../src/config/offline/new-agent.ts')
  const { findProject } = await import('../../src/config/git/project.ts')
  const config = readConfig(path, resolveHome(io.env))
  const folder = config.rigs.find(({ name }) => name === rig)?.path
  const project = folder !== undefined && existsSync(folder) ? await findProject(folder, io.env) : undefined
  return { config, project, isDetailed: true }
}

/** The files that would declare the agent, and the login that its sessions would not see. */
async function draftOf({ io }: CommandContext, path: string, body: AgentDeclare) {
  const { draftAgent } = await import('../../src/config/offline/new-agent.ts')
  const { unsharedLogin } = await import('../../src/agents/confinement/unshared-login.ts')
  const { name, dir, prompt, ...keys } = body
  const { drafts, config } = draftAgent(path, resolveHome(io.env), {
    name,
    ...(dir && { dir }),
    ...(prompt !== undefined && { prompt }),
    keys,
  })
  const agent = config.agents.find((each) => each.dir === dir && each.localName === name)
  return { drafts, login: unsharedLogin(agent, config, io.env) }
}

/** The result in one sentence. */
function sentenceOf(agent: string, reason: string | undefined, { suspended }: AddOptions): string {
  if (suspended) return `Agent ${agent} was added, suspended; \`gc agent resume ${agent}\` lets it work.`
  if (reason === undefined) {
    return `Agent ${agent} was added; give it work with \`gc sling ${agent} "<what to do>"\`.`
  }
  return `Agent ${agent} was added, but cannot start: ${sanitizeLine(reason)}; its work stays queued until you fix this.`
}

const register = (city: CityClient, agent: string, name: true | string) =>
  registerCityAgent(city, agent, name === true ? undefined : name)

function declaration(
  { dir, base }: AgentName,
  prompt: string | undefined,
  settings: AgentSettings,
  options: AddOptions,
): AgentDeclare {
  return {
    name: base,
    ...(dir && { dir }),
    ...(options.description && { description: options.description }),
    ...declaredKeys(settings),
    ...(prompt !== undefined && { prompt }),
    ...(options.min !== undefined && { min_active_sessions: options.min }),
    ...(options.env && { env: options.env }),
    ...(options.suspended && { suspended: true }),
  }
}

function promptOf(context: CommandContext, options: AddOptions): string | undefined {
  if (options.provider && options.command) throw usageError('give --provider or --command, not both')
  const file = options.promptFile ?? options.promptTemplate
  if (options.prompt !== undefined && file) throw usageError('give --prompt or --prompt-file, not both')
  return file ? readPrompt(resolve(context.io.cwd, file)) : options.prompt
}

function readPrompt(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    throw failure(`cannot read the prompt file ${path}`)
  }
}
