import { realpathSync } from 'node:fs'
import { join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import { PACK_FILE } from './locate.ts'
import type { PackRemotes } from './remotes.ts'

/** A folder as the repository that holds it at a commit. */
export interface CommittedFolder {
  readonly source: string
  readonly url: string
  readonly commit: string
}

/** The repository that a pack's folder is committed in, as it is now; undefined when it is in none, or has changes. */
export async function findCommittedFolder(path: string, remotes: PackRemotes): Promise<CommittedFolder | undefined> {
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
