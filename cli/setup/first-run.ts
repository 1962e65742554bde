import { existsSync, statSync } from 'node:fs'
import { basename, join, relative, resolve } from 'node:path'
import { InvalidArgumentError } from 'commander'
import { resolveHome } from '../../src/client/home.ts'
import { sanitizeLine, sanitizeLines } from '../../src/client/text.ts'
import type { Project } from '../../src/config/git/index.ts'
import { type Amount, formatAmount, parseAmount } from '../budget/budget.ts'
import { type CommandContext, realPath } from '../context/context.ts'
import { envelope } from '../context/envelope.ts'
import type { AgentSettingOptions, JsonOption } from '../context/options.ts'
import { waitForOpening } from '../context/requests.ts'
import { errorSentence } from '../io/describe-error.ts'
import { Exit, failure, usageError } from '../io/exit.ts'
import { type Io, printJson, printLine } from '../io/io.ts'
import {
  type AgentSettings,
  chooseLogin,
  declaredKeys,
  hiddenLoginHint,
  programLack,
  requireRepository,
  settleAgent,
} from './agent-settings.ts'
import { type Answer, homeOf, shownPath, Talk } from './talk.ts'

export interface FirstRunOptions extends AgentSettingOptions, JsonOption {
  /** The folder of the first rig; `-` for none. */
  rig?: string
  program?: string
  command?: string
  name?: string
  max?: number
  budget?: Amount
  start: boolean
}

/** The first agent is called so. */
const AGENT = 'worker'
const NONE = '-'

/** Sets up a city with its first rig and agent: by questions, by options, or by the defaults of the questions. */
export async function firstRun(
  context: CommandContext,
  given: string | undefined,
  options: FirstRunOptions,
  isAsking: boolean,
): Promise<void> {
  const { io } = context
  const talk = new Talk(io, isAsking)
  if (options.budget && !options.start) throw usageError('a budget needs a city that runs; leave --no-start out')
  if (!isAsking && !options.yes) requireAnswers(given, options)
  introduce(talk)
  const project = await chooseProject(talk, io, options.rig)
  const path = await chooseFolder(talk, io, given, project)
  const settings = await settleAgent(talk, io, { project, isDetailed: false }, settingsOf(options))
  requireRepository(options.worktree, project)
  const plan = await planCity(talk, io, { path, project, settings, options })
  const budget = options.budget ?? (options.start ? await chooseBudget(talk) : undefined)
  await confirmPlan(talk, io, plan, budget)
  if (!options.start) return writeOnly(context, plan, options)
  const started = await start(context, plan, budget)
  if (options.json)
    return printJson(io, envelope({ ...started.payload, city_name: plan.name, city_path: path, agent: plan.agent }))
  await finish(context, started, talk, plan)
}

/** Fails where no one can be asked for what only the caller knows. */
function requireAnswers(given: string | undefined, { program, command }: FirstRunOptions): void {
  const missing = [
    ...(given === undefined ? ['the folder of the city'] : []),
    ...(program === undefined && command === undefined ? ['--program or --command'] : []),
  ]
  if (missing.length > 0)
    throw usageError(`there is no terminal to ask in; give ${missing.join(' and ')}, or --yes for the defaults`)
}

function settingsOf({ program, command, ...options }: FirstRunOptions): AgentSettings {
  if (program !== undefined && command !== undefined) throw usageError('give --program or --command, not both')
  const { worktree, permissionMode, model, max, confine, shareLogin } = options
  return {
    ...(program !== undefined && { provider: program }),
    ...(command !== undefined && { command }),
    ...(worktree !== undefined && { worktree }),
    ...(permissionMode !== undefined && { permissionMode }),
    ...(model !== undefined && { model }),
    ...(max !== undefined && { max }),
    ...(confine !== undefined && { confine }),
    ...(shareLogin !== undefined && { shareLogin }),
  }
}

function introduce(talk: Talk): void {
  talk.heading('gc runs teams of coding agents on your machine.')
  talk.say('A few questions set up your first agent. Enter takes the answer in brackets,')
  talk.say('? explains, and ctrl-c leaves without a change. `gc help` lists all commands.')
}

/** The folder that the first agent works on; undefined for none. */
async function chooseProject(talk: Talk, io: Io, rig: string | undefined): Promise<Project | undefined> {
  const { findProject } = await import('../../src/config/git/project.ts')
  if (rig === NONE) return undefined
  if (rig !== undefined) {
    const folder = folderAt(io, rig)
    if ('problem' in folder) throw failure(folder.problem)
    return findProject(folder.value, io.env).then((found) => ({ ...found, path: folder.value }))
  }
  const around = await findProject(io.cwd, io.env)
  const isProject = ![realPath(homeOf(io)), homeOf(io), '/'].includes(around.path)
  const usual = isProject ? around.path : undefined
  if (around.isRepository) {
    const branch = around.branch === undefined ? '' : `, on branch ${sanitizeLine(around.branch)}`
    talk.say(`\nThis folder is in a git repository${branch}.`)
  } else talk.say('\nThis folder is not in a git repository.')
  const chosen = await talk.ask<string | undefined>(
    { text: 'Project folder, - for none', help: PROJECT_HELP },
    usual,
    usual === undefined ? NONE : shownPath(io, usual),
    (text) => (text === NONE ? { value: undefined } : folderAt(io, text)),
  )
  return chosen === around.path
    ? around
    : chosen === undefined
      ? undefined
      : findProject(chosen, io.env).then((found) => ({ ...found, path: chosen }))
}

const PROJECT_HELP = `The folder that the agent works on, which gc calls a rig. Nothing in it changes now.
\`gc rig add\` adds more. Without one, the agent works in a folder of its own.`

function folderAt(io: Io, text: string): Answer<string> {
  const path = resolve(io.cwd, text.replace(/^~(?=$|\/)/, homeOf(io)))
  const isFolder = statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
  return isFolder ? { value: path } : { problem: `${path} is not a folder; create it first` }
}

async function chooseFolder(
  talk: Talk,
  io: Io,
  given: string | undefined,
  project: Project | undefined,
): Promise<string> {
  if (given !== undefined) return resolve(io.cwd, given)
  const { draftCity } = await import('../../src/config/offline/create-city.ts')
  const names = [
    'my-city',
    ...(project ? [`${rigName(project)}-city`] : []),
    ...Array.from({ length: 8 }, (_, n) => `my-city-${n + 2}`),
  ]
  const free = names.map((name) => join(homeOf(io), name)).find((path) => !existsSync(path))
  if (free === undefined) throw usageError('name the folder of the city: `gc init <folder>`')
  return talk.ask<string>({ text: 'Folder of the city', help: FOLDER_HELP }, free, shownPath(io, free), (text) => {
    const path = resolve(io.cwd, text.replace(/^~(?=$|\/)/, homeOf(io)))
    try {
      draftCity(path)
      return { value: path }
    } catch (error) {
      return { problem: errorSentence(error, io.env) }
    }
  })
}

const FOLDER_HELP = `A city is a folder with the settings of your agents in city.toml, and their work in .gc.
One city can work on many projects. gc creates the folder.`

/** The name of a rig after its folder. */
const rigName = ({ path }: Project): string =>
  basename(path)
    .replace(/[^A-Za-z0-9._-]+/g, '-')
    .replace(/^[^A-Za-z0-9]+/, '') || 'project'

type Started = Awaited<ReturnType<typeof start>>

interface Wanted {
  readonly path: string
  readonly project: Project | undefined
  readonly settings: AgentSettings
  readonly options: FirstRunOptions
}

/** The files of the new city, checked, and how they are written. */
interface CityPlan {
  readonly path: string
  readonly name: string
  /** The qualified name of its agent. */
  readonly agent: string
  readonly program: string | undefined
  /** The provider whose login its sessions do not see. */
  readonly hiddenLogin: string | undefined
  readonly files: ReadonlyMap<string, string>
  /** Writes them. */
  write(): Promise<unknown>
}

/** Makes the files, and asks whether sessions may read the login that they would not see. */
async function planCity(talk: Talk, io: Io, { path, project, settings, options }: Wanted): Promise<CityPlan> {
  const { createCity, draftCity } = await import('../../src/config/offline/create-city.ts')
  const { readDefaultMode } = await import('../../src/config/confinement/default-mode.ts')
  const { unsharedLogin } = await import('../../src/agents/confinement/unshared-login.ts')
  const dir = project && rigName(project)
  const isInside = project !== undefined && `${project.path}/`.startsWith(`${path}/`)
  const wanted = {
    ...(options.name !== undefined && { name: options.name }),
    ...(project && dir && { rig: { name: dir, path: isInside ? relative(path, project.path) || '.' : project.path } }),
    agent: { name: AGENT, ...(dir && { dir }), keys: declaredKeys(settings) },
  }
  const composing = { defaultConfine: readDefaultMode(resolveHome(io.env)) }
  const draft = draftCity(path, wanted, composing)
  const agent = draft.config.agents.find((each) => each.dir === dir && each.localName === AGENT)
  const login = unsharedLogin(agent, draft.config, io.env)
  const isShared = await chooseLogin(talk, io, login, options.shareLogin)
  const chosen = { ...wanted, ...(isShared && login && { sharedLogin: login.provider }) }
  return {
    path,
    name: draft.config.name,
    agent: agent?.qualified ?? AGENT,
    program: settings.provider,
    hiddenLogin: isShared ? undefined : login?.provider,
    files: draftCity(path, chosen, composing).drafts,
    write: () => createCity(path, chosen),
  }
}

function chooseBudget(talk: Talk): Promise<Amount | undefined> {
  return talk.ask<Amount | undefined>(
    { text: 'Daily budget, such as 5usd or 2M tokens', help: BUDGET_HELP },
    undefined,
    'none',
    (text) => {
      if (text === NONE || text === 'none') return { value: undefined }
      try {
        return { value: parseAmount(text.replace(/\s+/g, '')) }
      } catch (error) {
        if (error instanceof InvalidArgumentError) return { problem: error.message }
        throw error
      }
    },
  )
}

const BUDGET_HELP = `Over the budget, agents finish their turn and start no more until the next day.
gc counts the usage that programs report. \`gc budget set\` changes it, for the city or one agent.`

/** Shows everything that would be written, and asks once. */
async function confirmPlan(talk: Talk, io: Io, { path, files }: CityPlan, budget: Amount | undefined): Promise<void> {
  talk.say('\ngc writes these files:')
  for (const [file, text] of files) {
    if (text === '') continue
    talk.say()
    talk.heading(shownPath(io, join(path, file)))
    talk.say(sanitizeLines(text.trimEnd()).replace(/^(?=.)/gm, '  '))
  }
  if (budget) talk.say(`\nIt sets a daily budget of ${formatAmount(budget.value, budget.unit)} for the city.`)
  const help = 'gc writes the files, starts its supervisor and opens the city. `gc down` stops both.'
  if (!(await talk.yes({ text: 'Go ahead?', help }, true))) throw new Exit(1, 'nothing was changed')
}

async function writeOnly({ io }: CommandContext, plan: CityPlan, options: FirstRunOptions): Promise<void> {
  await plan.write()
  const { path, name, agent } = plan
  if (options.json) {
    return printJson(io, envelope({ command: 'init', city_path: path, city_name: name, agent, started: false }))
  }
  printLine(io, `City ${name} is written to ${path}. Next: gc start ${path}.`)
}

/** Writes the files and opens the city. A supervisor that cannot start, or a name that is taken, leaves nothing behind. */
async function start(context: CommandContext, plan: CityPlan, budget: Amount | undefined) {
  const { path, name, write } = plan
  const current = await context.withSupervisor()
  const cities = await current.cities()
  if (cities.some((city) => city.name === name))
    throw failure(`city ${name} already exists; give another folder, or --name`)
  await write()
  const accepted = await current.client.call('POST /v0/city/register', { body: { path } }).catch((error: unknown) => {
    throw failure(
      `${errorSentence(error, context.io.env)}\nthe files are written; \`gc start ${path}\` starts the city`,
    )
  })
  const { payload } = await waitForOpening(current, accepted, path)
  const city = current.client.city(name)
  if (budget) {
    await city.call('PUT ~/budgets', { body: { scope: 'city', unit: budget.unit, per: 'day', limit: budget.value } })
  }
  return { city, payload, isOnly: cities.length === 0 }
}

/** Reports the result, takes a first task, and names the next commands. */
async function finish({ io }: CommandContext, started: Started, talk: Talk, plan: CityPlan): Promise<void> {
  const { city, isOnly } = started
  const { name, path, agent, program, hiddenLogin } = plan
  const [base = '', dir] = agent.split('/').reverse()
  const { unavailable_reason: reason } = dir
    ? await city.call('GET ~/agent/{dir}/{base}', { params: { dir, base } })
    : await city.call('GET ~/agent/{base}', { params: { base } })
  talk.say()
  printLine(io, `City ${name} is up at ${path}, with the agent ${agent}.`)
  if (reason !== undefined) {
    printLine(io, `The agent cannot start: ${sanitizeLine(reason)}; its work stays queued until you fix this.`)
  }
  const lacks = await programLack(io, program)
  if (lacks !== undefined) printLine(io, lacks)
  else if (hiddenLogin !== undefined) {
    printLine(io, hiddenLoginHint(hiddenLogin))
  }
  const title = await talk.line({ text: 'First task, or Enter for none:', help: TASK_HELP })
  if (title !== '') {
    const { bead } = await city.call('POST ~/sling/text', { body: { target: agent, title } })
    printLine(io, `${bead} goes to ${agent}.`)
  }
  const gc = isOnly ? 'gc' : `gc --city ${name}`
  const attach = [`${gc} session attach ${agent}`, 'open its terminal; ctrl-] leaves it running'] as const
  talk.say()
  printNext(io, [
    title === ''
      ? [`${gc} sling ${agent} "<task>"`, 'give it work']
      : lacks
        ? ['gc readiness', 'check its program again']
        : attach,
    [`${gc} tui`, 'watch it, and answer its questions'],
    ['gc down', 'stop every agent and the supervisor'],
  ])
}

/** The next commands, with what each is for. */
function printNext(io: Io, commands: readonly (readonly [command: string, about: string])[]): void {
  const width = Math.max(...commands.map(([command]) => command.length))
  printLine(io, 'Next:')
  for (const [command, about] of commands) printLine(io, `  ${command.padEnd(width)}   ${about}`)
}

const TASK_HELP = 'Such as: Add a test for the parser. gc makes it a bead and starts a session for it.'
