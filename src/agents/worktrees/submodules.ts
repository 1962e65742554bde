import { existsSync, lstatSync, readdirSync } from 'node:fs'
import { appendFile, mkdir, writeFile } from 'node:fs/promises'
import { join, parse, relative, sep } from 'node:path'
import { findRepository, type GitFolders, type GitRunner, lendersOf } from '../../config/git/index.ts'
import { AppError } from '../../core/errors.ts'
import { contains, requireNoLinks } from '../../core/folders.ts'
import { HeldFolder } from '../../core/store/index.ts'
import { borrow, checkOut, type GitSetting, type Lender, objectFormatOf, RIG, settingsOf } from './borrowing.ts'
import { Repository } from './repository.ts'

/** Submodules of submodules, so deep. */
const MAX_DEPTH = 8
/** As many repositories of submodules are looked at. */
const MAX_MODULES = 500

/** A working folder that may have submodules: a clone, or a submodule of one. */
interface Whole {
  /** git in the clone, and its folders. */
  readonly repository: Repository
  readonly folder: string
  readonly own: string
  /** Base in the rig. */
  readonly rig: { readonly folder: string; readonly own: string }
}

/** A submodule as a commit has it. */
interface Submodule {
  readonly name: string
  readonly path: string
  readonly commit: string
}

/** Locations of a submodule's repositories. */
interface Module {
  readonly clone: string
  /** Absent where the rig has none. */
  readonly rig: string | undefined
}

/** The submodules of clones: filled from the repositories that their rig has of them, without asking anybody else. */
export class Submodules {
  constructor(
    private readonly git: GitRunner,
    private readonly report: (message: string) => void,
  ) {}

  /** Fills those that the rig has. Says of one that it has not that it stays empty; throws where the rig's is no use. */
  async fill(whole: Whole, within: GitFolders, depth = 0): Promise<void> {
    if (depth === MAX_DEPTH) return
    for (const submodule of await submodulesOf(whole.repository)) {
      const filled = await this.#fill(whole, submodule, within)
      if (filled) await this.fill(filled, within, depth + 1)
    }
  }

  /** git in the repository of a submodule, wherever its working folder is by now. */
  repository(own: string, within: GitFolders, folder = own): Repository {
    return new Repository(this.git, own, within, { GIT_DIR: own, GIT_WORK_TREE: folder })
  }

  async #fill(whole: Whole, { name, path, commit }: Submodule, within: GitFolders): Promise<Whole | undefined> {
    const lender = join(whole.rig.own, 'modules', name)
    const place = join(whole.rig.folder, path)
    requireNoLinks(whole.rig.own, lender)
    if (!isRepository(lender)) {
      if (findRepository(place) === join(place, '.git'))
        throw notBorrowed(place, `git submodule absorbgitdirs in ${whole.rig.folder}`)
      const fix = `git -C ${whole.rig.folder} submodule update --init --recursive`
      this.report(`submodule ${path} is empty in a worktree: ${whole.rig.folder} does not have it; ${fix} gets it`)
      return undefined
    }
    const stranger = lendersOf(lender).find((objects) => !within.read.some((folder) => contains(folder, objects)))
    if (stranger !== undefined)
      throw notBorrowed(place, `git repack -a -d there, and remove ${join(lender, 'objects/info/alternates')}`)
    const own = join(whole.own, 'modules', name)
    const folder = join(whole.folder, path)
    requireNoLinks(whole.folder, path)
    if (isWithinAnother(join(whole.own, 'modules'), own))
      throw new AppError('service-unavailable', `submodule ${name} would lie in another`)
    const source = { repository: this.repository(lender, within), own: lender, shared: lender }
    await this.#make({ source, own, folder, within })
    const repository = this.repository(own, within, folder)
    if (!(await repository.commitOf(commit))) {
      const what = `${place} does not have commit ${commit.slice(0, 12)} of submodule ${path}`
      const fix = `git -C ${whole.rig.folder} submodule update --init ${path}, or git -C ${place} fetch`
      throw new AppError('service-unavailable', `${what}; ${fix} gets it`)
    }
    await repository.run('update-ref', '--no-deref', 'HEAD', commit)
    await repository.run('update-ref', PINNED, commit)
    const lacking = `${place} is a partial clone that lacks files of commit ${commit.slice(0, 12)}`
    await checkOut(
      repository,
      () => new AppError('service-unavailable', `${lacking}; check that commit out there once`),
    )
    return { repository, folder, own, rig: { folder: place, own: lender } }
  }

  /** Makes the repository of a submodule, and has its folder lead to it. Both may be moved together. */
  async #make({ source, own, folder, within }: { source: Lender; own: string; folder: string; within: GitFolders }) {
    const settings = await settingsOf(source)
    await mkdir(own, { recursive: true })
    const parent = new Repository(this.git, parse(own).root)
    await parent.run('init', '-q', '--bare', '--template=', `--object-format=${objectFormatOf(settings)}`, '--', own)
    await appendFile(
      join(own, 'config'),
      `[core]\n\tbare = false\n\tworktree = ${JSON.stringify(relative(own, folder))}\n`,
    )
    await borrow(source, settings.filter(isCarried), this.repository(own, within, folder), own)
    await mkdir(folder, { recursive: true })
    await writeFile(join(folder, '.git'), `gitdir: ${relative(folder, own)}\n`)
  }
}

/** The commit that a submodule began from, which its rig has. */
const PINNED = `refs/remotes/${RIG}/gc/pinned`

/** Settings that name a program or a file are not carried: agents may have written them. */
const isCarried = ({ key }: GitSetting): boolean =>
  /^(?:remote\.(?!rig\.).+\.(?:url|pushurl|fetch|promisor|partialclonefilter)|submodule\.(?:active|.+\.(?:active|url))|user\.(?:name|email)|core\.(?:autocrlf|eol|filemode|ignorecase|symlinks|precomposeunicode|sparsecheckout|sparsecheckoutcone)|index\.sparse)$/.test(
    key,
  )

const notBorrowed = (place: string, fix: string): AppError =>
  new AppError('service-unavailable', `a worktree cannot borrow the submodule at ${place}: run ${fix}`)

/** The submodules that are checked out, as far as their names and folders stay where they belong. */
async function submodulesOf(repository: Repository): Promise<Submodule[]> {
  const file = ['config', '--blob', 'HEAD:.gitmodules', '-z', '--get-regexp', '^submodule\\..*\\.path$']
  const declared = (await repository.try(...file)).split('\0').flatMap((entry) => {
    const end = entry.indexOf('\n')
    const name = entry.slice('submodule.'.length, end - '.path'.length)
    return end > 0 && isPlain(name) ? [{ name, path: entry.slice(end + 1) }] : []
  })
  if (declared.length === 0) return []
  const paths = declared.map(({ path }) => path).filter(isPlain)
  const list = await repository.run('--literal-pathspecs', 'ls-files', '-z', '-s', '-t', '--', ...paths)
  const links = new Map(
    list.split('\0').flatMap((line) => {
      const [, commit, path] = /^H 160000 ([0-9a-f]+) 0\t(.+)$/s.exec(line) ?? []
      return commit && path ? [[path, commit] as const] : []
    }),
  )
  return declared.slice(0, MAX_MODULES).flatMap(({ name, path }) => {
    const commit = links.get(path)
    return commit === undefined ? [] : [{ name, path, commit }]
  })
}

/** True if a name leads below a folder, and through no repository's own files. */
const isPlain = (name: string): boolean =>
  name !== '' && !name.startsWith('-') && name.split('/').every((part) => !/^(?:\.{0,2}|\.git)$/i.test(part))

const isRepository = (folder: string): boolean =>
  lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() === true && existsSync(join(folder, 'HEAD'))

/** True if the repository of another submodule lies there or on the way there. */
function isWithinAnother(modules: string, own: string): boolean {
  const parts = relative(modules, own).split(sep)
  return existsSync(own) || parts.some((_, at) => existsSync(join(modules, ...parts.slice(0, at), 'HEAD')))
}

/** The repositories of submodules that a clone has, each with that of the rig where there is one; links are not followed. */
export function modulesOf(clone: string, rig: string): Module[] {
  const found = namesIn(join(clone, 'modules')).flatMap((name) => within(join(clone, 'modules', name), 0))
  return found.slice(0, MAX_MODULES).map((own) => {
    using held = HeldFolder.find(join(rig, relative(clone, own)))
    return { clone: own, rig: held && existsSync(held.at('HEAD')) ? join(rig, relative(clone, own)) : undefined }
  })
}

/** The repositories in a folder, and in theirs. */
function within(folder: string, depth: number): string[] {
  if (depth > 2 * MAX_DEPTH) return []
  if (!isRepository(folder)) return namesIn(folder).flatMap((name) => within(join(folder, name), depth + 1))
  const modules = join(folder, 'modules')
  return [folder, ...namesIn(modules).flatMap((name) => within(join(modules, name), depth + 1))]
}

function namesIn(folder: string): string[] {
  if (lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) return []
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? [entry.name] : []))
}
