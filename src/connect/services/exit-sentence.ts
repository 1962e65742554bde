import type { CommandExit } from '../../agents/commands/hosted-commands.ts'

const MAX_LINE = 200

/** How a process ended, with the last line that it printed. */
export function exitSentence({ exitCode, signal, output }: CommandExit): string {
  const how = signal === undefined ? `exit status ${exitCode}` : `ended by ${signal}`
  const line = output.trimEnd().split('\n').at(-1)?.trim() ?? ''
  if (line === '') return how
  return `${how}: ${line.length > MAX_LINE ? `${line.slice(0, MAX_LINE)}…` : line}`
}
