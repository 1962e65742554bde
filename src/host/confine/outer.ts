import { syscall } from '../../core/libc.ts'
import type { Policy } from './policy.ts'
import { callNumber } from './system-calls.ts'

/** Network access of the sandboxed session in which gc itself runs. */
export type Outer = Exclude<Policy['network'], 'none'>

const UNIX = 1
/** The name of no socket: who connects to it asks whether a session host of gc answers the calls of this process. */
const QUESTION = 'gc/who-answers'
/** No kernel answers so to a descriptor that is not there. */
const ANSWERS: Record<Outer, number> = { session: 114, open: 106 }
const NO_DESCRIPTOR = -1
/** From this version on Landlock keeps signals within, which the outer session lets through to all that is in it. */
const SIGNALS_SINCE = 6

/** Restrictions of a session whose gc runs in a sandbox itself. */
export const INHERITED =
  'inherited: gc itself runs in a sandbox. Its rules for local ports, modes and priorities also apply to its sessions. They create no unix sockets and reach no other hosts'

/** The answer of a session host to a process that asks who answers its calls; undefined for every other name. */
export function answerToQuestion(name: string, { network }: Policy): { errno: number } | undefined {
  return name === QUESTION && network !== 'none' ? { errno: ANSWERS[network] } : undefined
}

/** Network access of the sandboxed session around this process; undefined without one. */
export function outerSession(): Outer | undefined {
  if (process.platform !== 'linux') return undefined
  const address = Buffer.concat([Buffer.from([UNIX, 0, 0]), Buffer.from(QUESTION)])
  const { errno } = syscall(callNumber('connect'), NO_DESCRIPTOR, address, address.length)
  if (errno === ANSWERS.session) return 'session'
  return errno === ANSWERS.open ? 'open' : undefined
}

/** Throws a sentence where what another session is allowed would be more than a policy allows. */
export function requireInheritable(outer: Outer, { network }: Policy, landlock: number): void {
  if (outer === 'open' && network !== 'open') {
    throw new Error(
      'gc runs in a confined session that reaches every network, and Linux cannot filter the connections of a session inside it; use `confine = "network"` or `--network open` here',
    )
  }
  if (landlock < SIGNALS_SINCE) {
    throw new Error(
      `gc runs in a confined session itself, and a session within it needs Linux 6.12 (Landlock ABI ${SIGNALS_SINCE}, and this is ${landlock})`,
    )
  }
}
