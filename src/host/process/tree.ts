import type { Process } from './process-info.ts'

/** The first process of a session, as it was recorded. */
export interface Origin {
  /** 0 when it was lost before its pid was recorded: then only its marks tell. */
  pid: number
  started: string
  /** `NAME=value` lines that every process of this session inherits, and none of another; empty when there are none. */
  marks: string[]
  /** The cgroup that everything started in this session is in, where it has one. */
  cgroup?: string
}

export interface ProcessFamily {
  /** Processes that end with the session: its leader, its terminal session and group, and their descendants. */
  members: Process[]
  /** Processes in sessions of their own without a living parent here. */
  daemons: Process[]
}

export const identity = ({ pid, started }: { pid: number; started: string }): string => `${pid}@${started}`

/**
 * Processes of a session. `knownIds` are the identities that belonged to it in an earlier look: they stay, anyone who
 * their parent is by now. `marked` are the processes that carry the session's marks. Those that ended are left out, and
 * so are `spared` and init.
 */
export function familyOf(
  processes: readonly Process[],
  origin: Origin,
  knownIds: ReadonlySet<string> = new Set(),
  marked: ReadonlySet<number> = new Set(),
  spared: ReadonlySet<number> = new Set(),
): ProcessFamily {
  const inside = membershipTest(processes, origin)
  const first = processes.filter((one) => knownIds.has(identity(one)) || inside(one))
  const alive = ({ pid, zombie }: Process): boolean => !zombie && pid > 1 && !spared.has(pid)
  const members = withDescendants(processes, first).filter(alive)
  const taken = new Set(members.map(({ pid }) => pid))
  const left = processes.filter(({ pid }) => marked.has(pid) && !taken.has(pid))
  const daemons = withDescendants(processes, left).filter((one) => alive(one) && !taken.has(one.pid))
  return { members, daemons }
}

/**
 * A pid is not given out again while a session or group bears its number. So when the leader's pid belongs to somebody
 * else, session and group of that number are somebody else's as well. Where the system names no session, the terminal
 * that the leader has now stands for it.
 */
function membershipTest(processes: readonly Process[], origin: Origin): (one: Process) => boolean {
  if (origin.pid <= 1) return () => false
  const leader = processes.find(({ pid }) => pid === origin.pid)
  if (leader && leader.started !== origin.started) return () => false
  return ({ pid, session, group, terminal }) =>
    pid === origin.pid ||
    session === origin.pid ||
    group === origin.pid ||
    (session === 0 && terminal !== '' && terminal === leader?.terminal)
}

/** These processes and all that descend from them. */
export function withDescendants(processes: readonly Process[], first: readonly Process[]): Process[] {
  const children = Map.groupBy(processes, ({ parent }) => parent)
  const family = new Set(first)
  for (const one of family) for (const child of children.get(one.pid) ?? []) family.add(child)
  return [...family]
}

/** A process and its ancestors: they are never ended by a session that they run. */
export function ancestorsOf(processes: readonly Process[], pid: number): Set<number> {
  const byPid = new Map(processes.map((one) => [one.pid, one]))
  const ancestors = new Set<number>()
  for (let at = byPid.get(pid); at && !ancestors.has(at.pid); at = byPid.get(at.parent)) ancestors.add(at.pid)
  return ancestors
}
