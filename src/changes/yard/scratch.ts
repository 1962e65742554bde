import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { copyFile, mkdir, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { Repository } from '../../agents/worktrees/index.ts'
import { createFolder } from '../../core/folders.ts'
import type { Yard } from './yard.ts'

const TIMEOUT_MS = 600_000

/**
 * The folder in which candidates of one rig are checked, one after the other: what git ignores stays there from check
 * to check. gc keeps its index elsewhere, since checks run the code of agents; what they find in `.git` is made again
 * for each, and has no remote.
 */
export class Scratch {
  constructor(
    private readonly yard: Yard,
    readonly folder: string,
  ) {}

  private get index(): string {
    return join(this.yard.path, `${basename(this.folder)}.index`)
  }

  /** git on the files there, with the index of the last commit that was checked out. */
  get git(): Repository {
    return this.yard.at(this.folder, this.index)
  }

  /** Puts the files of a commit there, and removes what it does not have. */
  async checkOut(commit: string): Promise<void> {
    if (!existsSync(this.folder)) {
      await rm(this.index, { force: true })
      createFolder(this.folder)
    }
    await rm(join(this.folder, '.git'), { recursive: true, force: true })
    const { git } = this
    await git.read(['read-tree', '--reset', '-u', commit], { timeout: TIMEOUT_MS })
    await git.read(['clean', '-ffdq'], { timeout: TIMEOUT_MS })
    await this.#makeRepository(commit)
  }

  async #makeRepository(commit: string): Promise<void> {
    const own = join(this.folder, '.git')
    for (const name of ['objects/info', 'refs/heads', 'info']) await mkdir(join(own, name), { recursive: true })
    const format = commit.length === 64 ? '[extensions]\n\tobjectFormat = sha256\n' : ''
    const version = format === '' ? 0 : 1
    writeFileSync(join(own, 'config'), `[core]\n\trepositoryFormatVersion = ${version}\n\tbare = false\n${format}`)
    writeFileSync(join(own, 'objects/info/alternates'), `${join(this.yard.path, 'objects')}\n`)
    writeFileSync(join(own, 'HEAD'), `${commit}\n`)
    await copyFile(this.index, join(own, 'index'))
  }

  /** A private folder for what tools keep in the home of their user. */
  get home(): string {
    const path = `${this.folder}.home`
    mkdirSync(path, { recursive: true, mode: 0o700 })
    return path
  }
}
