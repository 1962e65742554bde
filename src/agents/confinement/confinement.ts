import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import type { AgentConfig } from '../../config/agents/index.ts'
import type { CityConfig } from '../../config/city/index.ts'
import {
  agentProfile,
  describeRefused,
  findFixed,
  fixedPath,
  placesOf,
  readableEntries,
  writtenByAgents,
} from '../../config/confinement/index.ts'
import { AppError } from '../../core/errors.ts'
import { realPath } from '../../core/folders.ts'
import type { Confinement } from '../../host/protocol/index.ts'
import type { SessionRow } from '../../work/sessions/index.ts'
import type { TokenDemand } from './token-demand.ts'
import { type OwnPlaces, type Placed, workPlace } from './work-place.ts'

/** Location of gc's own files and address of its API. */
export interface ConfinementPlace extends OwnPlaces {
  /** The gc binary. */
  readonly bin: string
  readonly tokenRequirement: TokenDemand
  /** The environment of the supervisor. */
  readonly env: Readonly<Record<string, string | undefined>>
  url(): string
}

/** Owner of a sandbox: an agent, or a provider for its sessions without an agent. */
export interface Confinable
  extends Pick<
    AgentConfig,
    'confine' | 'confineTable' | 'dir' | 'workDir' | 'worktree' | 'provider' | 'startCommand' | 'configDir'
  > {
  /** Folders that its program finds links to. */
  readonly linked: readonly string[]
  /** Folders of the MCP servers that its program starts. */
  readonly mcp?: readonly string[]
  /** Name of the owner of its `confine` table. */
  readonly declared: string
}

/** As whose session one is confined: its agent's, or its provider's; undefined when its agent is no longer declared. */
export function confinableOf(
  { kind, template }: Pick<SessionRow, 'kind' | 'template'>,
  agent: AgentConfig | undefined,
  config: Pick<CityConfig, 'defaultConfine' | 'path'>,
): Confinable | undefined {
  if (agent) return ofAgent(agent)
  return kind === 'agent' ? undefined : ofProvider(template, config)
}

const ofAgent = (agent: AgentConfig): Confinable => ({
  ...agent,
  linked: agent.brings.skills.map(({ folder }) => folder),
  mcp: agent.brings.mcp,
  declared: `agent ${agent.qualified} (${agent.block.file}:${agent.block.line})`,
})

/** Sessions without an agent have the default sandbox, with the table of their provider. */
const ofProvider = (
  name: string,
  { defaultConfine, path }: Pick<CityConfig, 'defaultConfine' | 'path'>,
): Confinable => ({
  ...{ confine: defaultConfine, provider: name, worktree: false, configDir: path, linked: [] },
  declared: `provider ${name}`,
})

/** Reason this sandbox is impossible; undefined if it is possible or not wanted. */
export function obstacleToConfinement(
  { confine }: Pick<Confinable, 'confine'>,
  place: { readonly tokenRequirement: Pick<TokenDemand, 'canBeRequired'> },
): string | undefined {
  if (confine === 'off') return undefined
  if (process.platform !== 'linux' && process.platform !== 'darwin') {
    return 'gc confines agents on Linux and macOS only; set confine = "off"'
  }
  if (place.tokenRequirement.canBeRequired) return undefined
  return 'confine means nothing while a program that leaves its token out is taken for you: start gc without --no-require-token, or set confine = "off"'
}

/** Sandbox of a session in a folder; throws if the folder or the profile would let it change protected files. */
export function confinementOf(
  session: Placed & { id: string },
  confinable: Confinable,
  config: Pick<CityConfig, 'path' | 'rigs' | 'agents' | 'providers' | 'packs'>,
  place: ConfinementPlace,
): Confinement | undefined {
  if (confinable.confine === 'off') return undefined
  const rules = rulesOf(workPlace(session, confinable, config, place), confinable, config, place)
  return { ...rules, private: privateFolder(place.path, session.id) }
}

/** Rules of a sandbox whose private folder is chosen by the caller. */
export type ConfinementRules = Omit<Confinement, 'private'>

/** Rules that confine a program to places without links and to its profile. */
export function rulesOf(
  own: { readonly read: readonly string[]; readonly write: readonly string[] },
  confinable: Confinable,
  config: Pick<CityConfig, 'path' | 'rigs' | 'agents' | 'providers' | 'packs'>,
  place: ConfinementPlace,
): ConfinementRules {
  const home = homedir()
  const profile = agentProfile(confinable, config)
  const cities = place.otherCities?.() ?? []
  const around = { home, gcHome: place.home, city: place.path, cities, rigs: config.rigs, rig: confinable.dir }
  const written = writtenByAgents(config)
  const { read, write, refused } = placesOf(profile, around, (path) => fixedPath(path, written))
  const readable = readableEntries(confinable, config).flatMap((path) => findFixed(path, written) ?? [])
  const gc = [Number(new URL(place.url()).port)].filter((port) => port > 0)
  const [first] = refused
  if (first) throw new AppError('service-unavailable', `it cannot be confined: ${describeRefused(first)}`)
  return {
    home,
    read: [...[dirname(place.bin), place.bin].map(realPath), ...own.read, ...readable, ...read],
    write: [...own.write, ...write],
    withheld: [place.home, place.path, ...cities].map(realPath),
    network: confinable.confine === 'network' ? 'open' : 'session',
    ports: [...gc, ...profile.ports.map(({ value }) => value)],
    reserved: gc,
    share: Object.fromEntries(Object.entries(profile.share).map(([resource, { value }]) => [resource, value])),
  }
}

/** The folder of a session for what is temporary and what its programs keep. */
export const privateFolder = (city: string, session: string): string => join(privateFolders(city), session)

/** Parent of the private folders of a city's sessions. */
export const privateFolders = (city: string): string => join(city, '.gc', 'confined')
