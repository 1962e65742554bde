import { accessSync, constants, existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { AppError, errorMessage } from '../../core/errors.ts'
import { createFolder, requireNoLinks } from '../../core/folders.ts'
import { renderPairs, renderValue } from '../../core/toml/index.ts'
import { BUILTINS } from '../../programs/presets.ts'
import { type AgentDraft, addAgent } from '../agents/index.ts'
import type { CityConfig } from '../city/index.ts'
import { type ComposeOptions, type Composition, compose } from '../compose/index.ts'
import { shareLogin } from '../confinement/index.ts'
import { CITY_NAME } from '../declare/index.ts'
import {
  AGENTS_FOLDER,
  CITY_FILE,
  type Drafts,
  EditLock,
  FileSnapshot,
  SITE_FILE,
  suggestion,
  toInvalidConfigError,
  writeDrafts,
} from '../files/index.ts'
import { addRig, type RigDraft } from '../rigs/index.ts'

const FOLDERS = ['.gc/cache', '.gc/runtime', '.gc/system', AGENTS_FOLDER]

export interface NewCityOptions {
  /** Its name; the folder's when absent. */
  name?: string
  /** Default provider of agents. */
  provider?: string
  /** Any command instead of a provider. */
  startCommand?: string
  /** Built-in providers to declare, so that they can be changed in the file. */
  providers?: readonly string[]
  /** Its first rig. */
  rig?: RigDraft
  /** Its first agent. */
  agent?: AgentDraft
  /** The provider whose login confined sessions may read. */
  sharedLogin?: string | undefined
}

/** The files of a new city, and the configuration that they declare. */
export interface CityDraft {
  readonly drafts: ReadonlyMap<string, string>
  readonly config: CityConfig
}

/** Makes the files of a new city without writing any; throws every error in them, and when the folder holds a city. */
export function draftCity(path: string, options: NewCityOptions = {}, composing: ComposeOptions = {}): CityDraft {
  checkOptions(options)
  checkFolder(path)
  const { name, rig, agent, sharedLogin } = options
  const site = name === undefined ? '' : `${renderPairs([['workspace_name', name]])[0]}\n`
  const drafts = new Map([
    [SITE_FILE, site],
    [CITY_FILE, cityTemplate(options)],
  ])
  const composed = () => {
    const { errors, ...rest } = compose(new FileSnapshot(path, drafts), composing)
    if (errors.length > 0) throw toInvalidConfigError(errors, 'validation-failed')
    return rest
  }
  const apply = (edit: (base: Omit<Composition, 'errors'>) => Drafts) => {
    for (const [file, text] of edit(composed())) if (text !== undefined) drafts.set(file, text)
  }
  if (rig) apply((base) => addRig(base, rig))
  if (agent) apply((base) => addAgent(base, agent))
  if (sharedLogin !== undefined) apply((base) => shareLogin(base, sharedLogin, true))
  return { drafts, config: composed().config }
}

/** Writes a new city into a folder that holds none yet, and returns its name. */
export async function createCity(path: string, options: NewCityOptions = {}): Promise<string> {
  const { drafts, config } = draftCity(path, options)
  prepareFolder(path)
  for (const folder of FOLDERS) createFolder(join(path, folder))
  using lock = await EditLock.acquire(path)
  if (!(await writeDrafts(lock, drafts, () => undefined))) throw alreadyInitialized(path)
  return config.name
}

/** The name of the city in a folder, as far as its files can be read. */
export const readCityName = (path: string): string => compose(new FileSnapshot(path)).config.name

function checkOptions({ name, provider, startCommand, providers = [] }: NewCityOptions): void {
  if (name !== undefined && !CITY_NAME.test(name)) {
    throw new AppError('validation-failed', `"${name}" cannot name a city; use letters, digits, ".", "-" and "_"`)
  }
  if (provider !== undefined && startCommand !== undefined) {
    throw new AppError('validation-failed', 'give either a provider or a start_command, not both')
  }
  for (const each of provider === undefined ? providers : [provider, ...providers]) {
    if (BUILTINS.has(each)) continue
    const hint = suggestion(each, BUILTINS.keys()) || `known are ${[...BUILTINS.keys()].join(', ')}`
    throw new AppError('validation-failed', `provider "${each}" is not known; ${hint}`)
  }
}

const alreadyInitialized = (path: string): AppError =>
  new AppError('conflict-wrong-state', `conflict: city already initialized at ${path}`)

function checkFolder(path: string): void {
  becomesCity(path, () => {
    if (existsSync(path) && !statSync(path).isDirectory()) throw new Error('it is a file')
    if ([CITY_FILE, SITE_FILE, '.gc/city.db'].some((file) => existsSync(join(path, file))))
      throw alreadyInitialized(path)
    for (const folder of FOLDERS) requireNoLinks(path, folder)
  })
}

function prepareFolder(path: string): void {
  becomesCity(path, () => {
    createFolder(path)
    accessSync(path, constants.W_OK | constants.X_OK)
  })
}

function becomesCity(path: string, step: () => void): void {
  try {
    step()
  } catch (error) {
    if (error instanceof AppError) throw error
    throw new AppError('validation-failed', `${path} cannot become a city: ${errorMessage(error)}`)
  }
}

function cityTemplate({ provider, startCommand, providers = [] }: NewCityOptions): string {
  const command = startCommand === undefined ? undefined : `start_command = ${renderValue(startCommand)}`
  const program = provider === undefined ? undefined : `provider = ${renderValue(provider)}`
  return `# A city: which agents work here, and on which projects. gc reads this file again whenever you save it.
#
#   gc rig add ~/my-project                        a project to work on
#   gc agent add my-project/worker --provider claude   an agent that works on it
#
# Both commands add to this folder and keep what you wrote.

[workspace]
# Default program of agents that declare neither a provider nor a command.
${command ?? program ?? '# provider = "claude"'}

# Any program that runs in a terminal can be a provider:
#
# [providers.mine]
# command = "./my-agent.sh"
${providers.map((name) => `\n[providers.${renderValue(name)}]\nbase = ${renderValue(`builtin:${name}`)}\n`).join('')}`
}
