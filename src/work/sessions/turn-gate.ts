import { Signal } from '../../core/signal.ts'
import type { SessionRow } from '../sessions/table.ts'

/** Blocks of further turns of sessions, such as an exhausted budget. */
export interface TurnBlocks {
  blocks(agent: { qualified: string; dir: string }): string | undefined
  onChange(listener: () => void): () => void
}

/** True if a session may get another turn: a message, a wake, or more work. What it is at now it may finish. */
export class TurnGate {
  #blocks: TurnBlocks | undefined
  readonly #changed = new Signal()

  /** Asks this from now on; it is built after sessions are, since it counts what they use. */
  use(blocks: TurnBlocks): void {
    this.#blocks = blocks
    blocks.onChange(() => {
      this.#changed.emit()
    })
  }

  /** Reason a session gets no other turn, and what to do; undefined when it does. */
  closedFor({ kind, template, rig }: Pick<SessionRow, 'kind' | 'template' | 'rig'>): string | undefined {
    return this.#blocks?.blocks({ qualified: kind === 'agent' ? template : '', dir: rig })
  }

  /** Calls the listener when that may have changed. */
  readonly onChange = this.#changed.listen
}
