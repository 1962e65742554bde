import { readdirSync, realpathSync, rmSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import type { Command } from 'commander'
import { resolveHome } from '../../src/client/home.ts'
import { isAlive } from '../../src/client/process.ts'
import type { CommandContext } from '../context/context.ts'
import { program as ownProgram } from '../context/version.ts'
import { failure } from '../io/exit.ts'
import { confirm, type Io, printLine } from '../io/io.ts'
import { prepareCandidate } from './candidate.ts'
import { describePlan, planFor } from './plan.ts'
import { replace } from './replace.ts'

interface Upgrade {
  from: string
  yes?: true
  dryRun?: true
}

export function upgradeCommand(program: Command, context: CommandContext): void {
  program
    .command('upgrade')
    .description('put another gc in the place of this one, newer or older; agents go on')
    .requiredOption('--from <file>', 'the gc to use from now on')
    .option('--dry-run', 'say what would be done, and change nothing')
    .option('--yes', 'go back to an older gc without asking first')
    .action((options: Upgrade) => upgrade(context, options))
}

async function upgrade(context: CommandContext, { from, yes, dryRun }: Upgrade): Promise<void> {
  const { io } = context
  if (io.env.GC_SESSION_ID) throw failure('a session may not replace gc; ask the operator')
  const [own = '', ...more] = ownProgram
  if (more.length > 0) throw failure('this gc runs from its sources; a built gc can be replaced')
  const target = realpathSync(own)
  removeLeftovers(target)
  const fresh = join(dirname(target), `${prefixOf(target)}${process.pid}.new`)
  const candidate = await prepareCandidate(resolve(io.cwd, from), fresh, target)
  try {
    const plan = await planFor(resolveHome(io.env), candidate)
    for (const line of describePlan(plan)) printLine(io, line)
    if (plan.impossible.length > 0) throw failure(`${plan.impossible.join('; ')}; nothing was changed`)
    if (dryRun) return printLine(io, 'Nothing was changed.')
    if (plan.back.length > 0 && !yes) await confirmLoss(io)
    await replace(context, plan, target)
  } finally {
    rmSync(fresh, { force: true })
  }
}

async function confirmLoss(io: Io): Promise<void> {
  if (!io.isInteractive) throw failure('nobody can be asked here; add --yes to go back. Nothing was changed')
  if (!(await confirm(io, 'Go back?'))) throw failure('nothing was changed')
}

const prefixOf = (target: string): string => `.${basename(target)}-`

/** What upgrades that were killed left beside the program. */
function removeLeftovers(target: string): void {
  for (const name of readdirSync(dirname(target))) {
    const [, pid] = name.startsWith(prefixOf(target)) ? (/-(\d+)\.new$/.exec(name) ?? []) : []
    if (pid && !isAlive(Number(pid))) rmSync(join(dirname(target), name), { force: true })
  }
}
