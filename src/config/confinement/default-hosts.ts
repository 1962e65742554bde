import { gitHosts } from './git-hosts.ts'
import { providerHosts } from './provider-hosts.ts'

/** A host that sessions reach although no line names it, and what it is for. */
export interface DefaultHost {
  readonly host: string
  readonly purpose: string
}

export interface HostSources {
  /** The built-in provider whose program it is. */
  readonly provider: string | undefined
  /** The folder of the agent's rig. */
  readonly rig: string | undefined
  /** Whether sessions can write the settings of the rig's repository. */
  readonly isOpen: boolean
  /** Where package managers fetch from. */
  readonly registries: readonly string[]
}

/** The hosts that the sessions of an agent reach by themselves: those of its provider, of registries, of its rig's remotes. */
export function defaultHosts({ provider, rig, isOpen, registries }: HostSources): DefaultHost[] {
  const all: readonly [purpose: string, hosts: readonly string[]][] = [
    [`provider ${provider}`, providerHosts(provider)],
    ['packages', registries],
    ['remotes of its rig', rig === undefined ? [] : gitHosts(rig, isOpen)],
  ]
  const seen = new Set<string>()
  return all.flatMap(([purpose, hosts]) =>
    hosts.flatMap((host) => {
      if (seen.has(host)) return []
      seen.add(host)
      return [{ host, purpose }]
    }),
  )
}
