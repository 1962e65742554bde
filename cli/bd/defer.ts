import type { Command } from 'commander'
import type { BeadChangeEntry } from '../../src/work/beads/index.ts'
import { changeBead } from '../bead/create.ts'
import { parseMoment } from '../context/dates.ts'
import type { BdContext } from './context.ts'

/** Commands that put beads off and take them up again. */
export function deferCommands(program: Command, bd: BdContext): void {
  program
    .command('defer')
    .description('defer beads, until a time or `bd undefer`')
    .argument('<beads...>')
    .option('--until <moment>', 'end of the deferral, such as +6h or 2030-01-31', parseMoment)
    .action(
      bd.run((ids: string[], { until }: { until?: string }) =>
        apply(bd, ids, until === undefined ? { status: 'deferred' } : { defer_until: until }, 'Deferred'),
      ),
    )
  program
    .command('undefer')
    .description('undefer beads')
    .argument('<beads...>')
    .action(bd.run((ids: string[]) => apply(bd, ids, { defer_until: null }, 'Undeferred')))
}

async function apply(
  bd: BdContext,
  ids: readonly string[],
  change: Omit<BeadChangeEntry, 'id'>,
  word: string,
): Promise<void> {
  const city = await bd.city()
  const done = await bd.forEach(ids, async (id) => {
    const isDeferred = change.defer_until === null && (await bd.get(id)).status === 'deferred'
    await changeBead(city, { id, ...change, ...(isDeferred && { status: 'open' }) })
    return bd.get(id)
  })
  if (bd.print.json) await bd.printList(done)
  else for (const { id } of done) bd.print.line(`✓ ${word} ${id}`)
  if (done.length < ids.length) throw bd.partialFailure()
}
