import type { Delivery } from '../../host/terminal/index.ts'
import type { MessageRow, SessionRow } from '../../work/sessions/index.ts'
import type { AcpConversations, AcpPrompter } from '../conversations/index.ts'
import type { LaunchPlanner } from '../launch/index.ts'
import type { TerminalInput, TypeOptions } from './terminal-input.ts'

interface ProgramInputOptions {
  launchPlanner: Pick<LaunchPlanner, 'program'>
  conversations: Pick<AcpConversations, 'usesAcp'>
  prompter: AcpPrompter
  terminal: TerminalInput
}

/** Sends input to the programs of sessions: by protocol where they speak one, else typed into their terminals. */
export class ProgramInput {
  constructor(private readonly options: ProgramInputOptions) {}

  /** Delivers a message; `onTyping` is awaited before anything of it is sent. */
  deliver(row: SessionRow, key: string, message: MessageRow, options: TypeOptions): Promise<Delivery> {
    const { conversations, prompter, terminal, launchPlanner } = this.options
    const { id, body: text, intent } = message
    if (!conversations.usesAcp(key)) return terminal.deliver(key, launchPlanner.program(row), text, options)
    const prompt = { name: `message-${id}`, text, replacesTurn: intent === 'interrupt_now' }
    return prompter.deliver(key, prompt, options.onTyping)
  }

  /** Submits a message that was being typed when the supervisor stopped, if it is in the input line. */
  finish(row: SessionRow, key: string, { body }: MessageRow, signal: AbortSignal): Promise<Delivery> {
    const { terminal, launchPlanner } = this.options
    return terminal.finish(key, launchPlanner.program(row), body, signal)
  }

  /** True if a program recognizes a message that is sent to it twice. */
  isRepeatable(key: string | null): boolean {
    return this.options.conversations.usesAcp(key)
  }

  /** Ends a program's present turn; the program stays up. */
  async interrupt(row: SessionRow): Promise<void> {
    const { conversations, prompter, terminal, launchPlanner } = this.options
    if (!row.hostKey) return
    if (conversations.usesAcp(row.hostKey)) await prompter.interrupt(row.hostKey)
    else await terminal.interrupt(row.hostKey, launchPlanner.program(row))
  }
}
