import type { Bead } from '../../work/beads/index.ts'
import { GateKey } from '../../work/metadata.ts'

/** Conditions of gates that gc can check automatically; all others need a person. */
const WATCHED = ['timer', 'gh:run', 'gh:pr'] as const
type Watched = (typeof WATCHED)[number]

/** An open gate: a bead that blocks others until it is closed. */
export interface Gate {
  readonly id: string
  readonly title: string
  readonly description: string
  readonly kind: 'human' | Watched
  readonly awaitId: string
  readonly createdAt: string
  /** Due time of a timer, or deadline of others; undefined for one without a limit. */
  readonly due: number | undefined
}

/** The gate that a bead is; undefined for another bead, a closed gate and the wait of a session. */
export function parseGate(bead: Bead): Gate | undefined {
  if (bead.issue_type !== 'gate' || bead.status === 'closed' || bead.labels?.includes('gc:wait')) return undefined
  const { id, title, description = '', created_at: createdAt, metadata = {} } = bead
  const timeout = Number(metadata[GateKey.timeout] || Number.NaN)
  const due = Number.isFinite(timeout) && timeout >= 0 ? Date.parse(createdAt) + timeout : undefined
  const watched = WATCHED.find((kind) => kind === metadata[GateKey.awaitType])
  // A timer without a time never comes: a person has to see it.
  const kind = watched === undefined || (watched === 'timer' && due === undefined) ? 'human' : watched
  return { id, title, description, kind, awaitId: metadata[GateKey.awaitId] ?? '', createdAt, due }
}

/** True if a gate waits for something at GitHub. */
export const waitsForGitHub = ({ kind }: Pick<Gate, 'kind'>): boolean => kind === 'gh:run' || kind === 'gh:pr'
