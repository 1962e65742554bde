import {
  cpSync,
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
} from 'node:fs'
import { rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { Glob } from 'bun'
import { type Clock, toTimestamp } from '../../core/clock.ts'
import type { Deadlines } from '../../core/deadlines.ts'
import { sha256 } from '../../core/digest.ts'
import { createFolder, syncFolder } from '../../core/folders.ts'
import { FileSnapshot } from '../files/index.ts'
import { fetchFolderName, removeAbandonedFetches } from './abandoned-fetches.ts'
import { remoteFailed } from './errors.ts'
import { findLeavingLink } from './links.ts'
import { checkoutName, checkoutRecord } from './locate.ts'
import { readLock } from './lock.ts'
import { describeFailure, type PackRemotes } from './remotes.ts'
import { describeBytes, judgeTree, TREE_LIMITS, type TreeLimits } from './tree-listing.ts'

/** The file beside a checkout that is written once the checkout is complete. */
export interface CheckoutRecord {
  readonly url: string
  readonly commit: string
  readonly fetched: string
}

export interface PackCheckoutsOptions {
  /** The folder of all checkouts. */
  readonly folder: string
  readonly clock: Clock
  readonly deadlines: Deadlines
  readonly limits?: TreeLimits
}

const WATCH_MS = 250
const FILE_TOO_LARGE = /file too large/i
const GONE = /not our ref|unadvertised object|no such remote ref|did not send all necessary|couldn't find remote ref/i

/** The checkouts of commits that packs are locked to: each whole, or not there. */
export class PackCheckouts {
  constructor(private readonly options: PackCheckoutsOptions) {}

  has(url: string, commit: string): boolean {
    return existsSync(join(this.options.folder, checkoutRecord(url, commit)))
  }

  /** Fetches a commit unless it is there already; true when it was fetched. */
  async fetch(url: string, commit: string, remotes: PackRemotes): Promise<boolean> {
    if (this.has(url, commit) || adoptCheckout(this.options.folder, checkoutName(url, commit))) return false
    const { folder } = this.options
    createFolder(folder)
    await removeAbandonedFetches(folder)
    const staging = join(folder, fetchFolderName())
    try {
      createFolder(staging)
      await this.#download(url, commit, staging, remotes)
      await this.#judge(url, commit, staging, remotes)
      await rm(join(staging, '.git'), { recursive: true, force: true })
      this.#publish(url, commit, staging)
      return true
    } finally {
      await rm(staging, { recursive: true, force: true })
    }
  }

  /** The checkouts that are complete. */
  records(): CheckoutRecord[] {
    if (!existsSync(this.options.folder)) return []
    return readdirSync(this.options.folder)
      .filter((name) => /^[0-9a-f]{64}\.json$/.test(name))
      .map((name) => JSON.parse(readFileSync(join(this.options.folder, name), 'utf8')) as CheckoutRecord)
  }

  /** Removes a checkout: first its record, so that it never counts as complete while it goes. */
  async remove({ url, commit }: Pick<CheckoutRecord, 'url' | 'commit'>): Promise<void> {
    rmSync(join(this.options.folder, checkoutRecord(url, commit)), { force: true })
    await rm(join(this.options.folder, checkoutName(url, commit)), { recursive: true, force: true })
  }

  async #download(url: string, commit: string, staging: string, remotes: PackRemotes): Promise<void> {
    const started = await remotes.runLocally(['init', '--quiet', '--template=', staging])
    if (started.exitCode !== 0) throw new Error(`git cannot write in ${staging}: ${describeFailure(started)}`)
    const shallow = ['--depth=1', '--', url, commit]
    const result = await this.#fetchBounded(url, shallow, staging, remotes)
    if (result.exitCode === 0) return
    if (!/unadvertised object|dumb http|does not support shallow/i.test(result.stderr)) {
      throw this.#fetchFailed(url, commit, describeFailure(result), result.stderr)
    }
    // A server that hands out branches and tags only: the commit is among them, or it is gone.
    const whole = ['--', url, '+refs/heads/*:refs/fetched/heads/*', '+refs/tags/*:refs/fetched/tags/*']
    const all = await this.#fetchBounded(url, whole, staging, remotes)
    if (all.exitCode !== 0) throw this.#fetchFailed(url, commit, describeFailure(all), all.stderr)
    const present = await remotes.runLocally(['-C', staging, 'cat-file', '-e', `${commit}^{commit}`])
    if (present.exitCode !== 0) throw commitGone(url, commit)
  }

  #fetchFailed(url: string, commit: string, reason: string, stderr: string) {
    return GONE.test(stderr) ? commitGone(url, commit) : remoteFailed(`${url} cannot be fetched: ${reason}`)
  }

  /** Fetches, and kills git when all that it writes grows over the limit, or when gc is gone, which sees to that. */
  async #fetchBounded(url: string, words: readonly string[], staging: string, remotes: PackRemotes) {
    const { bytes } = this.options.limits ?? TREE_LIMITS
    const tooLarge = new AbortController()
    const watching = new AbortController()
    const watched = this.#watchSize(staging, bytes, tooLarge, watching.signal)
    const keepPack = ['-c', 'fetch.unpackLimit=1']
    const options = ['--quiet', '--no-tags', '--no-recurse-submodules', '--no-auto-maintenance']
    try {
      const result = await remotes.run(url, [...keepPack, '-C', staging, 'fetch', ...options, ...words], {
        ...{ signal: tooLarge.signal, maxFileSize: bytes },
      })
      const isTooLarge =
        result.exitCode === 0 ? (await sizeOf(staging, bytes)) > bytes : FILE_TOO_LARGE.test(result.stderr)
      if (isTooLarge) tooLarge.abort()
      tooLarge.signal.throwIfAborted()
      return result
    } catch (error) {
      if (!tooLarge.signal.aborted) throw error
      throw remoteFailed(`${url} is larger than ${describeBytes(bytes)}, and was not fetched`)
    } finally {
      watching.abort()
      await watched
    }
  }

  async #watchSize(folder: string, limit: number, tooLarge: AbortController, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      if ((await sizeOf(folder, limit)) > limit) return tooLarge.abort()
      await this.options.deadlines.sleep(WATCH_MS, signal).catch(() => {})
    }
  }

  /** Checks what a commit holds before it is written, and its links after. */
  async #judge(url: string, commit: string, staging: string, remotes: PackRemotes): Promise<void> {
    const listing = await remotes.runLocally(['-C', staging, 'ls-tree', '-r', '-l', '-z', '--full-tree', commit])
    if (listing.exitCode !== 0) throw refused(url, describeFailure(listing))
    const verdict = judgeTree(listing.stdout, this.options.limits)
    if ('reason' in verdict) throw refused(url, verdict.reason)
    const written = await remotes.runLocally(['-C', staging, 'checkout', '--quiet', '--detach', commit])
    if (written.exitCode !== 0) throw refused(url, describeFailure(written))
    const link = findLeavingLink(staging, verdict.links)
    if (link !== undefined) throw refused(url, `its link ${link} leads out of it`)
  }

  #publish(url: string, commit: string, staging: string): void {
    const { folder, clock } = this.options
    if (this.has(url, commit)) return
    const checkout = join(folder, checkoutName(url, commit))
    // What lies there without a record is half of something, or another program's.
    if (existsSync(checkout)) {
      const old = `${staging}-old`
      renameSync(checkout, old)
      rmSync(old, { recursive: true, force: true })
    }
    syncFolder(staging)
    renameSync(staging, checkout)
    syncFolder(folder)
    writeRecord(folder, { url, commit, fetched: toTimestamp(clock.now()) })
  }
}

/** Writes the record of a checkout in the folder of all checkouts: from then on it is used. */
function writeRecord(folder: string, record: CheckoutRecord): void {
  const path = join(folder, checkoutRecord(record.url, record.commit))
  writeFileSync(`${path}.new`, JSON.stringify(record))
  renameSync(`${path}.new`, path)
  syncFolder(folder)
}

/** Takes over every checkout that another program made in the same layout, so that it is not fetched again. */
export function adoptCheckouts(folder: string): void {
  if (!existsSync(folder)) return
  const names = unlessRefused(() => readdirSync(folder)) ?? []
  for (const name of names) if (!adoptCheckout(folder, name)) unlessRefused(() => copyUnpacked(folder, name))
}

/**
 * Takes over a git clone that lies where a checkout is expected; true when it is usable from now on. The name of its folder
 * is the hash of its address and commit, which its own files must confirm. No git runs in it: what its configuration says
 * is not trusted. A clone with a link that leads out of it is left alone, and fetched like any other.
 */
function adoptCheckout(folder: string, name: string): boolean {
  if (!/^[0-9a-f]{64}$/.test(name) || existsSync(join(folder, `${name}.json`))) return false
  const adopted = unlessRefused(() => {
    const record = recordOf(folder, name)
    if (record) writeRecord(folder, record)
    return record
  })
  return adopted !== undefined
}

/** The result of work on files; undefined where a sandbox forbids it, or another program is still writing. */
function unlessRefused<Result>(work: () => Result): Result | undefined {
  try {
    return work()
  } catch (error) {
    if (error instanceof Error && 'syscall' in error) return undefined
    throw error
  }
}

function recordOf(folder: string, name: string): CheckoutRecord | undefined {
  const clone = join(folder, name)
  if (!statOf(clone)?.isDirectory() || !statOf(join(clone, '.git'))?.isDirectory()) return undefined
  const commit = readSmall(join(clone, '.git/HEAD'))?.trim() ?? ''
  const url = originOf(readSmall(join(clone, '.git/config')) ?? '')
  if (url === undefined || checkoutName(url, commit) !== name) return undefined
  const links = linksIn(clone)
  if (!links || findLeavingLink(clone, links) !== undefined) return undefined
  return { url, commit, fetched: toTimestamp(statSync(join(clone, '.git/HEAD')).mtimeMs) }
}

/** The file that marks a folder which another program unpacked from itself: the packs that it is built with. */
const UNPACKED_MARK = '.gc-bundled-pack-cache.toml'
const UNPACKED_NAMESPACE = 'bundled-synthetic-v1'
const UNPACKED_URLS = ['gascity', 'gascity-packs'].map((name) => `https://github.com/gastownhall/${name}.git`)

/** Copies what another program unpacked to where the checkout of that commit is expected. */
function copyUnpacked(folder: string, name: string): void {
  const mark = readSmall(join(folder, name, UNPACKED_MARK))
  if (mark === undefined) return
  const markOf = (key: string) => new RegExp(`^${key} = ["'](\\w+)["']$`, 'm').exec(mark)?.[1] ?? ''
  const [commit, hash] = [markOf('commit'), markOf('content_hash')]
  const nameOf = (url: string) => sha256([UNPACKED_NAMESPACE, url, commit, hash].join('\0'))
  const url = UNPACKED_URLS.find((each) => nameOf(each) === name)
  if (url === undefined || existsSync(join(folder, checkoutName(url, commit)))) return
  const staging = join(folder, fetchFolderName())
  try {
    cpSync(join(folder, name), staging, { recursive: true, verbatimSymlinks: true })
    const links = linksIn(staging)
    if (!links || findLeavingLink(staging, links) !== undefined) return
    renameSync(staging, join(folder, checkoutName(url, commit)))
    writeRecord(folder, { url, commit, fetched: toTimestamp(statSync(join(folder, name)).mtimeMs) })
  } finally {
    rmSync(staging, { recursive: true, force: true })
  }
}

const statOf = (path: string): Stats | undefined => lstatSync(path, { throwIfNoEntry: false })

const MAX_FILE = 64 * 1024

function readSmall(path: string): string | undefined {
  const stat = statOf(path)
  return stat?.isFile() && stat.size <= MAX_FILE ? readFileSync(path, 'utf8') : undefined
}

/** The address that a clone was made from. */
function originOf(config: string): string | undefined {
  const [, section] = /^\[remote "origin"\]\s*$([^[]*)/m.exec(config) ?? []
  return /^\s*url = (\S+)$/m.exec(section ?? '')?.[1]
}

/** The links in a clone, named from it; undefined when it holds more than gc takes. */
function linksIn(clone: string): string[] | undefined {
  const links: string[] = []
  let count = 0
  const open = ['']
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    for (const entry of readdirSync(join(clone, at), { withFileTypes: true })) {
      const name = join(at, entry.name)
      if (name === '.git') continue
      if (++count > TREE_LIMITS.files) return undefined
      if (entry.isSymbolicLink()) links.push(name)
      else if (entry.isDirectory()) open.push(name)
    }
  }
  return links
}

const commitGone = (url: string, commit: string) =>
  remoteFailed(`${url} no longer has the commit ${commit}; run \`gc import upgrade\` to lock another`)

const refused = (url: string, reason: string) => remoteFailed(`${url} is not taken: ${reason}`)

/** The bytes of the files below a folder, counted until they are more than a limit. */
async function sizeOf(folder: string, limit: number): Promise<number> {
  let bytes = 0
  try {
    for await (const name of new Glob('**/*').scan({ cwd: folder, dot: true })) {
      bytes += (await stat(join(folder, name)).catch(() => undefined))?.size ?? 0
      if (bytes > limit) break
    }
  } catch {
    // The folder is not there yet, or not any more.
  }
  return bytes
}

/** Names the checkouts that no lock of these cities has and that were fetched before a time; removes them if asked to. */
export async function pruneCheckouts(
  checkouts: PackCheckouts,
  cities: readonly string[],
  { before, apply }: { before: number; apply: boolean },
): Promise<string[]> {
  const used = new Set(
    cities.flatMap((city) => [...readLock(new FileSnapshot(city)).values()].map(({ commit }) => commit)),
  )
  const unused = checkouts.records().filter(({ commit, fetched }) => !used.has(commit) && Date.parse(fetched) < before)
  if (apply) for (const record of unused) await checkouts.remove(record)
  return unused.map(({ url, commit }) => `${url} ${commit}`)
}
