import type { AttentionItem } from '../../src/agents/attention/schema.ts'
import { sanitizeLine } from '../../src/client/text.ts'

/** What is done to a session by one request without a body. */
export type SessionAction = 'stop' | 'kill' | 'wake' | 'suspend' | 'close'

/** What one can ask for after `:`, on the selected session where it says so. */
export interface Command {
  name: SessionAction | 'sling' | 'send' | 'answer' | 'city' | 'quit'
  takes: string
  help: string
  /** Works on the session that is selected or open. */
  session?: true
}

export const commands: readonly Command[] = [
  { name: 'sling', takes: 'AGENT TEXT…', help: 'give an agent a new piece of work' },
  { name: 'send', takes: 'TEXT…', help: 'send the session a message', session: true },
  { name: 'answer', takes: 'WORD', help: 'answer what the session asks', session: true },
  { name: 'stop', takes: '', help: "interrupt the session's turn", session: true },
  { name: 'kill', takes: '', help: "end the session's process; it may be started again", session: true },
  { name: 'wake', takes: '', help: 'start a sleeping or suspended session', session: true },
  { name: 'suspend', takes: '', help: 'hold the session until it is woken', session: true },
  { name: 'close', takes: '', help: 'end the session for good', session: true },
  { name: 'city', takes: 'NAME', help: 'show another city' },
  { name: 'quit', takes: '', help: 'leave; everything runs on' },
]

/** A command as it was typed: its name and the rest of the line. */
export interface CommandLine {
  command: Command
  rest: string
}

/** Reads the line after `:`; a string is why it cannot be done. */
export function parseCommand(line: string): CommandLine | string {
  const [name = '', ...words] = line.trim().split(/\s+/)
  const command = commands.find((each) => each.name === name)
  if (!command) return `there is no command ${name}; ? lists them`
  const rest = words.join(' ')
  if (command.takes !== '' && rest === '') return `:${name} ${command.takes}`
  return { command, rest }
}

/** How a question is answered here, where it can be. */
export const formatAnswers = ({ answers, options = [] }: AttentionItem): string => {
  if (answers.length === 0) return ''
  if (options.length === 0) return `(:answer ${answers.join('|')})`
  return `(:answer ${answers.map((answer, index) => `${answer} ${sanitizeLine(options[index] ?? '')}`.trim()).join(' | ')})`
}
