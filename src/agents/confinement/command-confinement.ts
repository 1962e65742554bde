import type { AgentConfig } from '../../config/agents/index.ts'
import type { CityConfig } from '../../config/city/index.ts'
import { agentProfile, fixedPath, isOpenToAgents, writtenByAgents } from '../../config/confinement/index.ts'
import { contains, realPath, touch } from '../../core/folders.ts'
import { looksSecret } from '../../core/text/index.ts'
import type { SessionRepository, SessionRow } from '../../work/sessions/index.ts'
import { type Confinable, type ConfinementPlace, type ConfinementRules, confinableOf, rulesOf } from './confinement.ts'
import { proxyRules } from './proxy-rules.ts'
import { isForAgents, workPlace } from './work-place.ts'

interface CommandConfinementOptions {
  readonly config: { readonly current: CityConfig }
  readonly sessions: Pick<SessionRepository, 'find' | 'live'>
  /** As whose session one is confined. */
  confinable(row: SessionRow): Confinable | undefined
  readonly place: ConfinementPlace
}

/** Folder of a command and the agents said to have worked there. Sessions can write that, so it grants nothing. */
export interface Worked {
  /** The name of the rig. */
  readonly rig: string | undefined
  readonly folder: string
  readonly session: string
}

type Places = Parameters<typeof rulesOf>[0]

/** Decides how commands are confined that gc runs in folders that confined sessions can write. */
export class CommandConfinement {
  constructor(private readonly options: CommandConfinementOptions) {}

  /** For one that runs where somebody worked: as who worked there; undefined where it runs unconfined. */
  ofWork({ rig, folder, session }: Worked): ConfinementRules | undefined {
    const { config, place } = this.options
    const at = realPath(folder)
    const owner = this.#ownerOf(at, session)
    const own = owner && this.options.confinable(owner)
    if (owner && own && own.confine !== 'off') {
      return this.#rules({ ...own, dir: owner.rig || undefined }, workPlace(owner, own, config.current, place))
    }
    if (owner && own && this.#isApart(owner, at)) return undefined
    const path = this.#rigPlace(rig)
    return this.#rules(this.#anybodyIn(rig), { read: [], write: path === undefined ? [] : [path] })
  }

  /** For one that an agent has run in the folder of its rig; undefined where it runs unconfined. */
  ofAgent(agent: AgentConfig): ConfinementRules | undefined {
    const { current } = this.options.config
    const rig = this.#rigPlace(agent.dir)
    const own = confinableOf({ kind: 'agent', template: agent.qualified }, agent, current)
    return rig === undefined || !own ? undefined : this.#rules(own, { read: [rig], write: [] })
  }

  /** Sandboxed owners come first: a command runs as the least privileged agent that can have left something for it. */
  #ownerOf(folder: string, session: string): SessionRow | undefined {
    const isIn = ({ workDir }: SessionRow) => workDir !== '' && contains(realPath(workDir), folder)
    const isConfined = (row: SessionRow) => (this.options.confinable(row)?.confine ?? 'off') !== 'off'
    const confined = this.options.sessions.live().find((row) => isIn(row) && isConfined(row))
    if (confined) return confined
    const row = this.options.sessions.find(session)
    return row && isIn(row) ? row : undefined
  }

  /** True if no one else works in a folder of an unconfined session. */
  #isApart({ workDir }: SessionRow, folder: string): boolean {
    const { config, place } = this.options
    const city = realPath(place.path)
    if (isForAgents(folder, city)) return isForAgents(realPath(workDir), city)
    return !config.current.rigs.some(({ path }) => path !== undefined && touch(realPath(path), folder))
  }

  /**
   * Owner of a folder without known workers: sandboxed if the default is, or if such an agent can have worked there.
   */
  #anybodyIn(rig: string | undefined): Confinable {
    const { agents, defaultConfine, path } = this.options.config.current
    const isConfined = agents.some(({ confine, dir }) => confine !== 'off' && (dir === undefined || dir === rig))
    const confine = defaultConfine === 'off' && isConfined ? 'default' : defaultConfine
    const declared = rig === undefined ? 'the agent whose work it is' : `rig ${rig}`
    return { confine, dir: rig, worktree: false, configDir: path, linked: [], declared }
  }

  /** Real path of a rig's folder, without links. */
  #rigPlace(rig: string | undefined): string | undefined {
    const path = this.#rigPath(rig)
    return path && fixedPath(path, writtenByAgents(this.options.config.current))
  }

  #rigPath(rig: string | undefined): string | undefined {
    return this.options.config.current.rigs.find(({ name }) => name === rig)?.path
  }

  /** It has the hosts of who is confined so, and none of their keys. */
  #rules(confinable: Confinable, places: Places): ConfinementRules | undefined {
    const { config, place } = this.options
    if (confinable.confine === 'off') return undefined
    const rules = rulesOf(places, confinable, config.current, place)
    place.tokenRequirement.demand(`a command of ${confinable.declared} is confined`)
    const { allowHosts } = agentProfile(confinable, config.current)
    const rig = config.current.rigs.find(({ name }) => name === confinable.dir)
    const reach = {
      ...{ agent: confinable, provider: undefined, allowHosts: allowHosts.map(({ value }) => value) },
      ...{ unknownHosts: undefined, rig: rig?.path, isOpen: rig !== undefined && isOpenToAgents(rig, config.current) },
      env: place.env,
    }
    return { ...rules, proxy: proxyRules(reach, { keys: [], env: {} }) }
  }
}

/** Variables without those that look like keys. */
export const withoutSecrets = <Value extends string | undefined>(
  env: Readonly<Record<string, Value>>,
): Record<string, Value> => Object.fromEntries(Object.entries(env).filter(([name, value]) => !looksSecret(name, value)))
