import { type Command, Option } from 'commander'
import type { CommandContext } from '../context/context.ts'
import { oldSpelling } from '../context/options.ts'
import type { UpgradeOptions } from './perform.ts'

const ONLY_FROM_INDEX = ['index', 'sha256', 'available']

export function upgradeCommand(program: Command, context: CommandContext): void {
  program
    .command('upgrade')
    .description('replace gc with another version; agents keep running')
    .addOption(new Option('--binary <file>', 'a gc to use instead, newer or older').conflicts(ONLY_FROM_INDEX))
    .addOption(oldSpelling('--from <file>', 'binary').conflicts(ONLY_FROM_INDEX))
    .option('--index <url>', 'address of the release index; default is index in [upgrade] of supervisor.toml')
    .option('--sha256 <hash>', 'SHA-256 of the file to download; an unsigned gc needs it')
    .option('--available', 'report a newer version and change nothing')
    .addOption(oldSpelling('--check', 'available'))
    .option('--dry-run', 'print the plan and change nothing')
    .option('--yes', 'install an older gc without asking')
    .action(async (options: UpgradeOptions) => {
      const { upgrade } = await import('./perform.ts')
      await upgrade(context, options)
    })
}
