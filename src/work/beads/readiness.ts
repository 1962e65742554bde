/** Types of beads that are never offered as work. */
export const UNWORKABLE_TYPES = new Set([
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
  'spec',
  'kv',
])
/** Labels that keep a bead from being offered as work. */
export const UNWORKABLE_LABELS = ['gc:session', 'gc:order-tracking', 'order-tracking', 'gc:parked']

/** Kinds of beads that gc itself acts on once they are ready. */
export const CONTROL_KINDS = new Set([
  'retry',
  'ralph',
  'check',
  'retry-eval',
  'fanout',
  'drain',
  'scope-check',
  'workflow-finalize',
  'until',
  'condition',
  'failure-guard',
])

/** True if gc itself acts on beads of this `gc.kind`. */
export const isControl = (kind: string): boolean => CONTROL_KINDS.has(kind)

/** The metadata that keep a bead from being offered as work. */
export interface WorkflowMarks {
  readonly kind?: string | undefined
  /** Not empty while the graph that it is a part of is being written. */
  readonly instantiating?: string | undefined
  /** Not empty while its run is paused. */
  readonly paused?: string | undefined
}

/** True if a bead of this type, with these labels and marks, may be offered as work once it is ready. */
export const isWorkable = (
  type: string,
  labels: readonly string[],
  { kind = '', instantiating = '', paused = '' }: WorkflowMarks = {},
): boolean =>
  (!UNWORKABLE_TYPES.has(type) || isRootOnly(type, kind)) &&
  !UNWORKABLE_LABELS.some((label) => labels.includes(label)) &&
  !isControl(kind) &&
  kind !== 'scope' &&
  kind !== 'spec' &&
  instantiating === '' &&
  paused === ''

/** True if a bead is a molecule without steps of its own: its agent reads them from the formula. */
const isRootOnly = (type: string, kind: string): boolean => type === 'molecule' && kind === 'wisp'

const GATING_TYPES = new Set(['blocks', 'waits-for', 'conditional-blocks'])

/** True if a dependency of this type keeps a bead from being ready until its target is closed. */
export const isGating = (type: string): boolean => GATING_TYPES.has(type)

const RECORD_TYPES = new Set(['session', 'message', 'convoy', 'gate', 'kv'])

/** True if beads of this type are records that no one works on: they are neither claimed nor slung. */
export const isRecord = (type: string): boolean => RECORD_TYPES.has(type)

/** Types whose beads a city does not count as its work. */
export const UNCOUNTED_TYPES: readonly string[] = ['message', 'convoy', 'convergence', 'session', 'kv']
