import { existsSync, readdirSync } from 'node:fs'
import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { GitFolders, GitRunner } from '../../../config/git/index.ts'
import { AppError } from '../../../core/errors.ts'
import { createFolder } from '../../../core/folders.ts'
import { readPlainFile } from '../../../core/plain-file.ts'
import { Repository } from '../repository.ts'
import { isDiskFull } from './folder-index.ts'
import type { LeftOutFile } from './schema.ts'
import type { WorktreeSource } from './source.ts'

const TIMEOUT_MS = 120_000
const COPY_TIMEOUT_MS = 600_000
const MAX_SHALLOW_BYTES = 1024 * 1024
const SNAPSHOTS = 'refs/gc/snapshots'
/** The commits that worktrees were on when gc last looked. */
const HEADS = 'refs/gc/heads'

/** The commits of changes that people review. */
export const CHANGES = 'refs/gc/changes'
/** A copy leaves out at most as much as this many commits hold. */
const MAX_KNOWN = 500

/** Refs in a bundle for a rig. */
export const RESTORED = 'refs/gc/restored'

/** Every byte is stored unchanged, and no attribute of a worktree chooses a filter or hides a file from a diff. */
const ATTRIBUTES = '* -text -eol -filter -ident -working-tree-encoding !diff\n'

/** The configuration of gc's own repository. That of the user, the machine and the worktree is never read. */
const SETTINGS: Readonly<Record<string, string>> = {
  'core.excludesFile': '/dev/null',
  'core.attributesFile': '/dev/null',
  'core.autocrlf': 'false',
  'core.fileMode': 'true',
  'core.symlinks': 'true',
  'core.protectNTFS': process.platform === 'win32' ? 'true' : 'false',
  'core.looseCompression': '1',
  'core.fsync': 'committed,reference',
  'core.fsyncMethod': 'batch',
  'core.untrackedCache': 'false',
  'core.logAllRefUpdates': 'false',
  'advice.addEmbeddedRepo': 'false',
  // Of git: it reads sections in any case, and names in small letters that begin like this are gc's own.
  'GC.bigPackThreshold': '256m',
  'pack.threads': '1',
  'pack.windowMemory': '64m',
}

/** git knows no configuration but what gc gives it, and fetches nothing. */
export const ISOLATED = {
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_ATTR_NOSYSTEM: '1',
  GIT_NO_REPLACE_OBJECTS: '1',
  GIT_NO_LAZY_FETCH: '1',
  GIT_ALLOW_PROTOCOL: 'none',
  ...Object.fromEntries(
    ['AUTHOR', 'COMMITTER'].flatMap((who) => [
      [`GIT_${who}_NAME`, 'gc'],
      [`GIT_${who}_EMAIL`, 'gc@localhost'],
    ]),
  ),
}

/** The configuration of a repository of gc's own, as git reads it from its environment. */
export const settingsEnv = (settings: Readonly<Record<string, string>>): Record<string, string> => ({
  GIT_CONFIG_COUNT: String(Object.keys(settings).length),
  ...Object.fromEntries(
    Object.entries(settings).flatMap(([key, value], at) => [
      [`GIT_CONFIG_KEY_${at}`, key],
      [`GIT_CONFIG_VALUE_${at}`, value],
    ]),
  ),
})

/** Metadata that a snapshot records besides the files. It is the message of its commit. */
export interface SnapshotNote {
  readonly reason: string
  readonly branch?: string | undefined
  readonly bead?: string | undefined
  readonly leftOut: readonly LeftOutFile[]
  readonly leftOutTotal: number
  readonly nested: readonly string[]
  /** Reason the history of its commit is not stored with it. */
  readonly withoutHistory?: string | undefined
}

/** The source of a copied history. */
interface CopySource extends Pick<WorktreeSource, 'objects' | 'shallow' | 'logged'> {
  /** The commits of the rig that no session made, newest ones of its branches, tags and remotes. */
  ofRig(): Promise<readonly string[]>
}

/** A snapshot as the repository has it. */
export interface StoredSnapshot extends SnapshotNote {
  readonly session: string
  readonly number: number
  readonly object: string
  readonly tree: string
  /** The commit that the worktree was on. */
  readonly commit: string | undefined
  /** Further commits and stashes there since the previous snapshot. */
  readonly others: readonly string[]
  /** Unix time in seconds. */
  readonly takenAt: number
}

/** gc's own bare repository with the snapshots of one rig. Its refs are all that gc knows of them. */
export class SnapshotRepository {
  #isPrepared = false

  constructor(
    private readonly git: GitRunner,
    readonly path: string,
  ) {}

  get exists(): boolean {
    return existsSync(join(this.path, 'HEAD'))
  }

  /** Path of gc's index of a session's worktree, outside of `worktrees`, which git prunes. */
  indexFile(session: string): string {
    return join(this.path, 'indexes', `${session}.index`)
  }

  /** Creates the repository, and at first removes the locks that a killed git left: no one else writes here. */
  async prepare(format: 'sha1' | 'sha256'): Promise<void> {
    if (!this.exists) {
      const unfinished = `${this.path}.unfinished`
      await rm(unfinished, { recursive: true, force: true })
      createFolder(unfinished)
      const init = ['init', '-q', '--bare', '--template=', `--object-format=${format}`, '--', unfinished]
      await new Repository(this.git, unfinished, undefined, ISOLATED).read(init)
      await mkdir(join(unfinished, 'info'), { recursive: true, mode: 0o700 })
      await writeFile(join(unfinished, 'info', 'attributes'), ATTRIBUTES)
      await mkdir(join(unfinished, 'indexes'), { recursive: true, mode: 0o700 })
      await rename(unfinished, this.path)
    }
    if (!this.#isPrepared) await this.#removeLeftovers()
    this.#isPrepared = true
  }

  /** Has the next use look for what killed commands left behind. */
  distrust(): void {
    this.#isPrepared = false
  }

  /** Removes what killed commands left behind. */
  async #removeLeftovers(): Promise<void> {
    await rm(join(this.path, 'incoming'), { recursive: true, force: true })
    const locks = readdirSync(this.path, { recursive: true, encoding: 'utf8' }).filter(
      (name) => name.endsWith('.lock') && !name.startsWith('objects/'),
    )
    for (const lock of locks) await rm(join(this.path, lock), { force: true })
  }

  /** Git on refs and on what gc itself wrote here, as gc runs. */
  get own(): Repository {
    return new Repository(this.git, this.path, undefined, {
      ...ISOLATED,
      ...settingsEnv(SETTINGS),
      GIT_DIR: this.path,
    })
  }

  /** Git on what agents wrote, confined to this repository and what it may read besides. */
  at(where: {
    folder?: string
    index?: string
    objects?: string
    read?: readonly string[]
    write?: readonly string[]
    isSparse?: boolean
  }): Repository {
    const { folder, index, objects, read = [], write = [], isSparse = false } = where
    const within: GitFolders = { read: [...read], write: [this.path, ...write] }
    return new Repository(this.git, folder ?? this.path, within, {
      ...ISOLATED,
      ...settingsEnv({ ...SETTINGS, ...(isSparse && { 'core.sparseCheckout': 'true' }) }),
      GIT_DIR: this.path,
      ...(folder !== undefined && { GIT_WORK_TREE: folder }),
      ...(index !== undefined && { GIT_INDEX_FILE: index }),
      ...(objects !== undefined && { GIT_ALTERNATE_OBJECT_DIRECTORIES: objects }),
    })
  }

  /**
   * Copies a commit with its whole history, so that nothing of it depends on the worktree or the rig, and what else was
   * committed or stashed there. Where that history is not whole, as in a partial clone, it ends at commits of the rig, each
   * with its files. Returns the commits that were not here before and that no other contains.
   */
  async copyHistory(
    session: string,
    head: string,
    { objects, shallow, logged, ofRig }: CopySource,
    read: readonly string[],
  ): Promise<string[]> {
    const { own } = this
    const unknown = await withoutThoseIn(own, [...new Set([head, ...logged])])
    if (unknown.length > 0) {
      if (objects === undefined) throw new AppError('service-unavailable', 'the worktree has no objects')
      const theirs = this.at({ objects, read })
      const gone = new Set(await withoutThoseIn(theirs, unknown))
      const wanted = unknown.filter((commit) => commit === head || !gone.has(commit))
      const ends = await this.#ends(theirs, shallow)
      await this.#copy(theirs, wanted, ends).catch(async (error) => {
        const nearer = isDiskFull(error) ? [] : await this.#endsAt(theirs, wanted, await ofRig())
        if (nearer.length === 0) throw error
        await this.#copy(theirs, wanted, [...ends, ...nearer])
      })
    }
    await own.run('update-ref', `${HEADS}/${session}`, head)
    const added = await withoutThoseIn(own, unknown)
    const others = unknown.filter((commit) => commit !== head && !added.includes(commit))
    if (others.length === 0) return []
    const tips = (await own.run('merge-base', '--independent', head, ...others)).split('\n')
    return tips.filter((tip) => tip !== head)
  }

  async #copy(theirs: Repository, wanted: readonly string[], ends: readonly string[]): Promise<void> {
    if (wanted.length === 0) return
    const incoming = join(this.path, 'incoming')
    await rm(incoming, { recursive: true, force: true })
    await mkdir(incoming, { mode: 0o700 })
    const listed = ['--format=%(objectname)', `--count=${MAX_KNOWN}`, HEADS, CHANGES]
    const known = (await this.own.run('for-each-ref', ...listed)).split('\n').filter(Boolean)
    const lines = [...ends.map((commit) => `--shallow ${commit}`), ...wanted, '--not', ...new Set(known), '']
    await theirs.read(['pack-objects', '--revs', '-q', join(incoming, 'pack')], {
      input: Buffer.from(lines.join('\n')),
      timeout: COPY_TIMEOUT_MS,
    })
    await this.#addShallow(ends)
    await this.#adopt(incoming)
    // Names of objects are what git computed from their bytes; what they need must be there, too.
    const needed = ['rev-list', '--objects', '--quiet', ...wanted, '--not', ...new Set(known)]
    await this.at({}).read(needed, { timeout: COPY_TIMEOUT_MS })
  }

  /** Commits at which a history ends early and whose parents are nowhere. */
  async #ends(theirs: Repository, shallow: readonly string[]): Promise<string[]> {
    if (shallow.length === 0) return []
    const ends: string[] = []
    for (const commit of shallow) {
      const text = (await theirs.execute(['cat-file', 'commit', commit])).stdout
      const header = text.slice(0, text.indexOf('\n\n'))
      const parents = [...header.matchAll(/^parent ([0-9a-f]+)$/gm)].flatMap(([, parent]) => parent ?? [])
      const missing = await Promise.all(parents.map(async (parent) => (await theirs.commitOf(parent)) === ''))
      if (missing.includes(true)) ends.push(commit)
    }
    return ends
  }

  /** The first commits of others that a history comes to; none that this repository has, since it may have them whole. */
  async #endsAt(theirs: Repository, wanted: readonly string[], others: readonly string[]): Promise<string[]> {
    const there = new Set(others)
    for (const commit of await withoutThoseIn(theirs, others)) there.delete(commit)
    if (there.size === 0) return []
    const lines = (await theirs.run('rev-list', '--boundary', ...wanted, '--not', ...there)).split('\n')
    const own = new Set(lines.filter((line) => !line.startsWith('-')))
    const ends = lines.flatMap((line) => (line.startsWith('-') ? [line.slice(1)] : []))
    return withoutThoseIn(this.own, [...new Set([...ends, ...wanted.filter((commit) => !own.has(commit))])])
  }

  async #addShallow(ends: readonly string[]): Promise<void> {
    if (ends.length === 0) return
    const file = join(this.path, 'shallow')
    const before = readPlainFile(file, MAX_SHALLOW_BYTES)?.toString().split('\n').filter(Boolean) ?? []
    await writeFile(
      `${file}.new`,
      [...new Set([...before, ...ends])]
        .sort()
        .map((each) => `${each}\n`)
        .join(''),
    )
    await rename(`${file}.new`, file)
  }

  /** Adopts packs once git has verified each of their objects. */
  async #adopt(incoming: string): Promise<void> {
    const packs = readdirSync(incoming).filter((name) => name.endsWith('.pack'))
    for (const pack of packs) {
      const name = pack.slice(0, -'.pack'.length)
      await rm(join(incoming, `${name}.idx`), { force: true })
      await rm(join(incoming, `${name}.rev`), { force: true })
      await this.at({}).read(['index-pack', join(incoming, pack)], { timeout: COPY_TIMEOUT_MS })
      for (const end of ['pack', 'idx']) {
        await rename(join(incoming, `${name}.${end}`), join(this.path, 'objects', 'pack', `${name}.${end}`))
      }
    }
    await rm(incoming, { recursive: true, force: true })
  }

  /** Stores a tree as the next snapshot of a session. */
  async store(
    session: string,
    number: number,
    { tree, commits, takenAt, note }: { tree: string; commits: readonly string[]; takenAt: number; note: SnapshotNote },
  ): Promise<void> {
    const { own } = this
    const date = { GIT_AUTHOR_DATE: `${takenAt} +0000`, GIT_COMMITTER_DATE: `${takenAt} +0000` }
    const message = `Snapshot ${session}@${number}\n\n${JSON.stringify(note)}\n`
    const parents = commits.flatMap((commit) => ['-p', commit])
    const object = await own.read(['commit-tree', tree, ...parents, '-F', '-'], {
      input: Buffer.from(message),
      env: date,
    })
    await own.run('update-ref', `${SNAPSHOTS}/${session}/${number}`, object.trim())
  }

  /** The snapshots of a session, or of all, oldest first. */
  async list(session?: string): Promise<StoredSnapshot[]> {
    if (!this.exists) return []
    const format = ['refname', 'objectname', 'tree', 'parent', 'committerdate:unix', 'contents:body']
    const fields = format.map((field) => `%(${field})`).join('%00')
    const where = session === undefined ? SNAPSHOTS : `${SNAPSHOTS}/${session}/`
    const text = await this.own.read(['for-each-ref', `--format=${fields}%00`, where], { timeout: TIMEOUT_MS })
    const all = text.split('\0\n').filter(Boolean).flatMap(toSnapshot)
    return all.sort((a, b) => a.takenAt - b.takenAt || a.number - b.number)
  }

  /** True if people review what is kept here, or did a while ago. */
  async hasChanges(): Promise<boolean> {
    return this.exists && (await this.own.run('for-each-ref', '--count=1', CHANGES)) !== ''
  }

  async drop(snapshots: readonly Pick<StoredSnapshot, 'session' | 'number'>[]): Promise<void> {
    if (snapshots.length === 0) return
    const lines = snapshots.map(({ session, number }) => `delete ${SNAPSHOTS}/${session}/${number}\n`)
    await this.own.read(['update-ref', '--stdin'], { input: Buffer.from(lines.join('')) })
  }

  /** Forgets what is only needed to look at the worktree of a session again. */
  async forgetWorktree(session: string): Promise<void> {
    if (!this.exists) return
    for (const end of ['', '.exclude', '.lock']) await rm(`${this.indexFile(session)}${end}`, { force: true })
    await this.own.try('update-ref', '-d', `${HEADS}/${session}`)
  }

  /** Puts the files of a snapshot into an empty folder. */
  async checkOut(object: string, folder: string): Promise<void> {
    const index = join(this.path, 'indexes', '.restore')
    await rm(index, { force: true })
    try {
      const git = this.at({ folder, index, write: [folder] })
      await git.read(['read-tree', object], { timeout: TIMEOUT_MS })
      await git.read(['checkout-index', '-a', '-q'], { timeout: COPY_TIMEOUT_MS })
    } finally {
      await rm(index, { force: true })
    }
  }

  /** The tree without files. */
  emptyTree(): Promise<string> {
    return this.at({})
      .read(['mktree'], { input: Buffer.alloc(0) })
      .then((tree) => tree.trim())
  }

  /** A commit with the files of a snapshot on the commit that its worktree was on. */
  async commit({ tree, commit, takenAt }: StoredSnapshot, message: string): Promise<string> {
    const parents = commit === undefined ? [] : ['-p', commit]
    const date = { GIT_AUTHOR_DATE: `${takenAt} +0000`, GIT_COMMITTER_DATE: `${takenAt} +0000` }
    const input = Buffer.from(message)
    return (await this.own.read(['commit-tree', tree, ...parents, '-F', '-'], { input, env: date })).trim()
  }

  /** Writes commits with their history, but for that of the commits in `without`, into a bundle: as `<RESTORED>/0` and on. */
  async bundle(objects: readonly string[], file: string, without: readonly string[]): Promise<void> {
    const refs = objects.map((object, at) => [`${RESTORED}/${at}`, object] as const)
    for (const [ref, object] of refs) await this.own.run('update-ref', ref, object)
    try {
      const unknown = await withoutThoseIn(this.own, without)
      const known = without.filter((commit) => !unknown.includes(commit))
      const not = known.length === 0 ? [] : ['--not', ...known]
      const args = ['bundle', 'create', '-q', file, ...refs.map(([ref]) => ref), ...not]
      await this.at({}).read(args, { timeout: COPY_TIMEOUT_MS })
    } finally {
      for (const [ref] of refs) await this.own.try('update-ref', '-d', ref)
    }
  }

  /** Packs what is kept and removes what is not needed any more. */
  async collect(): Promise<void> {
    await this.#removeLeftovers()
    await this.at({}).read(['gc', '-q', '--prune=1.hour.ago'], { timeout: COPY_TIMEOUT_MS })
  }
}

/** Those of some objects that a repository does not have. */
async function withoutThoseIn(repository: Repository, commits: readonly string[]): Promise<string[]> {
  if (commits.length === 0) return []
  const input = Buffer.from(commits.map((commit) => `${commit}\n`).join(''))
  const lines = (await repository.read(['cat-file', '--batch-check'], { input })).split('\n')
  return commits.filter((_, at) => lines[at]?.split(' ')[1] !== 'commit')
}

function toSnapshot(line: string): StoredSnapshot[] {
  const [name = '', object = '', tree = '', parents = '', takenAt = '', body = ''] = line.split('\0')
  const [session = '', number = ''] = name.slice(SNAPSHOTS.length + 1).split('/')
  const [commit, ...others] = parents.split(' ')
  const note = parseNote(body)
  return [
    {
      ...note,
      session,
      number: Number(number),
      object,
      tree,
      commit: commit || undefined,
      others,
      takenAt: Number(takenAt),
    },
  ]
}

const EMPTY: SnapshotNote = { reason: '', leftOut: [], leftOutTotal: 0, nested: [] }

/** The note of a commit of gc's own. */
function parseNote(body: string): SnapshotNote {
  try {
    return { ...EMPTY, ...JSON.parse(body) }
  } catch {
    return EMPTY
  }
}
