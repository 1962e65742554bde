import { existsSync, mkdirSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { errorMessage, hasCode } from '../../core/errors.ts'
import type { Share } from '../protocol/index.ts'
import { enterCgroup, ownCgroup, readCgroupFile, removeCgroup, writeCgroupFile } from './cgroup-files.ts'
import { type Controllers, HOST_GROUP, handDownControllers, offeredControllers } from './controllers.ts'
import { RESOURCES, type Resource } from './resources.ts'

/** Files of a group that hold a session's share, with their contents. */
const LIMITS: Record<Resource, (most: number) => Readonly<Record<string, string>>> = {
  cpu: (most) => ({ 'cpu.max': `${Math.round(most * CPU_PERIOD_US)} ${CPU_PERIOD_US}` }),
  // All of a session ends with what is killed of it: half of one would go on without saying what it misses.
  memory: (most) => ({ 'memory.max': String(most), 'memory.oom.group': '1' }),
  pids: (most) => ({ 'pids.max': String(most) }),
}
const CPU_PERIOD_US = 100_000
const USED: Partial<Record<Resource, string>> = { memory: 'memory.current', pids: 'pids.current' }

/** The limit at which the kernel killed a process: the share of the session, or the memory of the machine. */
export type MemoryShortage = 'share' | 'machine'

/** A cgroup of a session: everything that was ever started in it stays in it, whatever session or parent it has. */
export class Cgroup {
  constructor(
    readonly path: string,
    private readonly held: ReadonlySet<Resource>,
  ) {}

  /** Holds what is in it to a share from now on; answers the resources of which it can. */
  limit(share: Share): Resource[] {
    return RESOURCES.filter((resource) => {
      const most = share[resource]
      if (most === undefined || !this.held.has(resource)) return false
      for (const [name, text] of Object.entries(LIMITS[resource](most))) writeCgroupFile(this.path, name, text)
      return true
    })
  }

  /** Current usage of a resource; undefined if it is not counted. */
  used(resource: Resource): number | undefined {
    const name = USED[resource]
    const text = name && readCgroupFile(this.path, name)
    return text === undefined || text === '' ? undefined : Number(text)
  }

  /** Reason the kernel killed something of it for want of memory; undefined when it did not, or nothing counts it. */
  get memoryLack(): MemoryShortage | undefined {
    const events = new Map(
      (readCgroupFile(this.path, 'memory.events') ?? '').split('\n').map((line) => {
        const [name = '', count = '0'] = line.split(' ')
        return [name, Number(count)] as const
      }),
    )
    if (!events.get('oom_kill')) return undefined
    return events.get('oom') ? 'share' : 'machine'
  }

  remove(): void {
    removeCgroup(this.path)
  }
}

/** Groups that hold the processes of sessions together: one cgroup each, or the reason there is none. */
export class Cgroups {
  private constructor(
    private readonly folder: string,
    /** Reason sessions have no cgroup; undefined if they have one. */
    readonly reason: string | undefined,
    private readonly controllers: Controllers,
    private readonly report: (sentence: string) => void,
  ) {}

  /** Tries whether this process may have groups below its own, and hands down to them the controllers for shares. */
  static open({ enabled, report }: { enabled: boolean; report(sentence: string): void }): Cgroups {
    const { folder, own } = here()
    const reason = enabled ? obstacleTo(folder, own) : 'they are switched off by GC_SESSION_CGROUP'
    if (folder === undefined || reason !== undefined) {
      return new Cgroups('', reason, { held: new Set(), reason: `sessions have no cgroup: ${reason}` }, report)
    }
    return new Cgroups(folder, undefined, handDownControllers(folder), report)
  }

  /** Reason sessions are not held to all of their shares; undefined if they are. */
  get noShare(): string | undefined {
    return this.controllers.reason
  }

  /** Path of the group of one run; undefined without groups. */
  pathOf(run: string): string | undefined {
    return this.reason === undefined ? join(this.folder, `gc-session-${run}`) : undefined
  }

  /** A new group for one run of a session; without one the session's processes are ended one by one. */
  create(run: string): Cgroup | undefined {
    const path = this.pathOf(run)
    if (path === undefined) return undefined
    try {
      mkdirSync(path)
      return new Cgroup(path, this.controllers.held)
    } catch (error) {
      this.report(`a session has no cgroup: ${errorMessage(error)}`)
      return undefined
    }
  }
}

/** The group that this process is in, and the one below which it makes others. */
function here(): { own: string | undefined; folder: string | undefined } {
  const own = ownCgroup()
  return { own, folder: own !== undefined && basename(own) === HOST_GROUP ? dirname(own) : own }
}

/** Reason a host that is started here could give its sessions no cgroup; undefined when it could. */
export function obstacleToCgroups(): string | undefined {
  const { folder, own } = here()
  return obstacleTo(folder, own)
}

/** The resources of which a host that is started here could hold its sessions to no shares. */
export function missingHere(): Resource[] {
  const { folder } = here()
  const offered = folder === undefined ? [] : offeredControllers(folder)
  return RESOURCES.filter((resource) => !offered.includes(resource))
}

/** Reason there can be no groups below a folder; `own` is the group that this process is in. */
function obstacleTo(folder: string | undefined, own: string | undefined): string | undefined {
  if (folder === undefined || own === undefined) return 'no cgroup v2 with this process is mounted'
  const probe = join(folder, `gc-probe-${process.pid}`)
  try {
    mkdirSync(probe)
    if (!existsSync(join(probe, 'cgroup.kill'))) return 'this kernel is older than Linux 5.14'
    for (const path of [probe, own]) enterCgroup(path)
    return undefined
  } catch (error) {
    if (hasCode(error, 'EROFS')) return `${folder} is read-only`
    if (hasCode(error, 'EACCES', 'EPERM')) return `${folder} is not delegated to this user`
    return `${folder} takes no group: ${errorMessage(error)}`
  } finally {
    removeCgroup(probe)
  }
}
