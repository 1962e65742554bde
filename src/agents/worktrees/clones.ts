import { existsSync, lstatSync } from 'node:fs'
import { mkdir, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import {
  findRepository,
  type GitFolders,
  type GitRunner,
  repositoryFolders,
  sharedFolder,
  workingFolders,
} from '../../config/git/index.ts'
import { AppError } from '../../core/errors.ts'
import {
  borrow,
  checkOut,
  type GitSetting,
  hooksOf,
  type Lender,
  objectFormatOf,
  RIG,
  settingsOf,
} from './borrowing.ts'
import { type Bundle, bring, type Wanted } from './bring.ts'
import type { Checkouts } from './checkouts.ts'
import { changedFiles, type WorktreeStatus } from './keep-reason.ts'
import { Repository } from './repository.ts'
import { modulesOf, Submodules } from './submodules.ts'
import type { WorktreeRow } from './table.ts'

/** Says whether the repository of a rig may borrow from a folder of objects. */
export type Lends = (rig: string, objects: string) => boolean

/**
 * Clones that borrow the history of their rig's repository and write none of it: what is committed in one is fetched into the
 * rig. gc's own git runs confined in both, since agents can write there.
 */
export class SharedClones implements Checkouts {
  readonly #submodules: Submodules

  constructor(
    private readonly git: GitRunner,
    private readonly lends: Lends,
    report: (message: string) => void,
  ) {
    this.#submodules = new Submodules(git, report)
  }

  async prepare(row: WorktreeRow, start = row.base): Promise<string | null> {
    if (existsSync(row.path)) return row.home
    const rig = this.#rig(row)
    if (!(await rig.commitOf(`refs/heads/${row.branch}`))) await rig.run('branch', '--no-track', row.branch, start)
    const unfinished = `${row.path}.unfinished`
    await rm(unfinished, { recursive: true, force: true })
    await this.#clone(row, rig, unfinished)
    await rename(unfinished, row.path)
    return rig.commitOf(`refs/heads/${row.branch}`)
  }

  async fetch(row: WorktreeRow): Promise<string | null> {
    const incoming = `${row.path}.incoming`
    await rm(incoming, { recursive: true, force: true })
    await mkdir(incoming, { mode: 0o700 })
    try {
      const rig = this.#rig(row, [incoming])
      const within = rig.within ?? this.#folders(row, [incoming])
      for (const { clone, rig: lender } of this.#modules(row)) {
        if (lender === undefined) continue
        const module = this.#submodules.repository(clone, this.#folders(row, [incoming]))
        const home = this.#submodules.repository(lender, within)
        await fetchHome({ clone: module, rig: home, incoming, row: { ...row, home: null } })
      }
      return await fetchHome({ clone: this.#own(row, [incoming]), rig, incoming, row })
    } finally {
      await rm(incoming, { recursive: true, force: true })
    }
  }

  bring(row: WorktreeRow, wanted: readonly Wanted[], bundle: Bundle): Promise<void> {
    const incoming = `${row.path}.incoming`
    return bring(this.#own(row, [incoming]), { wanted, bundle, incoming, branch: row.branch })
  }

  async status(row: WorktreeRow): Promise<WorktreeStatus> {
    const [own, rig] = [this.#own(row), this.#rig(row)]
    // Work in a submodule counts, whatever the settings of the repository leave out.
    const shown = ['status', '--porcelain', '-z', '--ignore-submodules=none']
    const status = await own.run('--no-optional-locks', ...shown)
    const files = changedFiles(status)
    const tips = [...(await branchesOf(rig, row.branch)).values()]
    const pushed = (await rig.count(...tips, '--not', '--remotes')) === 0 || (await this.#isPushed(own, rig, tips))
    const modules = await this.#moduleStatus(row)
    const { ahead, merged } = await rig.compare(row.base, tips)
    return {
      ...{ changes: files.length, files },
      stashed: modules.stashed || (await own.commitOf('refs/stash')) !== '',
      pushed: modules.ahead === 0 && pushed,
      merged: modules.ahead === 0 && merged,
      ahead: modules.ahead + ahead,
    }
  }

  /** Stashes in submodules, and the number of their commits that are neither in the rig nor pushed. */
  async #moduleStatus(row: WorktreeRow): Promise<{ stashed: boolean; ahead: number }> {
    const status = { stashed: false, ahead: 0 }
    for (const { clone, rig } of this.#modules(row)) {
      const module = this.#submodules.repository(clone, this.#folders(row))
      status.stashed ||= (await module.commitOf('refs/stash')) !== ''
      if (rig === undefined) status.ahead += await module.count('--all', '--not', '--remotes')
    }
    return status
  }

  /** The repositories of the submodules of a clone, with those of its rig that they are made of. */
  #modules({ path, repository }: WorktreeRow): { clone: string; rig: string | undefined }[] {
    const [own, rig] = [join(path, '.git'), findRepository(repository)]
    const isPlain = lstatSync(own, { throwIfNoEntry: false })?.isDirectory() === true
    return isPlain && rig !== undefined ? modulesOf(own, rig) : []
  }

  async remove({ path }: WorktreeRow): Promise<void> {
    for (const folder of [path, `${path}.unfinished`]) await rm(folder, { recursive: true, force: true })
  }

  async compared(row: WorktreeRow): Promise<{ repository: Repository; base: string }> {
    const repository = this.#own(row)
    const known = `refs/remotes/${RIG}/${row.base}`
    return { repository, base: (await repository.commitOf(known)) ? known : row.base }
  }

  /** True if the session pushed these commits itself, as far as its clone knows. */
  async #isPushed(own: Repository, rig: Repository, tips: readonly string[]): Promise<boolean> {
    const hasOrigin = (await rig.try('config', 'remote.origin.url')) !== ''
    const others = [RIG, ...(hasOrigin ? [] : ['origin'])].map((name) => `--exclude=${name}/*`)
    return (await own.count(...tips, '--not', ...others, '--remotes')) === 0
  }

  async #clone(row: WorktreeRow, rig: Repository, path: string): Promise<void> {
    const found = findRepository(row.repository)
    if (found === undefined) throw new AppError('service-unavailable', `${row.repository} is not a git repository`)
    const lender: Lender = { repository: rig, own: found, shared: sharedFolder(found) }
    const settings = await settingsOf(lender)
    const parent = new Repository(this.git, dirname(path))
    await parent.run('init', '-q', '--template=', `--object-format=${objectFormatOf(settings)}`, '--', path)
    const own = join(path, '.git')
    const fresh = this.#own({ ...row, path })
    await borrow(lender, cloneSettings(row, lender.shared, settings), fresh, own)
    const base = await fresh.commitOf(`refs/remotes/${RIG}/${row.base}`)
    if (base) await fresh.run('update-ref', `refs/heads/${row.base}`, base)
    await fresh.run('update-ref', `refs/heads/${row.branch}`, `refs/remotes/${RIG}/${row.branch}`)
    await fresh.run('symbolic-ref', 'HEAD', `refs/heads/${row.branch}`)
    const lacking = `${row.repository} is a partial clone that lacks files of ${row.base}`
    const fix = `git -C ${row.repository} checkout ${row.base} gets them`
    await checkOut(fresh, () => new AppError('service-unavailable', `${lacking}, as it never checked them out; ${fix}`))
    const whole = { repository: fresh, folder: path, own, rig: { folder: row.repository, own: found } }
    await this.#submodules.fill(whole, this.#folders({ ...row, path }))
  }

  #rig({ rig, repository }: WorktreeRow, read: readonly string[] = []): Repository {
    return rigRepository(this.git, repository, (objects) => this.lends(rig, objects), { read })
  }

  /** The clone; git may also write these folders. */
  #own(row: WorktreeRow, write: readonly string[] = []): Repository {
    return new Repository(this.git, row.path, this.#folders(row, write), {
      GIT_CEILING_DIRECTORIES: dirname(row.path),
    })
  }

  #folders({ path, rig, repository }: WorktreeRow, write: readonly string[] = []): GitFolders {
    const read = repositoryFolders(repository, (objects) => this.lends(rig, objects))
    return { read, write: [path, ...write] }
  }
}

/** The repository of a rig, which agents may write; git may also read and write these folders. */
export function rigRepository(
  git: GitRunner,
  path: string,
  lends: (objects: string) => boolean,
  { read = [], write = [] }: Partial<GitFolders> = {},
): Repository {
  const working = workingFolders(path)
  const within = {
    read: [...working, ...repositoryFolders(path, lends), ...read],
    write: [...working.slice(1), ...write],
  }
  return new Repository(git, path, within)
}

/** The branches of a repository that hold the work of a session, with their commits: its own, and `<own>.<other>`. */
export async function branchesOf(repository: Repository, own: string): Promise<Map<string, string>> {
  const lines = await repository.run(
    'for-each-ref',
    '--format=%(refname:short) %(objectname)',
    `refs/heads/${dirname(own)}`,
  )
  const all = lines.split('\n').map((line) => line.split(' '))
  return new Map(
    all.flatMap(([name = '', commit = '']) => (name === own || name.startsWith(`${own}.`) ? [[name, commit]] : [])),
  )
}

/** Settings of a clone beyond those of its rig's repository: origin and hooks. */
function cloneSettings({ repository }: WorktreeRow, shared: string, settings: readonly GitSetting[]): GitSetting[] {
  const hasOrigin = settings.some(({ key }) => key === 'remote.origin.url')
  const hooks = settings.find(({ key }) => key === 'core.hookspath')?.value ?? hooksOf(shared)
  const objects = join(shared, 'lfs')
  return [
    ...settingsForClone(settings),
    ...(hasOrigin ? [] : [{ key: 'remote.origin.url', value: repository }]),
    ...(hasOrigin ? [] : [{ key: 'remote.origin.fetch', value: '+refs/heads/*:refs/remotes/origin/*' }]),
    ...(hooks === undefined ? [] : [{ key: 'core.hooksPath', value: hooks }]),
    ...(existsSync(objects) ? [{ key: 'lfs.storage', value: objects }] : []),
  ]
}

/** Settings that belong to one repository, and those that name what only another has. */
const OF_ONE =
  /^(?:core\.(?:bare|worktree|repositoryformatversion|logallrefupdates|fsmonitor|hookspath)|extensions\.|include(?:if)?\.|gc\.|maintenance\.|remote\.rig\.)/

/** The settings that a clone has from the repository it is made of: its remotes, its author, how it treats files. */
const settingsForClone = (settings: readonly GitSetting[]): GitSetting[] =>
  settings.filter(({ key }) => !OF_ONE.test(key))

/** Branches that a session made besides its own, of which this many are fetched. */
const MAX_OTHERS = 50
/** Objects from an agent are checked before they enter the rig's history. */
export const CHECKED = ['-c', 'fetch.fsckObjects=true', '-c', 'transfer.fsckObjects=true']

interface FetchOptions {
  clone: Repository
  rig: Repository
  /** An empty folder that both can reach. */
  incoming: string
  row: WorktreeRow
}

interface Ref {
  /** Name in the clone. */
  name: string
  commit: string
}

/**
 * Brings what a session committed into the repository of its rig: its branch under its own name, its other branches and a
 * commit on none as `<branch>.<name>`. It travels as a bundle, so that neither repository runs a program of the other.
 * Answers the commit of the session's branch in the rig.
 */
async function fetchHome({ clone, rig, incoming, row }: FetchOptions): Promise<string> {
  const own = `refs/heads/${row.branch}`
  const tip = await rig.commitOf(own)
  const all = await refsOf(clone)
  const mine = all.find(({ name, commit }) => name === own && commit !== tip)
  const others = await onlyNew(
    clone,
    all.filter(({ name }) => name !== own),
  )
  const force = tip !== '' && tip === row.home ? '+' : ''
  const bundled = [...(mine ? await onlyNew(clone, [mine]) : []), ...others].map(({ name }) => name)
  if (mine && force === '') await requireAhead(clone, rig, row.branch, tip, mine.commit)
  if (mine && !bundled.includes(own)) await rig.run('branch', '-q', '--no-track', '-f', row.branch, mine.commit)
  if (bundled.length === 0) return rig.commitOf(own)
  const file = join(incoming, 'work.bundle')
  await clone.run('bundle', 'create', '-q', file, ...bundled, '--not', '--remotes=rig')
  const targets = bundled.map((name) => (name === own ? `${force}${own}:${own}` : `+${name}:${own}.${shortName(name)}`))
  await rig.run(
    ...CHECKED,
    'fetch',
    '-q',
    '--no-tags',
    '--no-write-fetch-head',
    '--no-recurse-submodules',
    file,
    ...targets,
  )
  return rig.commitOf(own)
}

/** The branches of a clone, and `HEAD` where it is on none. */
async function refsOf(clone: Repository): Promise<Ref[]> {
  const lines = await clone.run('for-each-ref', '--format=%(refname) %(objectname)', 'refs/heads')
  const branches = lines
    .split('\n')
    .filter(Boolean)
    .map((line) => ({ name: line.slice(0, line.indexOf(' ')), commit: line.slice(line.indexOf(' ') + 1) }))
  const isOnBranch = (await clone.try('symbolic-ref', '-q', 'HEAD')) !== ''
  const head = isOnBranch ? '' : await clone.commitOf('HEAD')
  const isKnown = head === '' || branches.some(({ commit }) => commit === head)
  return isKnown ? branches : [...branches, { name: 'HEAD', commit: head }]
}

/** Those that hold commits which the rig did not have when the clone last asked it. */
async function onlyNew(clone: Repository, refs: readonly Ref[]): Promise<Ref[]> {
  const found: Ref[] = []
  for (const ref of refs) {
    if ((await clone.run('rev-list', '-n', '1', ref.commit, '--not', '--remotes=rig')) !== '') found.push(ref)
  }
  if (found.length <= MAX_OTHERS) return found
  throw new AppError(
    'service-unavailable',
    `${clone.path} has ${found.length} branches of its own; gc fetches ${MAX_OTHERS}`,
  )
}

/** Somebody else's commits on the session's branch are not replaced. The clone has the rig's objects as well. */
async function requireAhead(clone: Repository, rig: Repository, branch: string, tip: string, commit: string) {
  if (tip === '' || (await clone.try('merge-base', tip, commit)) === tip) return
  const what = `${branch} was changed in ${rig.path}`
  throw new AppError('conflict-wrong-state', `${what}; give that another name (git branch -m), then fetch again`)
}

const shortName = (ref: string): string => (ref === 'HEAD' ? 'head' : ref.slice('refs/heads/'.length))
