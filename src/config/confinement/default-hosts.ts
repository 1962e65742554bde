import { join } from 'node:path'
import { PRESETS } from '../../programs/presets.ts'
import { parseRemote, readText } from '../git/index.ts'

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
  /** True if sessions can write the settings of the rig's repository. */
  readonly isOpen: boolean
  /** Hosts of package managers. */
  readonly registries: readonly string[]
}

/**
 * The hosts that the sessions of an agent reach on their own: those of its provider, of registries, of its rig's
 * remotes.
 */
export function defaultHosts({ provider, rig, isOpen, registries }: HostSources): DefaultHost[] {
  const all: readonly [purpose: string, hosts: readonly string[]][] = [
    [`provider ${provider}`, PRESETS.get(provider ?? '')?.hosts ?? []],
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

/** Common hosts of repositories, with the further hosts that their tools need. */
const FORGES: Readonly<Record<string, readonly string[]>> = {
  'github.com': ['api.github.com', 'codeload.github.com', '*.githubusercontent.com'],
  'gitlab.com': [],
  'bitbucket.org': [],
  'codeberg.org': [],
}

/**
 * The hosts that the remotes of a repository name. Where sessions can write its settings (`isOpen`), they count only when
 * they are well known: a session must not let itself out by a line in them.
 */
function gitHosts(repository: string, isOpen: boolean): string[] {
  const named = remotesOf(repository).flatMap((url) => {
    const remote = parseRemote(url)
    if (!remote) return []
    const port = /^https?:/.test(remote.url) ? new URL(remote.url).port : ''
    return [port ? `${remote.host}:${port}` : remote.host]
  })
  const known = named.filter((host) => !isOpen || Object.hasOwn(FORGES, host))
  return [...new Set(known.flatMap((host) => [host, ...(FORGES[host] ?? [])]))]
}

function remotesOf(repository: string): string[] {
  const text = readText(join(repository, '.git', 'config')) ?? ''
  return [...text.matchAll(/^\s*url\s*=\s*(\S+)\s*$/gm)].map(([, url = '']) => url)
}
