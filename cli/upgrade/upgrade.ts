import { type Command, Option } from 'commander'
import type { CommandContext } from '../context/context.ts'
import type { UpgradeOptions } from './perform.ts'

const ONLY_FROM_INDEX = ['index', 'sha256', 'check']

export function upgradeCommand(program: Command, context: CommandContext): void {
  program
    .command('upgrade')
    .description('replace gc with another version; agents keep running')
    .addOption(new Option('--from <file>', 'the gc to use from now on, newer or older').conflicts(ONLY_FROM_INDEX))
    .option('--index <url>', 'address of the release index; default is index in [upgrade] of supervisor.toml')
    .option('--sha256 <hash>', 'SHA-256 of the file to download; an unsigned gc needs it')
    .option('--check', 'report a newer version and change nothing')
    .option('--dry-run', 'print the plan and change nothing')
    .option('--yes', 'go back to an older gc without asking first')
    .action(async (options: UpgradeOptions) => {
      const { upgrade } = await import('./perform.ts')
      await upgrade(context, options)
    })
}
