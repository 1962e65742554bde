import type { Command } from 'commander'
import { graphCommand } from '../bead/graph.ts'
import type { CommandContext } from '../context/context.ts'
import { aboutCommands } from './about.ts'
import { batchCommand } from './batch.ts'
import type { BdContext } from './context.ts'
import { deferCommands } from './defer.ts'
import { epicCommands } from './epic.ts'
import { memoryCommands } from './memory.ts'
import { queryCommand } from './query.ts'
import { replaceCommands } from './replace.ts'
import { reportCommands } from './report.ts'

/** The commands of `bd` that are called now and then. */
export function moreCommands(program: Command, bd: BdContext, context: CommandContext): void {
  queryCommand(program, bd)
  reportCommands(program, bd)
  deferCommands(program, bd)
  replaceCommands(program, bd)
  batchCommand(program, bd)
  epicCommands(program, bd)
  memoryCommands(program, bd)
  graphCommand(program, context)
  aboutCommands(program, bd)
}
