import { AppError, errorMessage } from '../../../core/errors.ts'
import type { SessionHost } from '../../../host/client/contract.ts'
import type { Delivery } from '../../../host/terminal/deliver.ts'
import type { Conversations } from './conversations.ts'

/** What a program is to be told. */
interface Said {
  /** It is told once under this name. */
  name: string
  text: string
  /** In place of the turn that it works on, which has been interrupted. */
  instead: boolean
}

/** Gives turns to programs that are spoken to by protocol. */
export class Speaker {
  constructor(
    private readonly host: Pick<SessionHost, 'prompt' | 'cancel'>,
    private readonly conversations: Pick<Conversations, 'inTurn'>,
  ) {}

  /**
   * Gives the program a text as its next turn, once for each name; `telling` is waited for before. Delivered when the
   * program has taken it, queued while it works on another.
   */
  async deliver(key: string, said: Said, telling: () => Promise<void>): Promise<Delivery> {
    if (!said.instead && this.conversations.inTurn(key)) return { state: 'queued', reason: 'the agent works on a turn' }
    try {
      await telling()
      await this.host.prompt(key, said.name, said.text)
      return { state: 'delivered' }
    } catch (error) {
      if (error instanceof AppError && error.code === 'conflict-wrong-state') {
        return { state: 'queued', reason: error.message }
      }
      return { state: 'failed', reason: errorMessage(error) }
    }
  }

  /** Has the program end its turn; refuses when it does not. */
  async interrupt(key: string): Promise<void> {
    if (await this.host.cancel(key)) return
    throw new AppError(
      'internal',
      'internal: waiting for stopped session to become idle: its agent goes on with its turn',
    )
  }
}
