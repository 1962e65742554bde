import type { Tx } from '../../../core/store/index.ts'
import type { Bead } from '../../../work/beads/index.ts'

/** A ready control step, in the write that acts on it. */
export interface ControlStep {
  readonly tx: Tx
  readonly bead: Bead
  readonly root: Bead
}

/** Acts on the controls of one kind. */
export type ControlHandler = (step: ControlStep) => void

/** A control that cannot do what it is for: it is closed as failed, and a person is notified. */
export class ControlError extends Error {
  constructor(
    /** `malformed_control_graph` or `control_dispatch_error`. */
    readonly reason: 'malformed_control_graph' | 'control_dispatch_error',
    message: string,
  ) {
    super(message)
    this.name = 'ControlError'
  }
}

export const malformed = (message: string): ControlError => new ControlError('malformed_control_graph', message)
