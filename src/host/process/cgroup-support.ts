import { missingHere, obstacleToCgroups } from './cgroups.ts'

/** What keeps the sessions of a host from being held together, and to their shares; nothing does where both are absent. */
export interface Holding {
  readonly no_cgroup?: string | undefined
  readonly no_share?: string | undefined
}

/** What holds the sessions of a host together, and to their shares, in words. */
export function describeHolding({ no_cgroup, no_share }: Holding): string {
  if (no_cgroup) return `no cgroup: ${no_cgroup}; shares of cpu and memory are priorities only`
  if (no_share) return `a cgroup for each session, which does not hold it to all of its share: ${no_share}`
  return 'a cgroup for each session, which holds it to its share'
}

/** What would hold the sessions of a host that is started in the cgroup of this process. */
export function holdingHere(): Holding {
  const no_cgroup = obstacleToCgroups()
  if (no_cgroup !== undefined) return { no_cgroup }
  const missing = missingHere()
  return missing.length === 0 ? {} : { no_share: `this cgroup has no controller of ${missing.join(', ')}` }
}
