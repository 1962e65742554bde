/** Types that are never offered as work, whatever their status. */
const NEVER = new Set([
  'merge-request',
  'gate',
  'molecule',
  'step',
  'convoy',
  'message',
  'session',
  'agent',
  'role',
  'rig',
])
const BOOKKEEPING = ['gc:session', 'gc:order-tracking', 'order-tracking', 'gc:parked']

/** Whether a bead of this type and with these labels may ever be offered as work. */
export const isWorkable = (type: string, labels: readonly string[]): boolean =>
  !NEVER.has(type) && !BOOKKEEPING.some((label) => labels.includes(label))

const GATES = new Set(['blocks', 'waits-for', 'conditional-blocks'])

/** Whether a dependency of this type keeps a bead from being ready until its target is closed. */
export const isGate = (type: string): boolean => GATES.has(type)

/** Types whose beads a city does not count as its work. */
export const NOT_COUNTED: readonly string[] = ['message', 'convoy', 'convergence', 'session']
