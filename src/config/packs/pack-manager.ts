import { resolve } from 'node:path'
import { type Clock, toTimestamp } from '../../core/clock.ts'
import type { Deadlines } from '../../core/deadlines.ts'
import { type Drafts, FileSnapshot } from '../files/file-snapshot.ts'
import type { GitRunner } from '../git/git-runner.ts'
import { type HostLookup, systemHosts } from '../git/remote.ts'
import { builtinPackOf } from './builtin.ts'
import { checkSource, defaultName } from './check-source.ts'
import { PackCheckouts } from './checkouts.ts'
import { credentialSource } from './credential-source.ts'
import { addImport, findImport, type ImportDraft, removeImport, requireFreeBinding } from './edit-imports.ts'
import { invalidSource } from './errors.ts'
import { type DeclaredImport, readCityImports } from './imports.ts'
import { isInside } from './links.ts'
import { findCommittedFolder } from './local-repository.ts'
import { PACK_FILE, type PackFolders } from './locate.ts'
import { isSameLock, LOCK_FILE, type LockedPack, type PackLock, readLock, renderLock } from './lock.ts'
import { PackRemotes, type SourcePolicy } from './remotes.ts'
import { PackResolver, type ResolveMode } from './resolver.ts'
import { type GitPackSource, type LocalPackSource, parsePackSource } from './source.ts'
import { highestVersion } from './version.ts'

/**
 * Writes drafts that are made from a state of the city's files, unless they would not compose. They are made anew when
 * somebody else wrote meanwhile.
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

  /** Whether nothing new is locked; what is locked and not imported goes with the next change. */
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
