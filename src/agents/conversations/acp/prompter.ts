import { AppError, errorMessage } from '../../../core/errors.ts'
import type { SessionHost } from '../../../host/client/index.ts'
import type { Delivery } from '../../../host/terminal/index.ts'
import type { AcpConversations } from './conversations.ts'

/** A prompt to a program. */
interface Prompt {
  /** Each name is delivered once. */
  name: string
  text: string
  /** True if it replaces the current turn, which was interrupted. */
  replacesTurn: boolean
}

/** Sends prompts to programs that speak ACP. */
export class AcpPrompter {
  constructor(
    private readonly host: Pick<SessionHost, 'prompt' | 'cancel'>,
    private readonly conversations: Pick<AcpConversations, 'isInTurn'>,
  ) {}

  /**
   * Sends a prompt as the program's next turn, once for each name, after `beforePrompt`. Delivered when the program
   * accepted it, queued while another turn runs.
   */
  async deliver(key: string, prompt: Prompt, beforePrompt: () => Promise<void>): Promise<Delivery> {
    if (!prompt.replacesTurn && this.conversations.isInTurn(key))
      return { state: 'queued', reason: 'the agent works on a turn' }
    try {
      await beforePrompt()
      await this.host.prompt(key, prompt.name, prompt.text)
      return { state: 'delivered' }
    } catch (error) {
      if (error instanceof AppError && error.code === 'conflict-wrong-state') {
        return { state: 'queued', reason: error.message }
      }
      return { state: 'failed', reason: errorMessage(error) }
    }
  }

  /** Cancels the current turn; fails when the program does not end it. */
  async interrupt(key: string): Promise<void> {
    if (await this.host.cancel(key)) return
    throw new AppError('internal', 'internal: waiting for stopped session to become idle: its agent continues its turn')
  }
}
