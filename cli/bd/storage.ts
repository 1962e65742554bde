import type { Command } from 'commander'
import { failure } from '../io/exit.ts'
import type { BdContext } from './context.ts'

/** Commands that look after a storage that gc does not have: there is nothing to do, and that is what they say. */
const NOTHING_TO_DO = [
  'admin',
  'backup',
  'bootstrap',
  'compact',
  'daemon',
  'dolt',
  'flatten',
  'gc',
  'hooks',
  'init',
  'migrate',
  'purge',
  'sync',
  'vc',
] as const

/** Commands for what gc does not have, each with what to do instead. */
const NOT_HERE = {
  sql: 'gc has no SQL for users; `bd list --json`, `bd search` and `gc bead export` read beads',
  remember: 'gc keeps no memories apart from beads: `bd create --type memory "<text>"`, and `bd search` finds it',
  'rename-prefix': 'the prefix of a rig is declared: change `prefix` in city.toml; beads keep the ids they have',
} as const

export function storageCommands(program: Command, bd: BdContext): void {
  const accept = (name: string, description: string) =>
    program
      .command(name, { hidden: true })
      .description(description)
      .argument('[words...]')
      .allowUnknownOption()
      .helpOption(false)
  for (const name of NOTHING_TO_DO) {
    accept(name, 'nothing to do: gc keeps beads in its own database').action(
      bd.run(async () => {
        const message = `nothing to do for \`bd ${name}\`: gc keeps beads in its own database and looks after it`
        if (bd.print.json) return bd.print.value({ ok: true, message })
        bd.print.line(message)
      }),
    )
  }
  for (const [name, sentence] of Object.entries(NOT_HERE)) {
    accept(name, sentence).action(
      bd.run(async () => {
        throw failure(sentence)
      }),
    )
  }
  configCommands(program, bd)
}

/** Settings of `bd`. None has an effect here, so none is kept. */
function configCommands(program: Command, bd: BdContext): void {
  const config = program.command('config', { hidden: true }).description('settings of bd, which have no effect in gc')
  config
    .command('get')
    .argument('<key>')
    .action(
      bd.run(async (key: string) => {
        if (bd.print.json) return bd.print.value({ key, value: '' })
        bd.print.line(`${key} (not set)`)
      }),
    )
  config
    .command('set')
    .argument('<key>')
    .argument('<value...>')
    .action(
      bd.run(async (key: string) => {
        const message = `${key} has no effect in gc and is not kept: any type and any label may be used`
        if (bd.print.json) return bd.print.value({ key, set: false, message })
        bd.print.line(message)
      }),
    )
  config
    .command('unset')
    .argument('<key>')
    .action(bd.run(async (key: string) => bd.print.line(`${key} (not set)`)))
  config
    .command('list')
    .action(
      bd.run(async () => (bd.print.json ? bd.print.value({}) : bd.print.line('No settings: gc needs none of bd’s.'))),
    )
}
