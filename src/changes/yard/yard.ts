import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { ISOLATED, Repository, settingsEnv } from '../../agents/worktrees/index.ts'
import type { GitRunner } from '../../config/git/index.ts'
import { AppError } from '../../core/errors.ts'
import { createFolder } from '../../core/folders.ts'
import { mergeAttributes } from './attributes.ts'

const COPY_TIMEOUT_MS = 600_000
/** git that merges without a working tree. */
const MIN_GIT = [2, 38] as const

/** The configuration of a yard: that of users, machines and branches is never read. */
const SETTINGS: Readonly<Record<string, string>> = {
  'core.attributesFile': '/dev/null',
  'core.excludesFile': '/dev/null',
  'core.protectNTFS': process.platform === 'win32' ? 'true' : 'false',
  'core.looseCompression': '1',
  'core.fsync': 'committed,reference',
  'core.fsyncMethod': 'batch',
  'core.logAllRefUpdates': 'false',
  'core.quotePath': 'false',
  'merge.conflictStyle': 'diff3',
  'diff.renameLimit': '2000',
  'merge.renameLimit': '2000',
  'pack.threads': '1',
  'pack.windowMemory': '64m',
}

/** Loose objects and packs from which on they are packed. */
const MAX_LOOSE = 2_000
const MAX_PACKS = 30
const GEOMETRIC = ['repack', '-q', '-d', '--geometric=2']
/** A repository smaller than this is not worth to be packed whole each time that it doubles. */
const MIN_KIB = 16 * 1024

/** Files that git leaves behind when it is killed: no one else writes in a yard. */
const isLeftover = (path: string): boolean =>
  path.endsWith('.lock') || /^gc\.pid$|^objects\/(?:.*\/)?(?:tmp_|\.tmp-)/.test(path) || path === 'info/attributes.new'

/** The file that says whose a yard is. */
export const OWNER_FILE = 'owner.json'

/** The city, by its folder, and the rig that a yard belongs to. */
export interface YardOwner {
  readonly city: string
  readonly rig: string
}

/** A source of commits: a folder of objects. Hooks and configuration of its repository are not used. */
export interface ObjectSource {
  readonly objects: string
  /** The other folders that git must read for it: what the objects borrow from. */
  readonly read: readonly string[]
}

/**
 * The bare repository of gc's own in which the branches of one rig are merged. It borrows from no other repository, has no
 * hooks and no filters, and reads no configuration but gc's.
 */
export class Yard {
  #isPrepared = false
  #attributesOf = ''

  constructor(
    private readonly git: GitRunner,
    readonly path: string,
    private readonly owner?: YardOwner,
  ) {}

  get exists(): boolean {
    return existsSync(join(this.path, 'HEAD'))
  }

  /** Creates the repository; the first use removes what a killed git left. The caller holds the lock of the city. */
  async prepare(format: 'sha1' | 'sha256'): Promise<void> {
    if (this.#isPrepared) return
    if (!this.exists) await this.#create(format)
    await this.sign()
    await this.#removeLeftovers()
    this.#isPrepared = true
  }

  async #create(format: string): Promise<void> {
    await requireGit(this.git)
    const unfinished = `${this.path}.unfinished`
    await rm(unfinished, { recursive: true, force: true })
    createFolder(unfinished)
    const init = ['init', '-q', '--bare', '--template=', `--object-format=${format}`, '--', unfinished]
    await new Repository(this.git, unfinished, undefined, ISOLATED).read(init)
    await mkdir(join(unfinished, 'info'), { recursive: true, mode: 0o700 })
    await rename(unfinished, this.path)
  }

  /** Notes whose it is. */
  async sign(): Promise<void> {
    const file = join(this.path, OWNER_FILE)
    const text = `${JSON.stringify(this.owner)}\n`
    if (!this.owner || !this.exists) return
    if (existsSync(file) && readFileSync(file, 'utf8') === text) return
    await writeFile(`${file}.new`, text, { mode: 0o600 })
    await rename(`${file}.new`, file)
  }

  async #removeLeftovers(): Promise<void> {
    const files = readdirSync(this.path, { recursive: true, encoding: 'utf8' })
    for (const name of files.filter(isLeftover)) await rm(join(this.path, name), { force: true })
    for (const name of readdirSync(this.path)) {
      if (name.startsWith('incoming-')) await rm(join(this.path, name), { recursive: true, force: true })
    }
  }

  /** Has the next use look for what killed commands left behind. */
  distrust(): void {
    this.#isPrepared = false
  }

  /** git in this repository, with these variables besides. */
  with(env: Readonly<Record<string, string>> = {}): Repository {
    return new Repository(this.git, this.path, undefined, {
      ...ISOLATED,
      ...settingsEnv(SETTINGS),
      ...{ GIT_DIR: this.path, LC_ALL: 'C' },
      ...env,
    })
  }

  get own(): Repository {
    return this.with()
  }

  /** git that reads these settings as well: for remotes, and for signatures. */
  using(settings: readonly (readonly [string, string])[], env: Readonly<Record<string, string>>): Repository {
    return this.with({ ...settingEntries([...Object.entries(SETTINGS), ...settings]), ...env })
  }

  /** git on files of a working folder, confined to that and this repository. */
  at(folder: string, index: string): Repository {
    return new Repository(
      this.git,
      folder,
      { read: [], write: [this.path, folder] },
      {
        ...{ ...ISOLATED, ...settingsEnv(SETTINGS), LC_ALL: 'C' },
        ...{ GIT_DIR: this.path, GIT_WORK_TREE: folder, GIT_INDEX_FILE: index },
      },
    )
  }

  /** True if a commit is here. */
  async has(commit: string): Promise<boolean> {
    return (await this.own.try('cat-file', '-t', commit)) === 'commit'
  }

  /** Those of some commits that are not here. */
  async missing(commits: readonly string[]): Promise<string[]> {
    const all = [...new Set(commits)]
    if (all.length === 0) return []
    const input = Buffer.from(all.map((commit) => `${commit}\n`).join(''))
    const lines = (await this.own.read(['cat-file', '--batch-check'], { input })).split('\n')
    return all.filter((_, at) => lines[at]?.split(' ')[1] !== 'commit')
  }

  /** Copies commits with their history from a folder of objects: git checks each object, and that none is missing. */
  async adopt(source: ObjectSource, commits: readonly string[]): Promise<void> {
    const wanted = await this.missing(commits)
    if (wanted.length > 0) await this.copy(source, wanted)
  }

  /** The same for commits that are known to be missing. */
  async copy({ objects, read }: ObjectSource, wanted: readonly string[]): Promise<void> {
    const incoming = join(this.path, `incoming-${process.hrtime.bigint().toString(36)}`)
    await mkdir(incoming, { mode: 0o700 })
    try {
      const within = { read: [...read, objects], write: [this.path] }
      const theirs = this.#confined(within, { GIT_ALTERNATE_OBJECT_DIRECTORIES: objects })
      const bases = (await this.own.run('for-each-ref', '--format=%(objectname)', 'refs/gc/base')).split('\n')
      const lines = [...wanted, '--not', ...bases.filter(Boolean), '']
      const packing = { input: Buffer.from(lines.join('\n')), timeout: COPY_TIMEOUT_MS }
      await theirs.read(['pack-objects', '--revs', '-q', join(incoming, 'pack')], packing).catch((error) => {
        const repository = dirname(objects)
        if (!existsSync(join(repository, 'shallow'))) throw error
        const what = `${repository} is a shallow clone that lacks history which the target does not have either`
        throw new AppError('service-unavailable', `${what}; run git fetch --unshallow there`)
      })
      await this.#takeOver(incoming)
      const needed = ['rev-list', '--objects', '--quiet', ...wanted, '--not', ...bases.filter(Boolean)]
      await this.#confined({ read: [], write: [this.path] }, {}).read(needed, { timeout: COPY_TIMEOUT_MS })
    } finally {
      await rm(incoming, { recursive: true, force: true })
    }
  }

  #confined(within: { read: readonly string[]; write: readonly string[] }, env: Record<string, string>): Repository {
    return new Repository(this.git, this.path, within, {
      ...{ ...ISOLATED, ...settingsEnv(SETTINGS), ...env },
      ...{ GIT_DIR: this.path, LC_ALL: 'C' },
    })
  }

  async #takeOver(incoming: string): Promise<void> {
    const git = this.#confined({ read: [], write: [this.path] }, {})
    for (const pack of readdirSync(incoming).filter((name) => name.endsWith('.pack'))) {
      const name = pack.slice(0, -'.pack'.length)
      for (const end of ['idx', 'rev']) await rm(join(incoming, `${name}.${end}`), { force: true })
      await git.read(['index-pack', '--strict', join(incoming, pack)], { timeout: COPY_TIMEOUT_MS })
      for (const end of ['pack', 'idx']) {
        await rename(join(incoming, `${name}.${end}`), join(this.path, 'objects', 'pack', `${name}.${end}`))
      }
    }
  }

  /** Keeps commits under refs of gc's own, all in one step. */
  async pin(refs: Readonly<Record<string, string>>): Promise<void> {
    const lines = Object.entries(refs).map(([ref, commit]) => `update ${ref} ${commit}\n`)
    if (lines.length > 0) await this.own.read(['update-ref', '--stdin'], { input: Buffer.from(lines.join('')) })
  }

  async unpin(refs: readonly string[]): Promise<void> {
    const lines = refs.map((ref) => `delete ${ref}\n`)
    if (lines.length > 0) await this.own.read(['update-ref', '--stdin'], { input: Buffer.from(lines.join('')) })
  }

  /** The refs below a name, with their commits. */
  async refs(below: string): Promise<Map<string, string>> {
    const text = await this.own.run('for-each-ref', '--format=%(refname) %(objectname)', below)
    return new Map(
      text
        .split('\n')
        .filter(Boolean)
        .map((line) => [line.slice(0, line.indexOf(' ')), line.slice(line.indexOf(' ') + 1)] as const),
    )
  }

  /** True if a commit is in the history of another. */
  async contains(later: string, earlier: string): Promise<boolean> {
    if (later === earlier) return true
    const { exitCode } = await this.own.execute(['merge-base', '--is-ancestor', earlier, later])
    return exitCode === 0
  }

  /** Has merges follow the attributes of a base. Those of a candidate never count: it could choose how it is merged. */
  async attributesFrom(base: string): Promise<void> {
    if (this.#attributesOf === base) return
    const file = join(this.path, 'info', 'attributes')
    await writeFile(`${file}.new`, await mergeAttributes(this.own, base))
    await rename(`${file}.new`, file)
    this.#attributesOf = base
  }

  /**
   * Packs what came together, and now and then everything: once the repository has doubled, what nothing refers to any more
   * is removed as well. So its size stays in proportion to what it keeps.
   */
  async collect(limits = { loose: MAX_LOOSE, packs: MAX_PACKS }): Promise<void> {
    if (!this.#isScattered(limits)) return
    const { size = 0, 'size-pack': packed = 0 } = await this.#sizes()
    const file = join(this.path, 'collected')
    const before = Number(existsSync(file) ? readFileSync(file, 'utf8') : 0)
    if (size + packed < 2 * before) {
      await this.own.read(GEOMETRIC, { timeout: COPY_TIMEOUT_MS })
      return
    }
    await this.own.read(['gc', '-q', '--prune=1.day.ago'], { timeout: COPY_TIMEOUT_MS })
    const { size: loose = 0, 'size-pack': kept = 0 } = await this.#sizes()
    await writeFile(file, String(Math.max(loose + kept, MIN_KIB)))
  }

  /** Whether there are many packs or loose objects. Names of objects are spread evenly over 256 folders, so one stands for all. */
  #isScattered({ loose, packs }: { loose: number; packs: number }): boolean {
    const count = (folder: string, end: string) => {
      const path = join(this.path, 'objects', folder)
      return existsSync(path) ? readdirSync(path).filter((name) => name.endsWith(end)).length : 0
    }
    return count('17', '') * 256 >= loose || count('pack', '.pack') >= packs
  }

  /** Size of the yard: loose objects and packs by number, and kibibytes. */
  async #sizes(): Promise<Record<string, number>> {
    const lines = (await this.own.run('count-objects', '-v')).split('\n')
    return Object.fromEntries(lines.map((line) => [line.split(': ')[0] ?? '', Number(line.split(': ')[1])]))
  }

  /** Writes commits, without the history that `without` has, into a bundle. */
  async bundle(refs: readonly string[], file: string, without: readonly string[]): Promise<void> {
    createFolder(dirname(file))
    const known: string[] = []
    for (const commit of without) if (await this.has(commit)) known.push(commit)
    const not = known.length === 0 ? [] : ['--not', ...known]
    const temporary = join(dirname(file), `.${basename(file)}.new`)
    await this.own.read(['bundle', 'create', '-q', temporary, ...refs, ...not], { timeout: COPY_TIMEOUT_MS })
    await rename(temporary, file)
  }
}

async function requireGit(git: GitRunner): Promise<void> {
  const { stdout } = await git.run(['--version'], { timeout: 10_000 })
  const [, major = 0, minor = 0] = /(\d+)\.(\d+)/.exec(stdout)?.map(Number) ?? []
  const [least, leastMinor] = MIN_GIT
  if (major > least || (major === least && minor >= leastMinor)) return
  const needed = `landing needs git ${MIN_GIT.join('.')} or later`
  throw new AppError('service-unavailable', `${needed}, and this is ${stdout.trim()}; install a newer one`)
}

/** Settings as git reads them from its environment, in this order: a key may be there more than once. */
export function settingEntries(entries: readonly (readonly [string, string])[]): Record<string, string> {
  const pairs = entries.flatMap(([key, value], at) => [
    [`GIT_CONFIG_KEY_${at}`, key],
    [`GIT_CONFIG_VALUE_${at}`, value],
  ])
  return { GIT_CONFIG_COUNT: String(entries.length), ...Object.fromEntries(pairs) }
}
