import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Repository } from '../../agents/worktrees/index.ts'
import { AppError } from '../../core/errors.ts'
import { type LfsPointer, missingLfs } from './lfs.ts'
import type { Target } from './remote.ts'
import type { ObjectSource, Yard } from './yard.ts'

const TIMEOUT_MS = 600_000

/** A rig whose own branch is the target, because it has no remote. */
export interface LocalRig {
  /** git in the rig, confined to it and to these folders. */
  git(folders: { read?: readonly string[]; write?: readonly string[] }): Repository
  readonly source: ObjectSource
}

/**
 * A branch of the rig itself. Where its folder has the branch checked out, the files move along with it, and only while
 * nothing there is changed: what a person has in it is never touched.
 */
export class LocalBranch implements Target {
  constructor(
    private readonly yard: Yard,
    private readonly rig: LocalRig,
    readonly branch: string,
  ) {}

  get ref(): string {
    return `refs/heads/${this.branch}`
  }

  async look(): Promise<string | undefined> {
    const commit = await this.rig.git({}).commitOf(this.ref)
    if (commit === '') return undefined
    await this.yard.adopt(this.rig.source, [commit])
    await this.yard.pin({ [`refs/gc/base/${this.branch}`]: commit })
    return commit
  }

  async push(old: string, next: string): Promise<string> {
    try {
      await this.#bring(old, next)
      await this.#move(old, next)
      return ''
    } catch (error) {
      return error instanceof Error ? error.message : String(error)
    }
  }

  missingLfs(pointers: readonly LfsPointer[]): Promise<LfsPointer[]> {
    return missingLfs(pointers, { url: this.rig.git({}).path }, async () => undefined)
  }

  /** Brings the commits into the rig as a bundle, so that neither repository runs a program of the other. */
  async #bring(old: string, next: string): Promise<void> {
    const ref = 'refs/gc/landing/local'
    const folder = await mkdtemp(join(this.yard.path, 'incoming-'))
    try {
      const file = join(folder, 'landing.bundle')
      await this.yard.pin({ [ref]: next })
      await this.yard.bundle([ref], file, [old])
      const fetch = [
        'fetch',
        '-q',
        '--no-tags',
        '--no-write-fetch-head',
        '--no-recurse-submodules',
        '--no-auto-maintenance',
      ]
      await this.rig.git({ read: [folder] }).read([...fetch, file, `+${ref}:${ref}`], { timeout: TIMEOUT_MS })
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  }

  async #move(old: string, next: string): Promise<void> {
    const git = this.rig.git({})
    const places = await checkedOutIn(git, this.ref)
    const elsewhere = places.filter((path) => path !== git.path)
    if (elsewhere.length > 0) {
      throw new AppError(
        'conflict-wrong-state',
        `${this.branch} is checked out in ${elsewhere[0]}; check another branch out there`,
      )
    }
    if (places.length > 0) await this.#moveFiles(git, old, next)
    await git.run('update-ref', '-m', 'gc: land', this.ref, next, old)
    await git.try('update-ref', '-d', 'refs/gc/landing/local')
  }

  /** A crash can have moved the files already, and not the branch. */
  async #moveFiles(git: Repository, old: string, next: string): Promise<void> {
    if (await this.#isAt(git, next)) return
    if (!(await this.#isAt(git, old))) {
      throw new AppError(
        'conflict-wrong-state',
        `${git.path} has ${this.branch} checked out with changes in it; commit or stash them`,
      )
    }
    await this.rig.git({ write: [git.path] }).read(['read-tree', '-m', '-u', old, next], { timeout: TIMEOUT_MS })
  }

  /** True if index and files are those of a commit; files that git does not know are left alone. */
  async #isAt(git: Repository, commit: string): Promise<boolean> {
    const staged = await git.execute(['diff-index', '--cached', '--quiet', '--ignore-submodules=none', commit])
    if (staged.exitCode !== 0) return false
    const args = [
      '--no-optional-locks',
      'status',
      '--porcelain',
      '-z',
      '--untracked-files=no',
      '--ignore-submodules=none',
    ]
    const entries = (await git.read(args)).split('\0').filter((entry) => entry[2] === ' ')
    // The first column shows staged changes, the second those that are not staged.
    return entries.every((entry) => entry[1] === ' ')
  }
}

/** The working folders that have a branch checked out. */
export async function checkedOutIn(git: Repository, ref: string): Promise<string[]> {
  const entries = (await git.read(['worktree', 'list', '--porcelain', '-z'])).split('\0\0')
  return entries.flatMap((entry) => {
    const lines = entry.split('\0')
    const path = lines.find((line) => line.startsWith('worktree '))?.slice('worktree '.length)
    const isBare = lines.includes('bare')
    return path !== undefined && !isBare && lines.includes(`branch ${ref}`) && existsSync(path) ? [path] : []
  })
}
