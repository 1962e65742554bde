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

/** These name what kind of target they mean first. */
const SECOND = new Set(['setpriority', 'ioprio_set'])

const targetOf = (name: string, args: readonly bigint[]): bigint => args[SECOND.has(name) ? 1 : 0] ?? 0n
