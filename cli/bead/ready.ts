import { type Command, Option } from 'commander'
import { sanitizeLine } from '../../src/client/text.ts'
import type { Bead } from '../../src/work/beads/index.ts'
import type { CommandContext } from '../context/context.ts'
import { type JsonOption, oldSpelling, withJson } from '../context/options.ts'
import { readItems } from '../context/pages.ts'
import { watched, withWatch } from '../context/watch.ts'
import { printJson, printLine } from '../io/io.ts'
import { type Filter, isMatch, withFilters } from './filter.ts'
import { parseStatuses } from './status.ts'
import { isWork } from './work.ts'

interface Ready extends Filter, JsonOption {
  status?: string[]
  sort: string
}

/** `gc ready`: a plain list of the ready beads of the city and all rigs. */
export function readyCommand(program: Command, context: CommandContext): void {
  withWatch(withJson(withFilters(program.command('ready').description('list unblocked open work of all rigs'), 0)))
    .option('--status <statuses>', 'only this status, instead of ready; several with commas', parseStatuses)
    .addOption(oldSpelling('-s <statuses>', 'status').argParser(parseStatuses))
    .addOption(
      new Option('--sort <order>', 'order of the list').choices(['priority', 'oldest', 'hybrid']).default('priority'),
    )
    .action(watched(context, ready))
}

async function ready(context: CommandContext, options: Ready): Promise<void> {
  const city = await context.city()
  const beads: Bead[] = []
  if (options.status === undefined) {
    beads.push(...(await city.call('GET ~/beads/ready')).items)
  } else {
    for (const status of options.status) {
      const query = status === 'all' ? { all: true } : { status }
      const items = await readItems((cursor) => city.call('GET ~/beads', { query: { ...query, limit: 1000, cursor } }))
      beads.push(...items.filter(isWork))
    }
  }
  const { assignee, limit, json } = options
  const matches = beads.filter(
    (bead) => isMatch(bead, options) && (typeof assignee !== 'string' || bead.assignee === assignee),
  )
  if (options.sort === 'oldest') matches.sort((a, b) => Date.parse(a.created_at) - Date.parse(b.created_at))
  const shown = limit === 0 ? matches : matches.slice(0, limit)
  if (json) return printJson(context.io, shown)
  if (shown.length === 0) return printLine(context.io, 'No work is ready.')
  for (const { id, status, title } of shown) printLine(context.io, `${id}  ${status}  ${sanitizeLine(title)}`)
}
