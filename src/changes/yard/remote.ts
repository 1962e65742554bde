import { isAbsolute, resolve } from 'node:path'
import type { Repository } from '../../agents/worktrees/index.ts'
import { gitErrorMessage, parseRemote, remoteCommand, withoutSecrets } from '../../config/git/index.ts'
import { AppError } from '../../core/errors.ts'
import { redactLine } from '../../core/text/index.ts'
import { type LfsPointer, missingLfs } from './lfs.ts'
import type { UserGit } from './user-git.ts'
import type { Yard } from './yard.ts'

const LOOK_TIMEOUT_MS = 60_000
const FETCH_TIMEOUT_MS = 600_000
const PUSH_TIMEOUT_MS = 600_000
/** Lines of a remote about a push that it rejects. */
const MAX_REMOTE_LINES = 5
const COMMIT = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/

/** The branch that changes land on, where everybody sees it. What it has is known only by looking. */
export interface Target {
  /** The commit of the branch now, whose history is then in the yard; undefined where there is no such branch. */
  look(): Promise<string | undefined>
  /**
   * Moves the branch from `old` to `next`, which are commits of the yard. What is returned is what git printed, for people:
   * it says nothing about what happened.
   */
  push(old: string, next: string): Promise<string>
  /** The pointers of Git LFS whose files are not where the branch is. */
  missingLfs(pointers: readonly LfsPointer[]): Promise<LfsPointer[]>
}

/** The address of a remote as a rig declares it. */
export interface RemoteAddress {
  readonly url: string
  readonly username?: string
  readonly password?: string
}

/** The address of a rig's remote. Agents may have written the configuration that names it: nothing there is run. */
export async function remoteAddress(rig: Repository, name: string): Promise<RemoteAddress> {
  const { url = '', pushurl: pushUrl = '' } = await addressesOf(rig, name)
  if (url === '')
    throw new AppError(
      'service-unavailable',
      `${rig.path} has no remote ${name}; add it with git remote add, or land with mode = "local"`,
    )
  if (pushUrl !== '' && pushUrl !== url) {
    const what = `remote ${name} of ${rig.path} is pushed to another address than it is fetched from`
    throw new AppError(
      'service-unavailable',
      `${what}, so that gc cannot see what it pushed; name another in [rigs.land]`,
    )
  }
  const remote = parseRemote(url)
  if (remote) return remote
  if (url.startsWith('file://')) return { url }
  if (url.startsWith('-') || /^[A-Za-z][A-Za-z0-9+.-]*:/.test(url)) {
    throw new AppError('service-unavailable', `remote ${name} of ${rig.path} has an address that gc does not use`)
  }
  return { url: isAbsolute(url) ? url : resolve(rig.path, url) }
}

/** The first address of each kind that a repository declares for a remote. */
async function addressesOf(rig: Repository, name: string): Promise<{ url?: string; pushurl?: string }> {
  const pattern = `^remote\\.${name.replaceAll(/[^\w-]/g, '\\$&')}\\.(push)?url$`
  const result = await rig.execute(['config', '--null', '--get-regexp', pattern])
  if (result.exitCode > 1 || result.exceeded) {
    const what = `the remotes of ${rig.path} cannot be read: ${gitErrorMessage(result)}`
    throw new AppError('service-unavailable', what)
  }
  const entries = result.stdout.split('\0').map((entry) => {
    const end = entry.indexOf('\n')
    return [entry.slice(0, end).replace(/^.*\./, ''), entry.slice(end + 1)] as const
  })
  return Object.fromEntries(entries.reverse())
}

/** A branch of a remote repository, reached with what the user's own git knows of it. */
export class RemoteBranch implements Target {
  /** The commit that was seen last, which the yard keeps. */
  #kept: string | undefined

  constructor(
    private readonly user: UserGit,
    private readonly yard: Yard,
    private readonly address: RemoteAddress,
    readonly branch: string,
  ) {}

  get ref(): string {
    return `refs/heads/${this.branch}`
  }

  async look(): Promise<string | undefined> {
    const git = await this.#reaching()
    const commit = await this.#list(git)
    if (commit === undefined) return undefined
    if (commit === this.#kept) return commit
    const kept = `refs/gc/base/${this.branch}`
    if (await this.yard.has(commit)) {
      await this.yard.pin({ [kept]: commit })
      this.#kept = commit
      return commit
    }
    const fetched = await git.execute([...FETCH, this.address.url, `+${this.ref}:${kept}`], {
      timeout: FETCH_TIMEOUT_MS,
    })
    if (fetched.exitCode !== 0) throw this.#unreachable(fetched)
    return this.yard.own.run('rev-parse', '--verify', `${kept}^{commit}`)
  }

  async push(old: string, next: string): Promise<string> {
    const git = await this.#reaching()
    const lease = `--force-with-lease=${this.ref}:${old}`
    const args = ['push', '--porcelain', '--atomic', lease, '--', this.address.url, `${next}:${this.ref}`]
    const result = await git.execute(args, { timeout: PUSH_TIMEOUT_MS })
    if (result.exitCode === 0) return ''
    // Hooks and forges explain themselves in these lines.
    const said = [...result.stderr.matchAll(/^remote: +(\S.*?)\s*$/gm)]
      .map(([, line]) => line)
      .slice(0, MAX_REMOTE_LINES)
    return this.#clean([gitErrorMessage(result), ...new Set(said)].join('; '), result.stdout)
  }

  /** Deletes the branch if it is at a commit still, and returns what is so then: looking decides, not what git answers. */
  async remove(at: string): Promise<'gone' | 'moved' | 'kept'> {
    const git = await this.#reaching()
    const before = await this.#list(git)
    if (before !== at) return before === undefined ? 'gone' : 'moved'
    const lease = `--force-with-lease=${this.ref}:${at}`
    await git.execute(['push', '-q', lease, '--', this.address.url, `:${this.ref}`], { timeout: LOOK_TIMEOUT_MS })
    const after = await this.#list(git)
    return after === undefined ? 'gone' : after === at ? 'kept' : 'moved'
  }

  /** The commit that the remote names for the branch. */
  async #list(git: Repository): Promise<string | undefined> {
    const listed = await git.execute(['ls-remote', '--', this.address.url, this.ref], { timeout: LOOK_TIMEOUT_MS })
    if (listed.exitCode !== 0) throw this.#unreachable(listed)
    const line = listed.stdout.split('\n').find((each) => each.endsWith(`\t${this.ref}`))
    const commit = line?.slice(0, line.indexOf('\t'))
    if (commit === undefined || COMMIT.test(commit)) return commit
    throw new AppError('service-unavailable', 'the remote answered with no commit')
  }

  /** The pointers of Git LFS whose files the remote does not have. */
  missingLfs(pointers: readonly LfsPointer[]): Promise<LfsPointer[]> {
    return missingLfs(pointers, this.address, async (url) => {
      const { protocol, host, pathname } = new URL(url)
      const input = `protocol=${protocol.slice(0, -1)}\nhost=${host}\npath=${pathname.slice(1)}\n\n`
      const git = await this.#reaching()
      const { exitCode, stdout } = await git.execute(['credential', 'fill'], { input: Buffer.from(input) })
      const found = (name: string) => new RegExp(`^${name}=(.*)$`, 'm').exec(stdout)?.[1]
      const [username = '', password = ''] = [found('username'), found('password')]
      return exitCode === 0 && password !== '' ? { username, password } : undefined
    })
  }

  #unreachable(result: Parameters<typeof gitErrorMessage>[0]): AppError {
    return new AppError('service-unavailable', `the remote cannot be read: ${this.#clean(gitErrorMessage(result), '')}`)
  }

  /** Most informative line of push's output: the reason of a rejected branch. */
  #clean(message: string, printed: string): string {
    const [, reason] = /^!\t[^\t]*\t(.+)$/m.exec(printed) ?? []
    const { url, password } = this.address
    const text = withoutSecrets([message, reason].filter(Boolean).join(': '), {
      ...{ url, host: '' },
      ...(password && { password }),
    })
    return redactLine(text).slice(0, 500)
  }

  async #reaching(): Promise<Repository> {
    const { url, username, password } = this.address
    const reach = await this.user.reach()
    const env = { ...reach.env, GIT_ALLOW_PROTOCOL: 'file:git:http:https:ssh' }
    const settings: (readonly [string, string])[] = [
      ...reach.settings,
      ...[['http.followRedirects', 'false'] as const, ['http.lowSpeedLimit', '1'] as const],
      ['http.lowSpeedTime', '120'],
    ]
    if (password === undefined) return this.yard.using(settings, env)
    const given = remoteCommand({ remote: { url, host: '', ...(username && { username }), password } })
    const words = given.settings.filter((word) => word !== '-c')
    const own = words.map((word) => [word.slice(0, word.indexOf('=')), word.slice(word.indexOf('=') + 1)] as const)
    return this.yard.using([...settings, ...own], { ...env, ...given.env })
  }
}

const FETCH = [
  'fetch',
  '-q',
  '--no-tags',
  '--no-write-fetch-head',
  '--no-recurse-submodules',
  '--no-auto-maintenance',
  '--',
]
