import { missingHere, obstacleToCgroups } from './cgroups.ts'

/** Reasons why a host cannot use cgroups for its sessions; none where both are absent. */
export interface CgroupSupport {
  readonly no_cgroup?: string | undefined
  readonly no_share?: string | undefined
}

/** Describes how a host groups its sessions and limits their shares. */
export function describeCgroupSupport({ no_cgroup, no_share }: CgroupSupport): string {
  if (no_cgroup) return `no cgroup: ${no_cgroup}; shares of cpu and memory are priorities only`
  if (no_share) return `a cgroup for each session, without all of its limits: ${no_share}`
  return 'a cgroup for each session, which limits it to its share'
}

/** The support that a host gets when it starts in the cgroup of this process. */
export function localCgroupSupport(): CgroupSupport {
  const no_cgroup = obstacleToCgroups()
  if (no_cgroup !== undefined) return { no_cgroup }
  const missing = missingHere()
  return missing.length === 0 ? {} : { no_share: `this cgroup lacks the controllers ${missing.join(', ')}` }
}
