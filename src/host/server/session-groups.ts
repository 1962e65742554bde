import type { Cgroup, Cgroups, MemoryLack } from '../process/cgroups.ts'
import type { SessionParts } from '../process/session-parts.ts'
import { SessionShare } from '../process/session-share.ts'
import type { HostedSession, StartSpec } from '../protocol/session.ts'
import type { HostSession } from './session-registry.ts'

/** The code with which a shell exits whose program was killed. */
const KILLED_CODE = 137

/** What holds each running session together, and to its share of the machine. */
export class SessionGroups {
  readonly #groups = new Map<string, { cgroup: Cgroup | undefined; share: SessionShare }>()

  constructor(
    private readonly cgroups: Cgroups,
    private readonly report: (sentence: string) => void,
  ) {}

  /** What a run of a session is started in. */
  open(run: string, { confine }: StartSpec): Pick<SessionParts, 'cgroup' | 'yields'> {
    const cgroup = this.cgroups.create(run)
    const share = SessionShare.of(confine?.share ?? {}, cgroup, this.report)
    this.#groups.set(run, { cgroup, share })
    return { cgroup, yields: share.yields }
  }

  shareOf({ run }: HostSession): Pick<HostedSession, 'share'> {
    const share = this.#groups.get(run)?.share.view ?? []
    return share.length > 0 ? { share } : {}
  }

  /** Why its first process was killed for want of memory, if it was: its group, which knows, goes with the session. */
  memoryLackOf({ run, exitStatus }: HostSession): MemoryLack | undefined {
    const wasKilled = exitStatus?.signal === 'SIGKILL' || exitStatus?.exitCode === KILLED_CODE
    return wasKilled ? this.#groups.get(run)?.cgroup?.memoryLack : undefined
  }

  /** A run was not started after all. */
  discard(run: string): void {
    this.#groups.get(run)?.cgroup?.remove()
    this.forget(run)
  }

  /** A run is over. */
  forget(run: string): void {
    this.#groups.delete(run)
  }
}
