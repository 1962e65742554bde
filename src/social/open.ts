import { join } from 'node:path'
import { readSocialFile } from './claim/settings-file.ts'
import { createPeople } from './people.ts'
import { createSocial, type Social, type SocialOptions } from './social.ts'

export interface OpenOptions extends Pick<SocialOptions, 'home' | 'clock' | 'deadlines' | 'operator' | 'report'> {
  /** Names of this server beside those of this machine and those in `social.toml`. */
  readonly hosts: readonly string[]
  /** Where secrets that `social.toml` names may stand. */
  readonly env: Readonly<Record<string, string | undefined>>
}

/** Opens the network of a home as its `social.toml` says, with the pages for people. */
export function openSocial({ home, clock, deadlines, operator, hosts, env, report }: OpenOptions): Social {
  const file = readSocialFile(join(home, 'social.toml'), env)
  return createSocial({
    ...{ home, clock, deadlines, report },
    ...(operator !== undefined && { operator }),
    settings: file.settings,
    pages: (network) =>
      createPeople({
        ...{ network, clock, deadlines, report },
        hosts: [...hosts, ...file.hosts],
        providers: file.providers,
      }),
  })
}
