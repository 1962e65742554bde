import { Command } from 'commander'
import { CommandContext } from '../context/context.ts'
import { commit, version } from '../context/version.ts'
import { formulaCommands } from '../formula/formula.ts'
import type { Io } from '../io/io.ts'
import { configureProgram } from '../io/run.ts'
import { blockedCommand } from './blocked.ts'
import { closeCommands } from './close.ts'
import { commentCommands } from './comment.ts'
import { BdContext } from './context.ts'
import { createCommand } from './create.ts'
import { dependencyCommands } from './dep.ts'
import { gateCommands } from './gate.ts'
import { labelCommands } from './label.ts'
import { listCommands } from './list.ts'
import { markCommands } from './mark.ts'
import { moleculeCommands } from './mol.ts'
import { primeCommand } from './prime.ts'
import { searchCommand } from './search.ts'
import { showCommand } from './show.ts'
import { storageCommands } from './storage.ts'
import { tierCommands } from './tier.ts'
import { holdingCommands, updateCommand } from './update.ts'

/** The version of `bd` that this program is compatible with. */
const BD_VERSION = '1.0.5'

/** The `bd` program: the bead commands that agents' prompts use. */
export function createBd(io: Io): Command {
  const program = configureProgram(new Command('bd'), io)
    .description('The beads of the city.')
    .option('--city <city>', 'the city to work in: its name or its folder')
    .option('--rig <rig>', 'the rig of the beads')
    .option('--json', 'print JSON')
  const context = new CommandContext(io, program)
  const bd = new BdContext(context, program)
  listCommands(program, bd)
  searchCommand(program, bd)
  showCommand(program, bd)
  createCommand(program, bd)
  updateCommand(program, bd)
  holdingCommands(program, bd)
  closeCommands(program, bd)
  dependencyCommands(program, bd)
  commentCommands(program, bd)
  labelCommands(program, bd)
  blockedCommand(program, bd)
  markCommands(program, bd)
  gateCommands(program, bd)
  moleculeCommands(program, bd)
  tierCommands(program, bd)
  formulaCommands(program, context)
  primeCommand(program, bd)
  storageCommands(program, bd)
  const line = `bd version ${BD_VERSION} (gc ${version}, ${commit})`
  program.version(line, '-V, --version', 'print the version')
  program
    .command('version')
    .description('print the version')
    .action(() => {
      const { print } = bd
      if (print.json) return print.value({ version: BD_VERSION, build: commit, branch: `gc ${version}` })
      print.line(line)
    })
  return program
}
