import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { Repository } from '../../src/agents/worktrees/index.ts'
import { GitRunner } from '../../src/config/git/git-runner.ts'
import { Deadlines } from '../../src/core/deadlines.ts'
import { env, git } from '../agents/worktrees/git.ts'

/** A folder with a repository in it, and what reads its commits. */
export class TestRepository {
  readonly path = mkdtempSync(join(tmpdir(), 'gc-changes-'))
  readonly #deadlines = new Deadlines()
  readonly repository: Repository

  constructor() {
    git(this.path, 'init', '-q', '-b', 'main')
    this.repository = new Repository(new GitRunner({ deadlines: this.#deadlines, env }), join(this.path, '.git'))
  }

  git(...words: string[]): string {
    return git(this.path, ...words)
  }

  write(files: Readonly<Record<string, string | Uint8Array | undefined>>): void {
    for (const [path, content] of Object.entries(files)) {
      const file = join(this.path, path)
      if (content === undefined) rmSync(file, { recursive: true })
      else {
        mkdirSync(dirname(file), { recursive: true })
        writeFileSync(file, content)
      }
    }
  }

  /** Commits what is there besides these files; undefined removes one. */
  commit(files: Readonly<Record<string, string | Uint8Array | undefined>> = {}, subject = 'change'): string {
    this.write(files)
    git(this.path, 'add', '-A')
    git(this.path, 'commit', '-q', '--allow-empty', '-m', subject)
    return git(this.path, 'rev-parse', 'HEAD')
  }

  [Symbol.dispose](): void {
    this.#deadlines.close()
    rmSync(this.path, { recursive: true, force: true })
  }
}
