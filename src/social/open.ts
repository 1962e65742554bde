import { join } from 'node:path'
import { ResponseWriter } from '../http/response-writer.ts'
import { readSocialConfig } from './config.ts'
import { createSocial, type Social, type SocialOptions } from './social.ts'
import { createWebsite } from './website.ts'

export interface OpenSocialOptions
  extends Pick<SocialOptions, 'home' | 'clock' | 'deadlines' | 'operator' | 'report' | 'writer'> {
  /** Host names of this server besides the loopback ones and those in `social.toml`. */
  readonly hosts: readonly string[]
  /** The environment variables that `social.toml` may name for secrets. */
  readonly env: Readonly<Record<string, string | undefined>>
}

/** Opens the network of a home as its `social.toml` configures it, with the pages for people. */
export function openSocial({
  home,
  clock,
  deadlines,
  operator,
  hosts,
  env,
  report,
  writer = new ResponseWriter({ deadlines }),
}: OpenSocialOptions): Promise<Social> {
  const config = readSocialConfig(join(home, 'social.toml'), env)
  return createSocial({
    ...{ home, clock, deadlines, report, writer },
    ...(operator !== undefined && { operator }),
    settings: config.settings,
    website: (network) =>
      createWebsite({
        ...{ network, clock, deadlines, report, writer },
        hosts: [...hosts, ...config.hosts],
        providers: config.providers,
      }),
  })
}
