import { accessSync, constants, existsSync, lstatSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { contains, realPath } from '../../core/folders.ts'
import { readPlainFile } from '../../core/plain-file.ts'
import { shellQuote } from '../../core/text/index.ts'
import { findRepository, readText, sharedFolder } from '../git/index.ts'

/** Context of a rig's problems besides its folder. */
export interface RigSurroundings {
  readonly name: string
  /** `$GC_HOME`. */
  readonly home: string
  readonly defaultBranch?: string | undefined
  /** True if an agent of the rig has `worktree = true`. */
  readonly hasWorktrees: boolean
  readonly hasLfs: boolean
}

/** Problem with the folder of a rig, with its fix and its consequences. */
export interface RigProblem {
  readonly text: string
  readonly prevents?: 'rig' | 'worktrees'
}

/** Packed branches of large repositories. */
const MAX_PACKED_BYTES = 16 * 1024 * 1024

/**
 * Problems with the folder of a rig, a place without links that agents made. It is read from files: agents may have
 * written them, and lists of rigs are asked for often.
 */
export function rigProblems(folder: string, surroundings: RigSurroundings): RigProblem[] {
  const missing = folderProblem(folder, surroundings)
  if (missing !== undefined) return [{ text: missing, prevents: 'rig' }]
  const own = findRepository(folder)
  if (own !== undefined) return repositoryProblems(folder, own, surroundings)
  if (!surroundings.hasWorktrees) return []
  const text = `${folder} is not a git repository, which agents with worktree = true need; ${git(folder, 'init')} makes one`
  return [{ text, prevents: 'worktrees' }]
}

function folderProblem(folder: string, { name, home }: RigSurroundings): string | undefined {
  const found = statSync(folder, { throwIfNoEntry: false })
  const again = `gc rig add <folder> --name ${shellQuote(name)}`
  if (found === undefined) return `${folder} is gone; move it back, or say where it is now: ${again}`
  if (!found.isDirectory()) return `${folder} is a file; give the folder of the rig: ${again}`
  if (!isReadable(folder)) return `${folder} cannot be read by this user; chmod u+rwx ${shellQuote(folder)} lets gc in`
  if (contains(realPath(folder), realPath(home)))
    return `${folder} holds ${home}, where gc keeps its keys and its state; give the folder of one project`
  if (!existsSync(join(folder, '.git')) && isRepositoryItself(folder)) {
    const clone = `git clone ${shellQuote(folder)} <folder>`
    return `${folder} is a bare repository, which has no files to work on; make a checkout and add that: ${clone}`
  }
  return undefined
}

function repositoryProblems(folder: string, own: string, surroundings: RigSurroundings): RigProblem[] {
  const shared = sharedFolder(own)
  const problems: RigProblem[] = []
  if (own === shared && isBare(own)) {
    const text = `${folder} belongs to a bare repository and has no files to work on; add one of its worktrees: ${git(folder, 'worktree list')}`
    problems.push({ text })
  }
  if (!hasCommit(own, shared, surroundings.defaultBranch)) {
    const text = `${folder} has no commit, which agents with worktree = true need; ${git(folder, 'commit --allow-empty -m first')} makes one`
    problems.push({ text, prevents: 'worktrees' })
  }
  if (isBranch(shared, 'gc')) {
    const text = `${folder} has a branch called gc, so that no branch can be called gc/…, as those of worktrees are; ${git(folder, 'branch -m gc <other>')} renames it`
    problems.push({ text, prevents: 'worktrees' })
  }
  const attributes = [join(folder, '.gitattributes'), join(shared, 'info/attributes')]
  if (!surroundings.hasLfs && attributes.some((file) => /\bfilter=lfs\b/.test(readText(file) ?? '')))
    problems.push({
      text: `${folder} has files in Git LFS, and there is no git-lfs; install it, then ${git(folder, 'lfs pull')}`,
    })
  const empty = emptySubmodules(folder, own)
  if (empty.length > 0)
    problems.push({
      text: `${folder} lacks its submodules ${empty.join(', ')}; ${git(folder, 'submodule update --init --recursive')} gets them`,
    })
  return problems
}

const git = (folder: string, command: string): string => `git -C ${shellQuote(folder)} ${command}`

function isReadable(folder: string): boolean {
  try {
    accessSync(folder, constants.R_OK | constants.X_OK)
    return true
  } catch {
    return false
  }
}

const isRepositoryItself = (folder: string): boolean =>
  ['objects', 'refs'].every((name) => lstatSync(join(folder, name), { throwIfNoEntry: false })?.isDirectory()) &&
  readText(join(folder, 'HEAD')) !== undefined

const isBare = (repository: string): boolean =>
  /^\[core\][^[]*^\s*bare\s*=\s*true\s*$/m.test(readText(join(repository, 'config')) ?? '')

/** True if there is a commit to begin from. */
function hasCommit(own: string, shared: string, branch: string | undefined): boolean {
  if (branch !== undefined && isBranch(shared, branch)) return true
  const head = readText(join(own, 'HEAD')) ?? ''
  const name = head.startsWith('ref: refs/heads/') ? head.slice('ref: refs/heads/'.length) : undefined
  return name === undefined || existsSync(join(shared, 'reftable')) || isBranch(shared, name)
}

/** True if a repository that keeps its branches in files has one. */
function isBranch(shared: string, name: string): boolean {
  if (readText(join(shared, 'refs/heads', name))) return true
  const packed = join(shared, 'packed-refs')
  if (!existsSync(packed)) return false
  return readPlainFile(packed, MAX_PACKED_BYTES)?.toString().includes(` refs/heads/${name}\n`) ?? false
}

/** The submodules whose files are in neither the folder nor the repository. */
function emptySubmodules(folder: string, own: string): string[] {
  const text = readText(join(folder, '.gitmodules')) ?? ''
  const sections = text.split(/^\s*\[submodule "(.+)"\]\s*$/m).slice(1)
  return sections.flatMap((name, at) => {
    const path = at % 2 === 0 ? /^\s*path\s*=\s*(.+?)\s*$/m.exec(sections[at + 1] ?? '')?.[1] : undefined
    if (path === undefined || existsSync(join(folder, path, '.git')) || existsSync(join(own, 'modules', name)))
      return []
    return [path]
  })
}
