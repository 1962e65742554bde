import type { AppError } from '../../core/errors.ts'
import {
  type GitCommandOptions,
  type GitResult,
  type GitRunner,
  gitErrorMessage,
  type HostLookup,
  parseRemote,
  type Remote,
  type RemoteAccess,
  remoteCommand,
  systemHosts,
  withoutSecrets,
} from '../git/index.ts'
import type { Credential } from './credentials.ts'
import { credentialRequired, invalidSource, remoteFailed } from './errors.ts'

/** Allowed sources of packs: any that the operator names, or only public hosts. */
export type SourcePolicy = 'any' | 'public'

/** Refs of a repository: its versions and its default commit. */
export interface RemoteRefs {
  readonly head: string | undefined
  /** Commits by tag. */
  readonly tags: ReadonlyMap<string, string>
}

export interface PackRemotesOptions {
  readonly git: GitRunner
  readonly policy: SourcePolicy
  readonly signal: AbortSignal
  /** The credential for `host/path`, if there is a rule for it. */
  readonly credential: (repository: string) => Promise<Credential | undefined>
  readonly hosts?: HostLookup
}

const TIMEOUT_MS = 5 * 60_000
const MAX_LISTING_BYTES = 32 * 1024 * 1024
const ASKS_WHO = new RegExp(
  [
    'Authentication failed|could not read (Username|Password)|terminal prompts disabled',
    'Permission denied \\(|requested URL returned error: 40[13]|Invalid username or',
  ].join('|'),
)

const REDIRECTS = /requested URL returned error: 30\d/
const STALLED = /Operation too slow/

/** Runs git against the repositories of packs, which are not trusted. */
export class PackRemotes {
  readonly #refs = new Map<string, Promise<RemoteRefs>>()

  constructor(private readonly options: PackRemotesOptions) {}

  /** Asks every repository again what it offers. */
  forget(): void {
    this.#refs.clear()
  }

  /** Refs of a repository; each is requested once. */
  refs(url: string): Promise<RemoteRefs> {
    const refs = this.#refs.get(url) ?? this.#readRefs(url)
    this.#refs.set(url, refs)
    return refs
  }

  /** Runs a git command that talks to a repository, with what it needs to reach it. */
  async run(url: string, words: readonly string[], options: Partial<GitCommandOptions> = {}): Promise<GitResult> {
    const access = await this.#access(url)
    const { settings, env } = remoteCommand(access)
    const schemes = this.options.policy === 'public' ? 'http:https:ssh' : 'http:https:ssh:file'
    const result = await this.runLocally([...settings, ...words], {
      ...options,
      env: { ...env, GIT_ALLOW_PROTOCOL: schemes, GIT_PROTOCOL_FROM_USER: '0' },
    })
    if (result.exitCode !== 0 && !result.exceeded && ASKS_WHO.test(result.stderr)) throw askFor(access)
    return { ...result, stderr: withoutSecrets(result.stderr, access.remote) }
  }

  /** Runs a git command that reads no configuration but the one it is given. */
  runLocally(words: readonly string[], options: Partial<GitCommandOptions> = {}): Promise<GitResult> {
    const settings = [
      'protocol.ext.allow=never',
      'submodule.recurse=false',
      'core.autocrlf=false',
      'core.symlinks=true',
    ]
    const { git, signal } = this.options
    return git.run([...settings.flatMap((setting) => ['-c', setting]), ...words], {
      ...{ timeout: TIMEOUT_MS, isolated: true, maxOutput: MAX_LISTING_BYTES },
      ...options,
      signal: options.signal ? AbortSignal.any([signal, options.signal]) : signal,
    })
  }

  async #readRefs(url: string): Promise<RemoteRefs> {
    const result = await this.run(url, ['ls-remote', '--quiet', '--', url, 'HEAD', 'refs/tags/*'])
    if (result.exitCode !== 0) throw remoteFailed(`the versions of ${url} cannot be read: ${describeFailure(result)}`)
    return parseRefs(result.stdout)
  }

  async #access(url: string): Promise<RemoteAccess> {
    if (url.startsWith('file://')) return this.#accessFolder(url)
    const remote = parseRemote(url)
    if (!remote || remote.url.startsWith('git:')) {
      throw invalidSource(`${url} is not the address of a repository: https://…, ssh://… or git@host:path`)
    }
    const { credential, policy, hosts = systemHosts } = this.options
    const addresses = policy === 'public' ? await requirePublicHost(remote.host, hosts) : undefined
    if (addresses?.length === 0) throw remoteFailed(`there is no host ${remote.host}`)
    const { sshKey, username, password } = (await credential(repositoryOf(remote))) ?? {}
    return {
      remote: password === undefined ? remote : { ...remote, username, password },
      ...(addresses && { addresses }),
      ...(sshKey && { sshKey }),
    }
  }

  #accessFolder(url: string): RemoteAccess {
    if (this.options.policy === 'public') throw invalidSource('file:// sources are not permitted over the API')
    return { remote: { url, host: '' } }
  }
}

/** The addresses of a host, none of which is private; empty when it is not found. */
export async function requirePublicHost(host: string, hosts: HostLookup): Promise<string[]> {
  const addresses = await hosts.addressesOf(host)
  if (addresses.every(hosts.isPublic)) return addresses
  throw invalidSource(
    `${host} is an internal or non-public host, which the API fetches nothing from; use \`gc import add\``,
  )
}

/** A repository as rules of credentials name it: `host/owner/name`. */
export function repositoryOf({ url, host }: Remote): string {
  const path = URL.canParse(url) ? new URL(url).pathname : (url.split(':')[1] ?? '')
  const port = URL.canParse(url) ? new URL(url).port : ''
  const name = path.replace(/^\/+|\/+$/g, '').replace(/\.git$/, '')
  return `${host.toLowerCase()}${port && `:${port}`}/${name}`
}

function askFor({ remote }: RemoteAccess): AppError {
  const [host = '', ...path] = repositoryOf(remote).split('/')
  return credentialRequired(host, path.join('/'))
}

export const describeFailure = (result: GitResult): string => {
  if (result.exceeded === 'time') return 'it took longer than five minutes'
  if (result.exceeded === 'output') return 'it sent more than gc reads'
  if (REDIRECTS.test(result.stderr)) return 'it leads to another address, which gc does not follow; import that one'
  if (STALLED.test(result.stderr)) return 'it sent nothing for two minutes'
  return gitErrorMessage(result)
}

function parseRefs(listing: string): RemoteRefs {
  const tags = new Map<string, string>()
  let head: string | undefined
  for (const line of listing.split('\n')) {
    const [commit = '', name = ''] = line.split('\t')
    if (!/^[0-9a-f]{40,64}$/.test(commit)) continue
    if (name === 'HEAD') head = commit
    // The commit of an annotated tag comes after the tag itself.
    else if (name.startsWith('refs/tags/')) tags.set(name.slice('refs/tags/'.length).replace(/\^\{\}$/, ''), commit)
  }
  return { head, tags }
}
