import { changeColumns } from '../../client/views/index.ts'
import type { Change } from '../../src/changes/review/index.ts'
import type { CommandContext } from '../context/context.ts'
import { withItems } from '../context/envelope.ts'
import type { JsonOption } from '../context/options.ts'
import { printJson, printLine } from '../io/io.ts'
import { listColumns } from '../io/shared-columns.ts'
import { printTable } from '../io/table.ts'

export interface ListOptions extends JsonOption {
  state?: string
  agent?: string
  rig?: string
  bead?: string
  limit?: number
  cursor?: string
}

export async function list(context: CommandContext, { json, rig, ...query }: ListOptions): Promise<void> {
  const city = await context.city()
  const named = rig === undefined ? {} : { rig: await context.rigNamed(city, rig) }
  const changes = await city.call('GET ~/changes', { query: { ...query, ...named } })
  if (json) return printJson(context.io, withItems(changes, changes.items))
  printTable(
    context.io,
    changes.items,
    listColumns(Date.now(), [
      ...[changeColumns.change, changeColumns.state],
      { header: 'BEAD', value: ({ bead_id }) => bead_id },
      { header: 'BRANCH', value: ({ branch, rig }) => branch ?? rig, minWidth: 12 },
      { header: 'BASE', value: ({ target, base }) => `${target}@${base.slice(0, 8)}`, minWidth: 10 },
      { header: 'SIZE', value: (change) => describeSize(change) },
      ...[changeColumns.checks, changeColumns.age, changeColumns.risk, changeColumns.title],
    ]),
    'No change waits for review, and no session works on one.',
  )
  if (changes.next_cursor !== undefined)
    printLine(context.io, `There are more: gc review list --cursor ${changes.next_cursor}`)
}

export const describeSize = ({ files, added, removed }: Pick<Change, 'files' | 'added' | 'removed'>): string =>
  `${files}f +${added} -${removed}`
