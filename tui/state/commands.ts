import type { AttentionItem } from '../../src/agents/attention/schema.ts'
import { sanitizeLine } from '../../src/client/text.ts'

/** An action on a session that is one request without a body. */
export type SessionAction = 'stop' | 'kill' | 'wake' | 'suspend' | 'close'

/** A command that can be typed after `:`. */
export interface Command {
  name: SessionAction | 'sling' | 'send' | 'answer' | 'city' | 'quit'
  argument: string
  help: string
  /** It acts on the session that is selected or open. */
  session?: true
}

export const commands: readonly Command[] = [
  { name: 'sling', argument: 'AGENT TEXT…', help: 'give an agent a new piece of work' },
  { name: 'send', argument: 'TEXT…', help: 'send the session a message', session: true },
  { name: 'answer', argument: 'WORD', help: 'answer what the session asks', session: true },
  { name: 'stop', argument: '', help: "interrupt the session's turn", session: true },
  { name: 'kill', argument: '', help: "end the session's process; it may be started again", session: true },
  { name: 'wake', argument: '', help: 'start a sleeping or suspended session', session: true },
  { name: 'suspend', argument: '', help: 'suspend the session until it is woken', session: true },
  { name: 'close', argument: '', help: 'close the session', session: true },
  { name: 'city', argument: 'NAME', help: 'show another city' },
  { name: 'quit', argument: '', help: 'leave; everything runs on' },
]

/** A typed command and the rest of its line. */
export interface CommandLine {
  definition: Command
  rest: string
}

/** Parses the line after `:`; a string says why it is no command. */
export function parseCommand(line: string): CommandLine | string {
  const [name = '', ...words] = line.trim().split(/\s+/)
  const command = commands.find((each) => each.name === name)
  if (!command) return `there is no command ${name}; ? lists them`
  const rest = words.join(' ')
  if (command.argument !== '' && rest === '') return `:${name} ${command.argument}`
  return { definition: command, rest }
}

/** How to answer a question in the dashboard; empty when it cannot be answered there. */
export const formatAnswers = ({ answers, options = [] }: AttentionItem): string => {
  if (answers.length === 0) return ''
  if (options.length === 0) return `(:answer ${answers.join('|')})`
  return `(:answer ${answers.map((answer, index) => `${answer} ${sanitizeLine(options[index] ?? '')}`.trim()).join(' | ')})`
}
