import type { ConfinedSession } from './confined-session.ts'
import type { Answer, Notification } from './notification.ts'
import { processOf } from './process-access.ts'

const EPERM = 1

/**
 * A signal or a priority for a process: only within the session. The arguments are numbers, which cannot change after
 * they were looked at, so the kernel makes the call itself.
 */
export function touchProcess(session: ConfinedSession, { args, thread }: Notification, name: string): Answer {
  const target = Number(BigInt.asIntN(32, targetOf(name, args)))
  const own = target === processOf(thread) || target === thread
  if (own || (target > 0 && session.isMember(target))) return 'continue'
  if (target === 0) return 'continue'
  session.deny(name, target < 0 ? `process group ${-target}` : `process ${target}`)
  return { errno: EPERM }
}

/** Which argument is the target, where it is not the first: before it stands of what kind it is, or a descriptor that it is to own. */
const TARGETS: Readonly<Record<string, number | undefined>> = { setpriority: 1, ioprio_set: 1, fcntl: 2 }

const targetOf = (name: string, args: readonly bigint[]): bigint => args[TARGETS[name] ?? 0] ?? 0n
