import { Command } from 'commander'
import { Here } from '../context/context.ts'
import { commit, version } from '../context/version.ts'
import type { Io } from '../io/io.ts'
import { configureProgram } from '../io/run.ts'
import { closing } from './close.ts'
import { commentCommands } from './comment.ts'
import { createCommand } from './create.ts'
import { dependencyCommands } from './dep.ts'
import { Desk } from './desk.ts'
import { listCommands } from './list.ts'
import { searchCommand } from './search.ts'
import { showCommand } from './show.ts'
import { holdingCommands, updateCommand } from './update.ts'

/** The version of `bd` whose commands and output this program speaks. */
const SPEAKS = '1.0.5'

/** The `bd` program: the bead commands that agents' prompts know, on the city's own beads. */
export function createBd(io: Io): Command {
  const program = configureProgram(new Command('bd'), io)
    .description('Beads: the work of the city.')
    .option('--city <city>', 'the city to work in: its name or its folder')
    .option('--rig <rig>', 'the rig whose beads are meant')
    .option('--json', 'print JSON')
  const desk = new Desk(new Here(io, program), program)
  listCommands(program, desk)
  searchCommand(program, desk)
  showCommand(program, desk)
  createCommand(program, desk)
  updateCommand(program, desk)
  holdingCommands(program, desk)
  closing(program, desk)
  dependencyCommands(program, desk)
  commentCommands(program, desk)
  program
    .command('version')
    .description('print the version')
    .action(() => {
      const { print } = desk
      if (print.json) return print.value({ version: SPEAKS, build: commit, branch: `gc ${version}` })
      print.line(`bd version ${SPEAKS} (gc ${version}, ${commit})`)
    })
  return program
}
