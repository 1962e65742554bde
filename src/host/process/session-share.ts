import { errorMessage } from '../../core/errors.ts'
import type { EnforcedBy, EnforcedShare, Share } from '../protocol/index.ts'
import type { Cgroup } from './cgroups.ts'
import { RESOURCES, type Resource } from './resources.ts'

/** The share of one session, and what holds it to that. */
export class SessionShare {
  private constructor(
    private readonly share: Share,
    private readonly cgroup: Cgroup | undefined,
    private readonly limited: ReadonlySet<Resource>,
  ) {}

  /** Holds what will be started in a group to a share; what the group cannot hold is left to priorities. */
  static of(share: Share, cgroup: Cgroup | undefined, report: (sentence: string) => void): SessionShare {
    try {
      return new SessionShare(share, cgroup, new Set(cgroup?.limit(share)))
    } catch (error) {
      report(`a session is not held to its share: ${errorMessage(error)}`)
      return new SessionShare(share, cgroup, new Set())
    }
  }

  /** The resources that others are to have first where the machine is short of them. */
  get yields(): Resource[] {
    return RESOURCES.filter((each) => this.share[each] !== undefined && this.#holderOf(each) === 'priority')
  }

  get view(): EnforcedShare[] {
    return RESOURCES.flatMap((resource) => {
      const most = this.share[resource]
      if (most === undefined) return []
      const by = this.#holderOf(resource)
      const used = by === 'cgroup' ? this.cgroup?.used(resource) : undefined
      return [{ resource, most, by, ...(used !== undefined && { used }) }]
    })
  }

  /** No priority keeps a program from starting others. */
  #holderOf(resource: Resource): EnforcedBy {
    if (this.limited.has(resource)) return 'cgroup'
    return resource === 'pids' ? 'nothing' : 'priority'
  }
}
