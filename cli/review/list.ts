import type { Change } from '../../src/changes/review/index.ts'
import { type Colour, formatAge } from '../../src/client/text.ts'
import type { CommandContext } from '../context/context.ts'
import type { JsonOption } from '../context/options.ts'
import { printJson, printLine } from '../io/io.ts'
import { printTable } from '../io/table.ts'

export interface ListOptions extends JsonOption {
  state?: string
  agent?: string
  rig?: string
  bead?: string
  limit?: number
  cursor?: string
}

const STATE_COLOURS: Readonly<Record<string, Colour>> = {
  ...{ ready: 'yellow', working: 'cyan', asked: 'cyan', approved: 'green', landed: 'green', discarded: 'dim' },
}

const CHECK_COLOURS: Readonly<Record<string, Colour>> = { green: 'green', red: 'red' }

export async function list(context: CommandContext, { json, rig, ...query }: ListOptions): Promise<void> {
  const city = await context.city()
  const named = rig === undefined ? {} : { rig: await context.rigNamed(city, rig) }
  const changes = await city.call('GET ~/changes', { query: { ...query, ...named } })
  if (json) return printJson(context.io, changes)
  const now = Date.now()
  printTable(
    context.io,
    changes.items,
    [
      { header: 'CHANGE', value: ({ id }) => id },
      { header: 'STATE', value: ({ state }) => state, colour: ({ state }) => STATE_COLOURS[state] },
      { header: 'BEAD', value: ({ bead_id }) => bead_id },
      { header: 'BRANCH', value: ({ branch, rig }) => branch ?? rig, minWidth: 12 },
      { header: 'BASE', value: ({ target, base }) => `${target}@${base.slice(0, 8)}`, minWidth: 10 },
      { header: 'SIZE', value: (change) => describeSize(change) },
      { header: 'CHECKS', value: ({ checks }) => checks, colour: ({ checks }) => CHECK_COLOURS[checks ?? ''] },
      { header: 'AGE', value: ({ ready_at, created_at }) => formatAge(ready_at ?? created_at, now) },
      { header: 'RISK', value: ({ risk }) => risk, minWidth: 12, colour: () => 'yellow' },
      { header: 'TITLE', value: ({ title }) => title, minWidth: 12 },
    ],
    'No change waits for review, and no session works on one.',
  )
  if (changes.next_cursor !== undefined)
    printLine(context.io, `There are more: gc review list --cursor ${changes.next_cursor}`)
}

export const describeSize = ({ files, added, removed }: Pick<Change, 'files' | 'added' | 'removed'>): string =>
  `${files}f +${added} -${removed}`
