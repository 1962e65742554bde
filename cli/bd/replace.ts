import type { Command } from 'commander'
import { usageError } from '../io/exit.ts'
import type { BdContext } from './context.ts'

/** Commands that close a bead in favour of another. */
export function replaceCommands(program: Command, bd: BdContext): void {
  program
    .command('supersede')
    .description('close a bead that another one replaces')
    .argument('<bead>')
    .requiredOption('--with <bead>', 'replacement')
    .action(
      bd.run((id: string, options: { with: string }) =>
        close(bd, id, options.with, { type: 'supersedes', closed: 'superseded', other: 'replacement' }),
      ),
    )
  program
    .command('duplicate')
    .description('close a duplicate of another bead')
    .argument('<bead>')
    .requiredOption('--of <bead>', 'original bead')
    .action(
      bd.run((id: string, options: { of: string }) =>
        close(bd, id, options.of, { type: 'duplicates', closed: 'duplicate', other: 'canonical' }),
      ),
    )
}

interface Words {
  type: string
  /** The keys of both beads in the JSON output. */
  closed: string
  other: string
}

async function close(bd: BdContext, id: string, on: string, { type, closed, other }: Words): Promise<void> {
  if (id === on) throw usageError('a bead cannot replace itself; name two')
  const city = await bd.city()
  await city.call('POST ~/bead/{id}/deps', { params: { id }, body: { depends_on_id: on, type } })
  const reason = type === 'supersedes' ? `superseded by ${on}` : `duplicate of ${on}`
  const body = { status: 'closed', metadata: { close_reason: reason } }
  await city.call('PATCH ~/bead/{id}', { params: { id }, body })
  if (bd.print.json) return bd.print.value({ [closed]: id, [other]: on, status: 'closed' })
  bd.print.line(`✓ Closed ${id}: ${reason}`)
}
