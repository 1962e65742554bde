import { type Clock, toTimestamp } from '../../core/clock.ts'
import { AppError } from '../../core/errors.ts'
import { FileSnapshot } from '../files/file-snapshot.ts'
import { builtinPackOf } from './builtin.ts'
import type { PackCheckouts } from './checkouts.ts'
import { remoteFailed } from './errors.ts'
import { type DeclaredImport, readPackImports } from './imports.ts'
import { type ImportingFolder, locatePack, type PackFolders } from './locate.ts'
import { type LockedPack, lockedPack, type PackLock } from './lock.ts'
import type { PackRemotes } from './remotes.ts'
import { type GitPackSource, parsePackSource } from './source.ts'
import { compareVersions, parseConstraint, parseVersion, satisfies, type Version } from './version.ts'

/** What may be chosen anew besides what is not locked: nothing, what no longer fits, or what is named. */
export type ResolveMode = { readonly kind: 'locked' | 'needed' } | { readonly kind: 'upgrade'; readonly name?: string }

export interface ResolverOptions {
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
export class PackResolver {
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
