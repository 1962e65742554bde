import { defaultHosts } from '../../config/confinement/index.ts'
import type { UnknownHosts } from '../../config/declare/index.ts'
import { outerProxies, REGISTRIES } from '../../host/confine/index.ts'
import type { ProxyRules } from '../../host/protocol/index.ts'
import type { Confinable } from './confinement.ts'
import type { KeptKeys } from './provider-keys.ts'

export interface Reach {
  agent: Pick<Confinable, 'confine' | 'declared'>
  /** The built-in provider whose program it is. */
  provider: string | undefined
  /** Hosts that are declared for the agent. */
  allowHosts: readonly string[]
  /** Handling of connections to other hosts. */
  unknownHosts: UnknownHosts | undefined
  /** The folder of its rig. */
  rig: string | undefined
  /** True if sessions can write the settings of the rig's repository. */
  isOpen: boolean
  /** The environment of the supervisor, which names the proxies of its network. */
  env: Readonly<Record<string, string | undefined>>
}

/** The hosts that sessions of an agent reach: those of its provider, of package registries, of its rig's remotes, and declared ones. */
export function allowedHosts({ agent, provider, allowHosts, rig, isOpen }: Reach): ProxyRules['hosts'] {
  if (agent.confine === 'network') return 'any'
  const own = defaultHosts({ provider, rig, isOpen, registries: REGISTRIES })
  return [...new Set([...own.map(({ host }) => host), ...allowHosts])]
}

/** Rules of the proxy of an agent's session. */
export function proxyRules(reach: Reach, { keys, env }: Pick<KeptKeys, 'keys' | 'env'>): ProxyRules {
  const { declared } = reach.agent
  const advice = `allow_hosts = ["{host}"] in the confine table of ${declared} allows it`
  const outer = outerProxies(reach.env)
  const asks = reach.unknownHosts === 'ask'
  const otherwise = ', and confine = "network" every host'
  return { hosts: allowedHosts(reach), advice, otherwise, ...(asks && { asks }), ...(outer && { outer }), keys, env }
}
