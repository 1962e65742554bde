import type { ForgeTokens } from '../../config/accounts/index.ts'
import { parseRemote } from '../../config/git/index.ts'
import type { LandForgeConfig } from '../../config/land/index.ts'
import type { Clock } from '../../core/clock.ts'
import { ForgeClient } from './client.ts'
import { type Forge, ForgeProblem } from './forge.ts'
import { Gitea } from './gitea.ts'
import { GitHub } from './github.ts'

export interface OpenForgeOptions {
  readonly tokens: Pick<ForgeTokens, 'for'>
  readonly clock: Clock
  /** The time-out of one request, in milliseconds. */
  readonly timeout?: number
}

/** The repository that a forge declaration names; throws a {@link ForgeProblem} without a token for its host. */
export function openForge({ kind, url, repository }: LandForgeConfig, options: OpenForgeOptions): Forge {
  const { host, origin, pathname } = new URL(url)
  const token = options.tokens.for(host)
  if (token === undefined) {
    throw new ForgeProblem(`there is no token for ${host}; add one with \`gc rig token add --host ${host}\``)
  }
  const root = `${origin}${pathname.replace(/\/+$/, '')}`
  const shared = { token, clock: options.clock, ...(options.timeout && { timeout: options.timeout }) }
  if (kind === 'gitea') {
    return new Gitea(new ForgeClient({ ...shared, api: `${root}/api/v1`, scheme: 'token' }), repository)
  }
  const isPublic = host === 'github.com'
  const api = isPublic ? 'https://api.github.com' : `${root}/api/v3`
  const graphql = isPublic ? 'https://api.github.com/graphql' : `${root}/api/graphql`
  const client = new ForgeClient({ ...shared, api, scheme: 'Bearer', accept: 'application/vnd.github+json' })
  return new GitHub(client, { repository, graphql })
}

/** The repository that the address of a remote names at GitHub; undefined for other hosts, whose kind it does not tell. */
export function forgeOfRemote(address: string): LandForgeConfig | undefined {
  const remote = parseRemote(address)
  if (remote?.host.toLowerCase() !== 'github.com') return undefined
  const path = URL.canParse(remote.url) ? new URL(remote.url).pathname : remote.url.replace(/^[^:]*:/, '')
  const [, repository] = /^\/*([\w.-]+\/[\w.-]+?)(?:\.git)?\/*$/.exec(path) ?? []
  return repository === undefined ? undefined : { kind: 'github', url: 'https://github.com', repository }
}
