import type { AgentConfig } from '../../config/city-config.ts'
import { REGISTRIES } from '../../host/confine/start/default-hosts.ts'
import type { ProxyRules } from '../../host/protocol/proxy.ts'
import { gitHosts } from './git-hosts.ts'
import { providerHosts } from './provider-hosts.ts'
import type { KeptKeys } from './provider-keys.ts'

export interface Reach {
  agent: Pick<AgentConfig, 'confine' | 'qualified' | 'block' | 'worktree'>
  /** The built-in provider whose program it is. */
  provider: string | undefined
  /** Hosts that are declared for the agent. */
  allowHosts: readonly string[]
  /** The folder of its rig. */
  rig: string | undefined
}

/** The hosts that sessions of an agent reach: those of its provider, of package registries, of its rig's remotes, and declared ones. */
export function allowedHosts({ agent, provider, allowHosts, rig }: Reach): ProxyRules['hosts'] {
  if (agent.confine === 'network') return 'any'
  const remotes = rig === undefined ? [] : gitHosts(rig, !agent.worktree)
  return [...new Set([...providerHosts(provider), ...REGISTRIES, ...remotes, ...allowHosts])]
}

/** What the proxy of a session of an agent lets through. */
export function proxyRules(reach: Reach, { keys, env }: Pick<KeptKeys, 'keys' | 'env'>): ProxyRules {
  const { qualified, block } = reach.agent
  const place = `of agent ${qualified} (${block.file}:${block.line})`
  const advice = `allow_hosts = ["{host}"] in the confine table ${place} allows it, and confine = "network" every host`
  return { hosts: allowedHosts(reach), advice, keys, env }
}
