import { realpathSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type Clock, toTimestamp } from '../../core/clock.ts'
import type { Deadlines } from '../../core/deadlines.ts'
import { AppError } from '../../core/errors.ts'
import { type Drafts, FileSnapshot } from '../files/index.ts'
import { type GitRunner, type HostLookup, parseRemote, systemHosts } from '../git/index.ts'
import { builtinPackOf } from './builtin-packs.ts'
import { PackCheckouts } from './checkouts.ts'
import { type Credential, findRule, loadRules, resolveCredential } from './credentials.ts'
import { addImport, findImport, type ImportDraft, removeImport, requireFreeBinding } from './edit-imports.ts'
import { invalidSource, remoteFailed } from './errors.ts'
import { type DeclaredImport, readCityImports, readPackImports } from './imports.ts'
import { isInside } from './links.ts'
import { type ImportingFolder, locatePack, PACK_FILE, type PackFolders } from './locate.ts'
import { isSameLock, LOCK_FILE, type LockedPack, lockedPack, type PackLock, readLock, renderLock } from './lock.ts'
import { PackRemotes, requirePublicHost, type SourcePolicy } from './remotes.ts'
import { type GitPackSource, type LocalPackSource, parsePackSource } from './source.ts'
import { compareVersions, highestVersion, parseConstraint, parseVersion, satisfies, type Version } from './version.ts'

/**
 * Writes drafts that are made from a state of the city's files, unless they would not compose. They are made again when
 * somebody else wrote.
 */
export type WriteImports = (makeDrafts: (files: FileSnapshot) => Promise<Drafts>) => Promise<void>

export interface PackManagerOptions {
  /** The city's folder, and `GC_HOME`. */
  readonly path: string
  readonly home: string
  readonly folders: PackFolders
  readonly git: GitRunner
  readonly clock: Clock
  readonly deadlines: Deadlines
  readonly env: Readonly<Record<string, string | undefined>>
  readonly policy: SourcePolicy
  readonly signal: AbortSignal
  readonly progress: (message: string) => void
  readonly write: WriteImports
  readonly hosts?: HostLookup
}

/** An import as it was added. */
export interface AddedImport {
  readonly name: string
  readonly source: string
  readonly version?: string
  readonly isGit: boolean
}

export interface AddOptions {
  readonly name?: string
  readonly version?: string
  readonly rig?: string
}

/** Brings the packs that a city imports to this machine, and changes what it imports. */
export class PackManager {
  readonly checkouts: PackCheckouts
  readonly #remotes: PackRemotes

  constructor(private readonly options: PackManagerOptions) {
    const { folders, clock, deadlines, git, policy, signal, hosts } = options
    this.checkouts = new PackCheckouts({ folder: folders.checkouts, clock, deadlines })
    const credential = credentialSource(options)
    this.#remotes = new PackRemotes({ git, policy, signal, credential, ...(hosts && { hosts }) })
  }

  /** Fetches what the lock names, and chooses versions of what it does not name. */
  install(): Promise<PackLock> {
    return this.#relock({ kind: 'locked' })
  }

  /** Chooses the newest versions that fit, of one import or of all. */
  async upgrade(name?: string): Promise<PackLock> {
    if (name !== undefined) findImport(this.#imports(), name)
    return this.#relock({ kind: 'upgrade', ...(name !== undefined && { name }) })
  }

  /** Fetches a pack and imports it. */
  async add(text: string, { name, version, rig }: AddOptions = {}): Promise<AddedImport> {
    const { policy, hosts = systemHosts, write } = this.options
    const source = text.trim()
    this.#remotes.forget()
    const parsed = await checkSource(source, version, policy, hosts)
    const named = { binding: name || defaultName(source), source, ...(version && { version }), ...(rig && { rig }) }
    requireFreeBinding(this.#imports(), named)
    const { draft, locked } = await (parsed.kind === 'git'
      ? this.#gitDraft(named, parsed)
      : this.#folderDraft(named, parsed))
    await write(async (files) => {
      requireFreeBinding(readCityImports(files.city), draft)
      const lock = readLock(files)
      const start = locked ? new Map([...lock, [draft.source, locked] as const]) : lock
      return this.#relocked(addImport(files.city, draft), lock, start)
    })
    return {
      ...{ name: draft.binding, source: draft.source, isGit: parsed.kind === 'git' || locked !== undefined },
      ...(draft.version && { version: draft.version }),
    }
  }

  /** Imports a pack no longer. What was fetched stays until it is pruned. */
  async remove(name: string, rig?: string): Promise<void> {
    await this.options.write(async (files) => {
      const edited = removeImport(files.city, findImport(readCityImports(files.city), name, rig))
      const lock = readLock(files)
      const rest = new Set(
        readCityImports(new FileSnapshot(this.options.path, edited).city).map(({ source }) => source),
      )
      const gone = readCityImports(files.city).filter(({ source }) => !rest.has(source))
      const left = new Map([...lock].filter(([source]) => !gone.some((each) => each.source === source)))
      return isSameLock(left, lock) ? edited : new Map([...edited, [LOCK_FILE, renderLock(left)]])
    })
  }

  async #relock(mode: ResolveMode): Promise<PackLock> {
    let resolved: PackLock = new Map()
    this.#remotes.forget()
    await this.options.write(async (files) => {
      const lock = readLock(files)
      resolved = await this.#resolve(readCityImports(files.city), lock, mode)
      return this.#keepsLock(lock, resolved, mode) ? new Map() : new Map([[LOCK_FILE, renderLock(resolved)]])
    })
    return resolved
  }

  /** True if nothing new is locked; what is locked and not imported goes with the next change. */
  #keepsLock(lock: PackLock, resolved: PackLock, mode: ResolveMode): boolean {
    const unchanged = [...resolved.keys()].flatMap((source) => {
      const locked = lock.get(source)
      return locked ? [[source, locked] as const] : []
    })
    return isSameLock(mode.kind === 'locked' ? new Map(unchanged) : lock, resolved)
  }

  /** Edited files together with the lock that they come to, which is written last. */
  async #relocked(edited: Drafts, lock: PackLock, start: PackLock): Promise<Drafts> {
    const imports = readCityImports(new FileSnapshot(this.options.path, edited).city)
    const resolved = await this.#resolve(imports, start, { kind: 'needed' })
    return isSameLock(lock, resolved) ? edited : new Map([...edited, [LOCK_FILE, renderLock(resolved)]])
  }

  async #resolve(imports: readonly DeclaredImport[], lock: PackLock, mode: ResolveMode): Promise<PackLock> {
    const { path: city, folders, clock, progress } = this.options
    const { checkouts } = this
    const remotes = this.#remotes
    const resolver = new PackResolver({ city, folders, checkouts, remotes, clock, progress })
    const resolved = await resolver.resolve(imports, lock, mode)
    // Nothing is fetched of what gc answers itself; its pins stay, for other programs that read the lock.
    const sources = new Set(imports.map(({ source }) => source))
    const answered = [...lock].filter(([source]) => sources.has(source) && builtinPackOf(parsePackSource(source)))
    return new Map([...answered, ...resolved])
  }

  async #gitDraft(draft: ImportDraft, parsed: GitPackSource): Promise<{ draft: ImportDraft; locked?: LockedPack }> {
    if (draft.version || builtinPackOf(parsed)) return { draft }
    const { tags, head } = await this.#remotes.refs(parsed.url)
    const highest = highestVersion(tags.keys())
    const version = highest ? `^${highest[0]}.${highest[1]}` : head && `sha:${head}`
    return { draft: { ...draft, ...(version && { version }) } }
  }

  /** A folder outside the city that is committed somewhere is imported from there, so that it is the same everywhere. */
  async #folderDraft(
    draft: ImportDraft,
    { path }: LocalPackSource,
  ): Promise<{ draft: ImportDraft; locked?: LockedPack }> {
    const folder = resolve(this.options.path, path)
    if (new FileSnapshot(folder).city.text(PACK_FILE) === undefined) {
      throw invalidSource(`there is no ${PACK_FILE} in ${folder}`)
    }
    if (isInside(this.options.path, folder)) return { draft }
    const committed = await findCommittedFolder(folder, this.#remotes)
    if (!committed) return { draft }
    const { source, commit } = committed
    const version = `sha:${commit}`
    const fetched = toTimestamp(this.options.clock.now())
    return { draft: { ...draft, source, version }, locked: { version, commit, fetched } }
  }

  #imports(): DeclaredImport[] {
    return readCityImports(new FileSnapshot(this.options.path).city)
  }
}

/** A folder as the repository that holds it at a commit. */
interface CommittedFolder {
  readonly source: string
  readonly url: string
  readonly commit: string
}

/** The repository that a pack's folder is committed in, as it is now; undefined when it is in none, or has changes. */
async function findCommittedFolder(path: string, remotes: PackRemotes): Promise<CommittedFolder | undefined> {
  const folder = realpathSync(path)
  const ask = async (...words: string[]) => {
    const { exitCode, stdout } = await remotes.runLocally(['-C', folder, ...words])
    return exitCode === 0 ? stdout.trim() : undefined
  }
  const top = await ask('rev-parse', '--show-toplevel')
  const commit = top && (await ask('rev-parse', '--verify', 'HEAD^{commit}'))
  if (!top || !commit) return undefined
  const subpath = relative(realpathSync(top), folder)
  if ((await ask('cat-file', '-e', `HEAD:${join(subpath, PACK_FILE)}`)) === undefined) return undefined
  if ((await ask('status', '--porcelain', '--', '.')) !== '') return undefined
  const url = pathToFileURL(realpathSync(top)).href
  return { source: subpath === '' ? url : `${url}//${subpath}`, url, commit }
}

interface CredentialSourceOptions {
  /** The city's folder, and `GC_HOME`. */
  readonly path: string
  readonly home: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly deadlines: Deadlines
  readonly signal: AbortSignal
}

const HELPER_TIMEOUT_MS = 30_000

/** Finds the credential that is shown to a repository, by the rules of the city and of the machine. */
const credentialSource =
  (options: CredentialSourceOptions) =>
  async (repository: string): Promise<Credential | undefined> => {
    const rule = findRule(loadRules(options.path, options.home), repository)
    const runHelper = (command: string) => run(command, options)
    return rule && resolveCredential(rule, { env: options.env, runHelper })
  }

/** Runs a person's own command that prints a secret. */
async function run(command: string, { env, deadlines, signal }: CredentialSourceOptions): Promise<string> {
  const { GC_TOKEN: _token, ...own } = env
  const child = Bun.spawn(['sh', '-c', command], { env: own, stdin: 'ignore', stdout: 'pipe', stderr: 'ignore' })
  const kill = () => child.kill('SIGKILL')
  const deadline = deadlines.after(HELPER_TIMEOUT_MS, kill)
  signal.addEventListener('abort', kill, { once: true })
  try {
    const [exitCode, output] = await Promise.all([child.exited, new Response(child.stdout).text()])
    if (exitCode !== 0) throw new Error(`the helper exited with status ${exitCode}`)
    return output.split('\n')[0] ?? ''
  } finally {
    deadline.cancel()
    signal.removeEventListener('abort', kill)
  }
}

const NO_REPOSITORY = 'it is not the address of a repository: https://…, ssh://… or git@host:path'

/** The source of an import that should be added; throws when no one may give it. */
async function checkSource(
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

/** Default name of an import: the last word of its source. */
const defaultName = (source: string): string =>
  source
    .replace(/#.*$/, '')
    .replace(/\/+$/, '')
    .replace(/\/pack\.toml$/, '')
    .split(/[/:]/)
    .at(-1)
    ?.replace(/\.git$/, '') ?? ''

/** Entries to resolve besides unlocked ones: none, those that no longer fit, or named ones. */
type ResolveMode = { readonly kind: 'locked' | 'needed' } | { readonly kind: 'upgrade'; readonly name?: string }

interface ResolverOptions {
  readonly city: string
  readonly folders: PackFolders
  readonly checkouts: PackCheckouts
  readonly remotes: PackRemotes
  readonly clock: Clock
  /** Says what is being fetched. */
  readonly progress: (message: string) => void
}

interface Wanted {
  readonly source: string
  readonly git: GitPackSource
  readonly constraints: Set<string>
  readonly importers: Set<string>
}

const MAX_PACKS = 1000
const MAX_ROUNDS = 20

/** Chooses a commit for every repository that the imports of a city lead to, and fetches each of them. */
class PackResolver {
  readonly #chosen = new Map<string, LockedPack>()

  constructor(private readonly options: ResolverOptions) {}

  /** The lock that the imports come to. Every commit in it is in the cache when this resolves. */
  async resolve(imports: readonly DeclaredImport[], lock: PackLock, mode: ResolveMode): Promise<PackLock> {
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const wanted = await this.#walk(imports, lock, mode)
      const unfit = [...wanted.values()].filter((each) => !this.#fits(each))
      if (unfit.length === 0) return new Map([...wanted.keys()].map((source) => [source, this.#lockedAs(source)]))
      for (const each of unfit) await this.#choose(each, lock, mode)
    }
    throw remoteFailed(
      'the versions that the packs ask of each other do not settle; pin one with a version in pack.toml',
    )
  }

  /** Every repository that the chosen commits lead to, with what is asked of it. */
  async #walk(imports: readonly DeclaredImport[], lock: PackLock, mode: ResolveMode): Promise<Map<string, Wanted>> {
    const wanted = new Map<string, Wanted>()
    const visited = new Set<string>()
    const queue = imports.map((each) => ({
      each,
      from: { folder: this.options.city } as ImportingFolder,
      remote: false,
    }))
    for (let next = queue.shift(); next; next = queue.shift()) {
      const { each, from, remote } = next
      const parsed = parsePackSource(each.source)
      if (parsed.kind === 'invalid')
        throw new AppError('invalid-request', `the source of import "${each.binding}" ${parsed.reason}`)
      if (parsed.kind === 'git' && remote && parsed.url.startsWith('file://')) {
        throw new AppError(
          'invalid-request',
          `import "${each.binding}" of a fetched pack names ${each.source}, a folder of this machine`,
        )
      }
      if (parsed.kind === 'git' && !builtinPackOf(parsed)) await this.#want(wanted, each, parsed, lock, mode)
      const location = this.#locate(each, from)
      if (location.kind === 'missing') {
        // A folder that is not there is nothing to fetch; composing says where it is named.
        if (parsed.kind === 'local' || (this.#chosen.has(each.source) && !this.#fitsImport(each))) continue
        throw new AppError('invalid-request', location.reason)
      }
      if (visited.has(location.folder)) continue
      visited.add(location.folder)
      if (visited.size > MAX_PACKS)
        throw new AppError('invalid-request', `the imports lead to more than ${MAX_PACKS} packs`)
      const isRemote = remote || (parsed.kind === 'git' && !parsed.url.startsWith('file://'))
      const snapshot = new FileSnapshot(location.folder)
      queue.push(...readPackImports(snapshot.city).map((inner) => ({ each: inner, from: location, remote: isRemote })))
    }
    return wanted
  }

  async #want(
    all: Map<string, Wanted>,
    { binding, source, version }: DeclaredImport,
    git: GitPackSource,
    lock: PackLock,
    mode: ResolveMode,
  ): Promise<void> {
    const wanted = all.get(source) ?? { source, git, constraints: new Set<string>(), importers: new Set<string>() }
    all.set(source, wanted)
    wanted.importers.add(binding)
    if (version) wanted.constraints.add(version)
    if (version && !parseConstraint(version)) {
      throw new AppError(
        'invalid-request',
        `the version "${version}" of import "${binding}" is neither sha:<commit> nor a range such as ^1.2`,
      )
    }
    if (!this.#chosen.has(source)) await this.#choose(wanted, lock, mode)
  }

  async #choose(wanted: Wanted, lock: PackLock, mode: ResolveMode): Promise<void> {
    const { source, git } = wanted
    const locked = lockedPack(lock, source, git.url)
    const chosen = locked && this.#keeps(wanted, locked, mode) ? locked : await this.#newest(wanted, locked, mode)
    if (!this.options.checkouts.has(git.url, chosen.commit)) {
      this.options.progress(`fetching ${git.url} ${chosen.version}`)
      await this.options.checkouts.fetch(git.url, chosen.commit, this.options.remotes)
    }
    this.#chosen.set(source, chosen)
  }

  #keeps({ constraints, importers }: Wanted, locked: LockedPack, mode: ResolveMode): boolean {
    const isNamed = mode.kind === 'upgrade' && (mode.name === undefined || importers.has(mode.name))
    if (isNamed) return false
    return [...constraints].every((constraint) => satisfies(constraint, locked))
  }

  async #newest(wanted: Wanted, locked: LockedPack | undefined, mode: ResolveMode): Promise<LockedPack> {
    const { git, constraints, importers } = wanted
    if (mode.kind === 'locked' && locked) {
      const message = `import "${[...importers][0]}" asks for ${[...constraints].join(', ')}, and packs.lock has ${locked.version}`
      throw new AppError('conflict-wrong-state', `${message}; run \`gc import upgrade\``)
    }
    const fetched = toTimestamp(this.options.clock.now())
    const pinned = [...constraints].map(parseConstraint).find((constraint) => constraint?.kind === 'commit')
    if (pinned?.kind === 'commit' && pinned.commit.length >= 40) {
      const chosen = { version: `sha:${pinned.commit}`, commit: pinned.commit, fetched }
      if ([...constraints].every((constraint) => satisfies(constraint, chosen))) return chosen
    }
    const { head, tags } = await this.options.remotes.refs(git.url)
    const all = [...tags].flatMap(([tag, commit]) => toCandidate(tag, commit))
    const fitting = all.filter(({ version, commit }) =>
      [...constraints].every((constraint) => satisfies(constraint, { version: version.join('.'), commit })),
    )
    const best = fitting.sort((a, b) => compareVersions(b.version, a.version))[0]
    if (best) return { version: best.version.join('.'), commit: best.commit, fetched }
    if (head && constraints.size === 0) return { version: `sha:${head}`, commit: head, fetched }
    throw remoteFailed(
      this.#noVersion(
        wanted,
        all.map(({ version }) => version.join('.')),
      ),
    )
  }

  #noVersion({ git, constraints, importers }: Wanted, versions: readonly string[]): string {
    const constraint = [...constraints].join(', ') || 'any version'
    const offered =
      versions.length > 0
        ? `it has ${versions.slice(-10).join(', ')}`
        : 'it has no versions, and no commit to begin with'
    return `${git.url} has no version that fits ${constraint}, asked for by ${[...importers].join(', ')}; ${offered}`
  }

  #fits({ source, constraints }: Wanted): boolean {
    const chosen = this.#chosen.get(source)
    return chosen !== undefined && [...constraints].every((constraint) => satisfies(constraint, chosen))
  }

  #fitsImport({ source, version }: DeclaredImport): boolean {
    const chosen = this.#chosen.get(source)
    return chosen !== undefined && satisfies(version, chosen)
  }

  #locate(each: DeclaredImport, from: ImportingFolder) {
    const { city, folders } = this.options
    return locatePack(each, from, { files: new FileSnapshot(city), lock: this.#chosen, folders })
  }

  #lockedAs(source: string): LockedPack {
    const chosen = this.#chosen.get(source)
    if (!chosen) throw new Error(`${source} was not resolved`)
    return chosen
  }
}

function toCandidate(tag: string, commit: string): { version: Version; commit: string }[] {
  const version = parseVersion(tag)
  return version ? [{ version, commit }] : []
}
