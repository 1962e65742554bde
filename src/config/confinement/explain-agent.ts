import type { AgentConfig } from '../agents/index.ts'
import type { CityConfig } from '../city/index.ts'
import type { ConfineMode } from '../declare/index.ts'
import { agentProfile, builtinOf } from './agent-profile.ts'
import { defaultHosts } from './default-hosts.ts'
import { describeRefused, describeWithheld, placesOf } from './judge.ts'
import { placeOf, type Surroundings } from './obstacle.ts'
import { isOpenToAgents } from './open-rigs.ts'
import type { Grant, Grantor, Profile } from './profile.ts'
import { agentFolder, readableEntries } from './readable.ts'

const MEGABYTE = 1024 ** 2

/** One rule active for an agent's sessions, and what says it: gc itself, or a line of the configuration. */
export interface ConfinementRule {
  readonly access: 'read' | 'write' | 'network' | 'host' | 'port' | 'cpu' | 'memory' | 'pids'
  readonly what: string
  readonly by: 'gc' | Grantor
  readonly file?: string
  readonly line?: number
  /** Purpose of the permission, if it is not obvious. */
  readonly purpose?: string
}

/** Sandbox of an agent's sessions, rule by rule. */
export interface ExplainedConfinement {
  readonly agent: string
  readonly confine: ConfineMode
  /** File of the rule; absent for defaults. */
  readonly file?: string
  readonly line?: number
  readonly rules: readonly ConfinementRule[]
  /** Problems that keep it from starting. */
  readonly problems: readonly string[]
  /** Permissions that packs ask for and the city did not grant. */
  readonly withheld: readonly string[]
}

/** Permissions of gc itself for every sandboxed program. */
export interface Defaults {
  readonly read: readonly string[]
  readonly write: readonly string[]
  /** Hosts of package managers. */
  readonly registries: readonly string[]
}

/** Explains the confinement of an agent from the configuration alone. */
export function explainConfinement(
  agent: AgentConfig,
  { config, around, defaults }: { config: CityConfig; around: Surroundings; defaults: Defaults },
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
    ...folderRules(agent, config),
    { access: 'write', what: 'a private folder for temporary files and the state of its programs', by: 'gc' },
    ...defaults.write.map((what): ConfinementRule => ({ access: 'write', what, by: 'gc' })),
    ...pathRules('write'),
    { access: 'read', what: 'the program that it runs', by: 'gc' },
    ...defaults.read.map((what): ConfinementRule => ({ access: 'read', what, by: 'gc' })),
    ...readableEntries(reader(agent), config).map((what): ConfinementRule => ({ access: 'read', what, by: 'gc' })),
    ...pathRules('read'),
    ...(profile.shareLogin?.value ? [rule('read', 'the login of its program', profile.shareLogin)] : []),
    { access: 'network', what: 'ports that it listens on itself, and the API of gc', by: 'gc' },
    ...(agent.confine === 'network'
      ? [
          {
            access: 'network',
            what: 'every address but link-local ones and those of metadata',
            by: 'agent',
            ...placeIn(written),
          } as const,
        ]
      : hostsOf(agent, config, defaults)),
    ...profile.allowHosts.map((grant) => rule('host', grant.value, grant)),
    ...unknownHostsRule(agent, profile),
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

/** Permissions of a session for its folder. */
function folderRules({ qualified, dir, workDir }: AgentConfig, { path }: CityConfig): ConfinementRule[] {
  const own = workDir === undefined && dir === undefined ? agentFolder(path, qualified) : "the session's own folder"
  const rules: ConfinementRule[] = [{ access: 'write', what: own, by: 'gc' }]
  if (workDir === undefined || dir === undefined) return rules
  const purpose = 'a folder that is a linked worktree of it'
  return [
    ...rules,
    { access: 'read', what: 'its rig', by: 'gc' },
    { access: 'write', what: 'the repository of its rig', by: 'gc', purpose },
  ]
}

const reader = ({ dir, configDir, brings }: AgentConfig) => ({
  ...(dir !== undefined && { dir }),
  ...{ configDir, linked: brings.skills.map(({ folder }) => folder), mcp: brings.mcp },
})

function hostsOf(agent: AgentConfig, config: CityConfig, { registries }: Defaults): ConfinementRule[] {
  const rig = config.rigs.find(({ name }) => name === agent.dir)
  const isOpen = rig !== undefined && isOpenToAgents(rig, config)
  const sources = { provider: builtinOf(agent, config.providers), rig: rig?.path, isOpen, registries }
  return defaultHosts(sources).map(({ host, purpose }) => ({ access: 'host', what: host, by: 'gc', purpose }))
}

function unknownHostsRule({ confine }: AgentConfig, { unknownHosts }: Profile): ConfinementRule[] {
  if (confine === 'network' || unknownHosts?.value !== 'ask') return []
  const { by, file, line } = unknownHosts
  return [{ access: 'host', what: 'any other, once a person allows it', by, file, line }]
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
