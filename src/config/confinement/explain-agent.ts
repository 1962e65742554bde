import type { AgentConfig, CityConfig } from '../city-config.ts'
import type { ConfineMode } from '../declare/confine.ts'
import { agentProfile } from './agent-profile.ts'
import { describeRefused, describeWithheld, placesOf } from './judge.ts'
import { placeOf, type Surroundings } from './obstacle.ts'
import type { Grant, Grantor } from './profile.ts'

const MEGABYTE = 1024 ** 2

/** One rule in force for an agent's sessions, and what says it: gc itself, or a line of the configuration. */
export interface ConfinementRule {
  readonly access: 'read' | 'write' | 'network' | 'host' | 'port' | 'cpu' | 'memory' | 'pids'
  readonly what: string
  readonly by: 'gc' | Grantor
  readonly file?: string
  readonly line?: number
}

/** How an agent's sessions are confined, rule by rule. */
export interface ExplainedConfinement {
  readonly agent: string
  readonly confine: ConfineMode
  /** Where that is written; absent for the default. */
  readonly file?: string
  readonly line?: number
  readonly rules: readonly ConfinementRule[]
  /** What keeps it from being started so. */
  readonly problems: readonly string[]
  /** What packs ask for and nobody of the city allowed. */
  readonly withheld: readonly string[]
}

/** The places that gc itself allows every confined program. */
export interface DefaultPlaces {
  readonly read: readonly string[]
  readonly write: readonly string[]
}

/** Explains the confinement of an agent from the configuration alone. */
export function explainConfinement(
  agent: AgentConfig,
  { config, around, places }: { config: CityConfig; around: Surroundings; places: DefaultPlaces },
): ExplainedConfinement {
  const profile = agentProfile(agent, config)
  const own = { ...around, rig: agent.dir }
  const { refused } = placesOf(profile, own)
  const isRefused = (grant: Grant) => refused.some((one) => one.grant === grant)
  const pathRules = (access: 'read' | 'write') =>
    profile[access].flatMap((grant) =>
      isRefused(grant) ? [] : [rule(access, placeOf(grant.value, own) ?? grant.value, grant)],
    )
  const written = agent.confine === agent.confineTable?.values.mode ? agent.confineTable.origins.mode : undefined
  const rules: ConfinementRule[] = [
    { access: 'write', what: "the session's own folder", by: 'gc' },
    { access: 'write', what: 'a private folder for temporary files and the state of its programs', by: 'gc' },
    ...places.write.map((what): ConfinementRule => ({ access: 'write', what, by: 'gc' })),
    ...pathRules('write'),
    { access: 'read', what: 'the program that it runs', by: 'gc' },
    ...places.read.map((what): ConfinementRule => ({ access: 'read', what, by: 'gc' })),
    ...pathRules('read'),
    { access: 'network', what: 'ports that it listens on itself, and the API of gc', by: 'gc' },
    ...(agent.confine === 'network'
      ? [{ access: 'network', what: 'every address but link-local ones', by: 'agent', ...placeIn(written) } as const]
      : []),
    ...profile.allowHosts.map((grant) => rule('host', grant.value, grant)),
    ...profile.ports.map((grant) => rule('port', String(grant.value), grant)),
    ...Object.entries(profile.share).map(([name, grant]) => shareRule(name, grant)),
  ]
  return {
    ...{ agent: agent.qualified, confine: agent.confine, ...placeIn(written) },
    rules: agent.confine === 'off' ? [] : rules,
    problems: refused.map(describeRefused),
    withheld: profile.withheld.map((each) => describeWithheld(each, agent.qualified)),
  }
}

function shareRule(name: string, grant: Grant<number>): ConfinementRule {
  if (name === 'memory') return rule('memory', `${Math.round(grant.value / MEGABYTE)} MB`, grant)
  return rule(name === 'cpu' ? 'cpu' : 'pids', String(grant.value), grant)
}

const rule = (
  access: ConfinementRule['access'],
  what: string,
  { by, file, line }: Omit<Grant, 'value'>,
): ConfinementRule => ({ access, what, by, file, line })

const placeIn = (origin: { block: { file: string }; line: number } | undefined) =>
  origin && { file: origin.block.file, line: origin.line }
