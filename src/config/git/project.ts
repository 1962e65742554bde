import { Deadlines } from '../../core/deadlines.ts'
import { GitRunner } from './git-runner.ts'

/** A folder to work on, as git knows it. */
export interface Project {
  /** The root of the repository around it, or the folder itself. */
  readonly path: string
  readonly isRepository: boolean
  /** The branch that is checked out; absent where it is a commit. */
  readonly branch?: string
  /** True if there is a commit, which a worktree needs. */
  readonly hasCommit: boolean
}

const TIMEOUT_MS = 3000

/** Finds the repository around a folder; the folder stands for itself where there is none, or no git. */
export async function findProject(folder: string, env: Readonly<Record<string, string | undefined>>): Promise<Project> {
  const deadlines = new Deadlines()
  const git = new GitRunner({ deadlines, env })
  const lineOf = async (...args: string[]) => {
    const { exitCode, stdout } = await git.run(['-C', folder, ...args], { timeout: TIMEOUT_MS })
    return exitCode === 0 ? stdout.replace(/\n$/, '') : ''
  }
  try {
    const root = git.isInstalled ? await lineOf('rev-parse', '--show-toplevel') : ''
    if (root === '') return { path: folder, isRepository: false, hasCommit: false }
    const branch = await lineOf('symbolic-ref', '--short', '-q', 'HEAD')
    const hasCommit = (await lineOf('rev-parse', '--verify', '-q', 'HEAD^{commit}')) !== ''
    return { path: root, isRepository: true, ...(branch && { branch }), hasCommit }
  } finally {
    deadlines.close()
  }
}
