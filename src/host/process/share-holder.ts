import { missingHere, obstacleToCgroups } from './cgroups.ts'

/** What would hold the sessions of a host that is started here together, and to their shares. */
export function describeShareHolder(): string {
  const reason = obstacleToCgroups()
  if (reason !== undefined) return `no cgroup from here: ${reason}; shares of cpu and memory are priorities only`
  const missing = missingHere()
  if (missing.length === 0) return 'a cgroup for each session, which holds it to its share'
  return `a cgroup for each session, which holds it to no share of ${missing.join(', ')}`
}
