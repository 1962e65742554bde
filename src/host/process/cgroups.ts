import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { errorMessage } from '../../core/errors.ts'

/** A cgroup of a session: everything that was ever started in it stays in it, whatever session or parent it has. */
export class Cgroup {
  constructor(
    readonly path: string,
    private readonly parent: string,
  ) {}

  /**
   * Starts something in this group. The host enters it for that moment, since a child is born where its parent is: so
   * nothing that the child starts can be missed.
   */
  run<T>(start: () => T): T {
    const isInside = enters(this.path)
    try {
      return start()
    } finally {
      // A host that could not return is spared when the group is ended.
      if (isInside) enters(this.parent)
    }
  }

  remove(): void {
    removeCgroup(this.path)
  }
}

/** How the processes of sessions are held together: by a cgroup each, or else why not. */
export class Cgroups {
  private constructor(
    private readonly folder: string,
    /** Why sessions have no cgroup; undefined when they have. */
    readonly reason: string | undefined,
    private readonly report: (sentence: string) => void,
  ) {}

  /** Tries whether this process may have groups below its own. */
  static open({ enabled, report }: { enabled: boolean; report(sentence: string): void }): Cgroups {
    const folder = ownFolder()
    const reason = enabled ? obstacleTo(folder) : 'they are switched off by GC_SESSION_CGROUP'
    return new Cgroups(folder ?? '', reason, report)
  }

  /** Where the group of one run is, or will be; undefined where there are none. */
  pathOf(run: string): string | undefined {
    return this.reason === undefined ? join(this.folder, `gc-session-${run}`) : undefined
  }

  /** A new group for one run of a session; without one the session's processes are ended one by one. */
  create(run: string): Cgroup | undefined {
    const path = this.pathOf(run)
    if (path === undefined) return undefined
    try {
      mkdirSync(path)
      return new Cgroup(path, this.folder)
    } catch (error) {
      this.report(`a session has no cgroup: ${errorMessage(error)}`)
      return undefined
    }
  }
}

/** Why there can be no groups below a folder. */
function obstacleTo(folder: string | undefined): string | undefined {
  if (folder === undefined) return 'no cgroup v2 with this process is mounted'
  const probe = join(folder, `gc-probe-${process.pid}`)
  try {
    mkdirSync(probe)
    if (!existsSync(join(probe, 'cgroup.kill'))) return 'this kernel is older than Linux 5.14'
    for (const path of [probe, folder]) enter(path)
    return undefined
  } catch (error) {
    if (hasCode(error, 'EROFS')) return `${folder} is read-only`
    if (hasCode(error, 'EACCES', 'EPERM')) return `${folder} is not delegated to this user`
    return `${folder} takes no group: ${errorMessage(error)}`
  } finally {
    removeCgroup(probe)
  }
}

const enter = (path: string): void => writeFileSync(join(path, 'cgroup.procs'), '0')

function enters(path: string): boolean {
  try {
    enter(path)
    return true
  } catch {
    return false
  }
}

/** The folder of the cgroup that this process is in. */
function ownFolder(): string | undefined {
  const own = read('/proc/self/cgroup')
    ?.split('\n')
    .find((line) => line.startsWith('0::'))
    ?.slice(3)
  if (own === undefined || own.includes('/..')) return undefined
  for (const line of read('/proc/self/mountinfo')?.split('\n') ?? []) {
    const [mount = '', kind = ''] = line.split(' - ')
    const [, , , root = '', at = ''] = mount.split(' ')
    if (!kind.startsWith('cgroup2 ')) continue
    if (root === '/') return resolve(unescaped(at), `.${own}`)
    if (own === root || own.startsWith(`${root}/`)) return resolve(unescaped(at), `.${own.slice(root.length)}`)
  }
  return undefined
}

const unescaped = (path: string): string =>
  path.replace(/\\(\d{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)))

/** The processes in a group and in the groups below it; none when it is gone. */
export function pidsInCgroup(path: string): number[] {
  const own = (read(join(path, 'cgroup.procs')) ?? '').split('\n').filter(Boolean).map(Number)
  return [...own, ...foldersIn(path).flatMap((name) => pidsInCgroup(join(path, name)))]
}

/** Kills everything in a group at once, unless this process is in it and cannot get out. */
export function killCgroup(path: string): void {
  if (pidsInCgroup(path).includes(process.pid) && !enters(dirname(path))) return
  try {
    writeFileSync(join(path, 'cgroup.kill'), '1')
  } catch (error) {
    if (!isGone(error)) throw error
  }
}

/** Removes a group in which nothing runs any more, with the groups below it; one that is still in use stays. */
export function removeCgroup(path: string): void {
  for (const name of foldersIn(path)) removeCgroup(join(path, name))
  try {
    rmdirSync(path)
  } catch {
    // In use, or gone.
  }
}

function foldersIn(path: string): string[] {
  try {
    return readdirSync(path, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? [entry.name] : []))
  } catch (error) {
    if (isGone(error)) return []
    throw error
  }
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (isGone(error)) return undefined
    throw error
  }
}

const isGone = (error: unknown): boolean => hasCode(error, 'ENOENT', 'ENODEV')

const hasCode = (error: unknown, ...codes: unknown[]): boolean =>
  error instanceof Error && 'code' in error && codes.includes(error.code)
