import {
  advance,
  judgeLanded,
  type LandingEnd,
  type LandingWorld,
  openForge,
  type PullRequestLanding,
} from '../../../src/changes/forges/index.ts'
import { tempFolder } from '../../support/folder.ts'
import {
  bareRepository,
  commitFiles,
  type Dialect,
  git,
  OWN_TOKEN,
  ScriptedForge,
  tryGit,
} from '../../support/forge.ts'

export const HEAD = 'gc/land/x'
const MINUTE = 60_000

class Crash extends Error {}

interface Options {
  readonly labels?: string[]
  readonly isDraft?: boolean
  readonly strategy?: 'squash' | 'merge'
}

/** A rig with a candidate, its forge, and the row of the landing as it is on disk. */
export class Yard implements Disposable {
  readonly #folder = tempFolder()
  readonly path = this.#folder.at('yard.git')
  readonly server: ScriptedForge
  readonly rows: PullRequestLanding[] = []
  now = Date.now()
  #points = 0
  /** The point at which the process ends. */
  crashAt = 0

  constructor(
    readonly dialect: Dialect,
    private readonly options: Options = {},
  ) {
    this.server = new ScriptedForge(dialect)
    bareRepository(this.path)
    const base = this.server.tip()
    const sha = commitFiles(this.path, base, { a: '2\n' })
    this.rows.push({ state: 'pr_open', headBranch: HEAD, target: 'main', base, sha, replaced: [], attempts: 0 })
  }

  [Symbol.dispose](): void {
    this.server[Symbol.dispose]()
    this.#folder[Symbol.dispose]()
  }

  get row(): PullRequestLanding {
    const row = this.rows.at(-1)
    if (!row) throw new Error('there is no row')
    return row
  }

  get sha(): string {
    return this.row.sha
  }

  /** Steps until the landing ends, or waits for something that `until` names; at most a day passes. */
  async run(until?: RegExp): Promise<LandingEnd | undefined> {
    let { row } = this
    for (const end = this.now + 24 * 60 * MINUTE; this.now < end; ) {
      const step = await advance(row, this.#world())
      if (step.kind === 'end') return step.end
      row = step.row
      if (until?.test(row.reason ?? '')) return undefined
      this.now += step.after
    }
    throw new Error(`it goes on for a day: ${JSON.stringify(row)}`)
  }

  /** The same through a crash at a point: what is not in the row is forgotten. False if there is no such point. */
  async runThroughCrash(point: number): Promise<{ end: LandingEnd | undefined; crashed: boolean }> {
    this.crashAt = point
    try {
      return { end: await this.run(), crashed: false }
    } catch (error) {
      if (!(error instanceof Crash)) throw error
    }
    this.crashAt = 0
    return { end: await this.run(), crashed: true }
  }

  #point(): void {
    this.#points++
    if (this.#points === this.crashAt) throw new Crash()
  }

  #world(): LandingWorld {
    const config = { kind: this.dialect, url: this.server.url, repository: 'acme/shop' }
    const clock = { now: () => this.now, monotonic: () => this.now }
    const forge = openForge(config, { tokens: { for: () => OWN_TOKEN }, clock, timeout: 2_000 })
    const around = async <T>(act: () => Promise<T>): Promise<T> => {
      this.#point()
      const result = await act()
      this.#point()
      return result
    }
    const { labels = [], isDraft = false, strategy = 'squash' } = this.options
    return {
      ...{ isDraft, options: { labels, strategy }, message: { title: 'Oil the hinge', body: 'Bead: mp-7' } },
      now: () => this.now,
      save: (row) => around(async () => void this.rows.push(row)),
      forge: {
        name: forge.name,
        facts: (branch) => forge.facts(branch),
        find: (head, base) => forge.find(head, base),
        read: (number) => forge.read(number),
        create: (draft) => around(() => forge.create(draft)),
        merge: (request) => around(() => forge.merge(request)),
        enqueue: (number, sha) => around(() => forge.enqueue(number, sha)),
        close: (number) => around(() => forge.close(number)),
        label: (number, names) => around(() => forge.label(number, names)),
      },
      remote: {
        fetch: async (target, head) => {
          git(this.path, 'fetch', '-q', this.server.repository, '+refs/heads/*:refs/gc/remote/*', '--prune')
          const tip = (branch: string) => tryGit(this.path, 'rev-parse', '-q', '--verify', `refs/gc/remote/${branch}`)
          return { target: tip(target).stdout.trim(), branch: tip(head).stdout.trim() || undefined }
        },
        push: (branch, sha, lease = '') =>
          around(async () => {
            const option = `--force-with-lease=refs/heads/${branch}:${lease}`
            tryGit(this.path, 'push', '-q', option, this.server.repository, `${sha}:refs/heads/${branch}`)
          }),
        judge: (change, seen) => judgeLanded(async (args) => tryGit(this.path, ...args), change, seen),
      },
    }
  }
}

/** State of main beyond the base: the differing files, and the number of commits. */
export function landedOn(yard: Yard): { commits: number; files: string } {
  const { repository } = yard.server
  const { base } = yard.row
  return {
    commits: Number(git(repository, 'rev-list', '--count', '--first-parent', `${base}..main`)),
    files: git(repository, 'diff', '--name-only', base, 'main'),
  }
}
