import { type HostLookup, parseRemote, systemHosts } from '../git/remote.ts'
import { invalidSource } from './errors.ts'
import { requirePublicHost, type SourcePolicy } from './remotes.ts'
import { type GitPackSource, type LocalPackSource, parsePackSource } from './source.ts'

const NO_REPOSITORY = 'it is not the address of a repository: https://…, ssh://… or git@host:path'

/** The source of an import that is to be added; throws when nobody may give it. */
export async function checkSource(
  source: string,
  version: string | undefined,
  policy: SourcePolicy,
  hosts: HostLookup = systemHosts,
): Promise<GitPackSource | LocalPackSource> {
  const parsed = parsePackSource(source)
  if (parsed.kind === 'invalid') throw invalidSource(`it ${parsed.reason}`)
  if (parsed.kind === 'local') {
    if (policy === 'public') {
      throw invalidSource('local filesystem sources are not permitted over the API; use a remote git URL')
    }
    if (/^[a-z][a-z0-9+.-]*:[:/]/i.test(source)) throw invalidSource(NO_REPOSITORY)
    if (version) throw invalidSource('a local folder has no versions; leave the version out')
    return parsed
  }
  if (parsed.url.startsWith('file://')) {
    if (policy === 'public') throw invalidSource('file:// sources are not permitted over the API')
  } else {
    await checkRemote(parsed, policy, hosts)
  }
  if (source.includes('#')) throw invalidSource('give the branch or tag as a version, not in the address')
  return parsed
}

async function checkRemote({ url }: GitPackSource, policy: SourcePolicy, hosts: HostLookup): Promise<void> {
  const remote = parseRemote(url)
  if (!remote) throw invalidSource(NO_REPOSITORY)
  if (policy === 'public') await requirePublicHost(remote.host, hosts)
  if (remote.username !== undefined || remote.password !== undefined) {
    throw invalidSource(
      `a credential in the address would be written to files that are shared; leave it out and run \`gc import credential add ${remote.host}\``,
    )
  }
}

/** What an import is called that is given no name: the last word of its source. */
export const defaultName = (source: string): string =>
  source
    .replace(/#.*$/, '')
    .replace(/\/+$/, '')
    .replace(/\/pack\.toml$/, '')
    .split(/[/:]/)
    .at(-1)
    ?.replace(/\.git$/, '') ?? ''
