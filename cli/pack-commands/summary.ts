import { sanitizeLine } from '../../src/client/text.ts'
import type { Io } from '../io/io.ts'
import { loadPackCommands } from './load.ts'

const SHOWN = 6
const INDENT = 24

/** A line for each binding with commands: its name, and the first of its commands. */
export async function summarizePackCommands(io: Io, folder: string, reserved: ReadonlySet<string>): Promise<string[]> {
  const { commands: all } = await loadPackCommands(io, folder, reserved)
  return [...Map.groupBy(all, ({ binding }) => binding)].map(([binding, commands]) => {
    const names = commands.map(({ words }) => words.join(' '))
    const more = names.length > SHOWN ? `, … (${names.length})` : ''
    return sanitizeLine(`  ${binding.padEnd(INDENT)}${names.slice(0, SHOWN).join(', ')}${more}`)
  })
}
