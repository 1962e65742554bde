import { hostname } from 'node:os'
import { join } from 'node:path'
import type { HttpListener } from '../http/listen.ts'
import { ResponseWriter } from '../http/respond/index.ts'
import { readSocialConfig } from './network/index.ts'
import { createWebsite } from './pages/index.ts'
import { createSocial, type Social, type SocialOptions } from './social.ts'

export interface OpenSocialOptions
  extends Pick<SocialOptions, 'home' | 'clock' | 'deadlines' | 'operator' | 'report' | 'writer' | 'metrics'> {
  readonly listener: {
    readonly host: string
    /** True if nothing but the network is served there. */
    readonly isOwn: boolean
    /** Bound address; called once it listens. */
    bound(): Pick<HttpListener, 'url' | 'port'>
  }
  /** Host names of this server besides the loopback ones and those in `social.toml`. */
  readonly hosts: readonly string[]
  /** Origins besides the loopback ones whose pages may call. */
  readonly origins: readonly string[]
  /** The environment variables that `social.toml` may name for secrets. */
  readonly env: Readonly<Record<string, string | undefined>>
}

/** A network, and what processes beside this one have to know of its configuration. */
export interface ConfiguredSocial extends Social {
  /** Host names of this server besides the loopback ones. */
  readonly hosts: readonly string[]
  /** True if people sign in here. */
  readonly hasProviders: boolean
}

/** Opens the network of a home as its `social.toml` configures it, with the pages for people. */
export async function openSocial({
  home,
  clock,
  deadlines,
  operator,
  listener,
  hosts: moreHosts,
  origins,
  env,
  report,
  writer = new ResponseWriter({ deadlines }),
  metrics,
}: OpenSocialOptions): Promise<ConfiguredSocial> {
  const config = readSocialConfig(join(home, 'social.toml'), env)
  const hosts = [...moreHosts, ...config.hosts]
  const social = await createSocial({
    ...{ home, clock, deadlines, hosts, origins, report, writer },
    ...(operator !== undefined && { operator }),
    ...(metrics && { metrics }),
    settings: config.settings,
    listener: { ...listener, url: () => linkBaseOf(listener, hosts) },
    website: (network, shared) =>
      createWebsite({
        ...{ network, ...shared, clock, deadlines, hosts, operator, report, writer },
        providers: config.providers,
      }),
  })
  return { ...social, hosts, hasProviders: config.providers.length > 0 }
}

/** The base of links to the network: a server that listens on every address has a name instead of one. */
function linkBaseOf({ host, bound }: OpenSocialOptions['listener'], [name = hostname()]: readonly string[]): string {
  const { url, port } = bound()
  return ['0.0.0.0', '::'].includes(host) ? `http://${name}:${port}` : url
}
