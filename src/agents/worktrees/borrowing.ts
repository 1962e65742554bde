import { accessSync, constants, existsSync, readdirSync } from 'node:fs'
import { appendFile, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { readPlainFile } from '../../core/plain-file.ts'
import { HeldFolder } from '../../core/store/index.ts'
import type { Repository } from './repository.ts'

const MAX_BYTES = 1024 * 1024
/** Name of the rig's repository in a clone. */
export const RIG = 'rig'
/** Refs of its rig that a clone has from the start. */
const FETCHED = [`+refs/heads/*:refs/remotes/${RIG}/*`, '+refs/tags/*:refs/tags/*', '+refs/remotes/*:refs/remotes/*']
/** Submodules have repositories of their own, which gc visits itself. */
const ALONE = ['-c', 'submodule.recurse=false', '-c', 'fetch.recurseSubmodules=false']

/** A repository that a clone borrows from. */
export interface Lender {
  readonly repository: Repository
  /** Folder with git's data of the working folder. */
  readonly own: string
  /** Data that all worktrees of the repository share. */
  readonly shared: string
}

/** A setting as `git config --list -z` prints it, and the key alone where it has no value. */
export interface GitSetting {
  readonly key: string
  readonly value: string
}

/** The settings of a repository: its own, and those of its working folder. */
export async function settingsOf({ repository }: Lender): Promise<GitSetting[]> {
  const list = async (scope: string) =>
    parseSettings(await repository.run('config', scope, '--includes', '--list', '-z'))
  const local = await list('--local')
  const hasMore = local.some(({ key, value }) => key === 'extensions.worktreeconfig' && value !== 'false')
  return hasMore ? [...local, ...(await list('--worktree'))] : local
}

/** The format of the objects of a repository with these settings. */
export const objectFormatOf = (settings: readonly GitSetting[]): string =>
  settings.find(({ key }) => key === 'extensions.objectformat')?.value ?? 'sha1'

/**
 * Has a new repository borrow the objects of another, and know what it knows: where its history is cut off, which of its
 * files it checks out, which it ignores, and its branches.
 */
export async function borrow(
  { own, shared }: Lender,
  settings: readonly GitSetting[],
  borrower: Repository,
  folder: string,
): Promise<void> {
  for (const name of ['info', 'objects/info']) await mkdir(join(folder, name), { recursive: true })
  await appendFile(join(folder, 'objects', 'info', 'alternates'), `${join(shared, 'objects')}\n`)
  const origin = { key: `remote.${RIG}.url`, value: shared }
  const fetched = { key: `remote.${RIG}.fetch`, value: `+refs/heads/*:refs/remotes/${RIG}/*` }
  await appendFile(join(folder, 'config'), formatSettings([...settings, origin, fetched]))
  await copy(shared, 'info/exclude', folder)
  await copy(own, 'info/sparse-checkout', folder)
  await copy(shared, 'shallow', folder, (text) => /^(?:[0-9a-f]{40,64}\n)+$/.test(text))
  await borrower.run(...ALONE, 'fetch', '-q', '--no-tags', '--update-shallow', RIG, ...FETCHED)
}

/** Fills the working folder of a repository with what its `HEAD` has. */
export async function checkOut(repository: Repository, why: (missing: string) => Error): Promise<void> {
  const { exitCode, stderr } = await repository.execute([...ALONE, 'reset', '-q', '--hard'])
  if (exitCode === 0) return
  const missing = /could not fetch ([0-9a-f]{40,64}) from promisor remote/.exec(stderr)?.[1]
  if (missing !== undefined) throw why(missing)
  await repository.run(...ALONE, 'reset', '-q', '--hard')
}

/** Copies a small file; one that a link leads to, or that is not as it must be, is not copied. */
async function copy(from: string, file: string, to: string, isRight: (text: string) => boolean = () => true) {
  const [name = '', ...folders] = file.split('/').reverse()
  using held = HeldFolder.find(join(from, ...folders))
  const text = held && readPlainFile(held.at(name), MAX_BYTES)
  if (text && isRight(text.toString())) await writeFile(join(to, file), text)
}

/** The folder of a repository's hooks, if it has any that run. */
export function hooksOf(shared: string): string | undefined {
  const folder = join(shared, 'hooks')
  if (!existsSync(folder)) return undefined
  const runs = readdirSync(folder).some((name) => !name.endsWith('.sample') && isExecutable(join(folder, name)))
  return runs ? folder : undefined
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** Parses `git config --list -z`. */
function parseSettings(text: string): GitSetting[] {
  return text
    .split('\0')
    .filter(Boolean)
    .map((entry) => {
      const end = entry.indexOf('\n')
      return end < 0 ? { key: entry, value: 'true' } : { key: entry.slice(0, end), value: entry.slice(end + 1) }
    })
}

/** Settings as a configuration file has them. */
export const formatSettings = (settings: readonly GitSetting[]): string =>
  settings
    .map(({ key, value }) => {
      const [first, last] = [key.indexOf('.'), key.lastIndexOf('.')]
      const subsection = first === last ? '' : ` ${quote(key.slice(first + 1, last))}`
      return `[${key.slice(0, first)}${subsection}]\n\t${key.slice(last + 1)} = ${quote(value)}\n`
    })
    .join('')

const quote = (text: string): string =>
  `"${text.replace(/[\\"]/g, '\\$&').replaceAll('\n', '\\n').replaceAll('\t', '\\t')}"`
