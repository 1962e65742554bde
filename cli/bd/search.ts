import type { Command } from 'commander'
import { sanitizeLine } from '../../src/client/text.ts'
import { searchBeads } from '../bead/search.ts'
import { parseStatus } from '../bead/status.ts'
import { collectList, parseCount } from '../context/options.ts'
import { usageError } from '../io/exit.ts'
import type { BdContext } from './context.ts'
import { ORDERS, sortOption } from './list.ts'
import { formatPriority } from './print.ts'

interface Options {
  query?: string
  status?: string
  type?: string
  assignee?: string
  label?: string[]
  limit: number
  sort?: string
  reverse?: true
}

const parseSearchStatus = (text: string): string => (text === 'all' ? text : parseStatus(text))

export function searchCommand(program: Command, bd: BdContext): void {
  program
    .command('search')
    .description('search beads by words, including closed ones')
    .argument('[words...]')
    .option('--query <words>', 'the words, instead of the argument')
    .option('-s, --status <status>', 'open, in_progress, closed … or all', parseSearchStatus)
    .option('-t, --type <type>')
    .option('-a, --assignee <who>')
    .option('-l, --label <labels>', 'only with all of these labels', collectList)
    .option('-n, --limit <n>', 'the maximum number; 0 for all', parseCount, 50)
    .option('--all', 'accepted: closed ones are included')
    .option('--long', 'accepted')
    .addOption(sortOption())
    .option('-r, --reverse', 'the other way round')
    .action(bd.run((words: string[], options: Options) => search(bd, words, options)))
}

async function search(bd: BdContext, words: readonly string[], options: Options): Promise<void> {
  const q = words.join(' ') || options.query
  if (!q?.trim()) throw usageError('search query is required')
  const { status, type, assignee, label, limit } = options
  const isFiltered = [assignee, label, options.sort, options.reverse].some((each) => each !== undefined)
  const query = {
    q,
    type,
    status: status === 'all' ? undefined : status,
    rig: await bd.rig(),
    limit: isFiltered ? 0 : limit,
  }
  const { items } = await searchBeads(await bd.city(), query)
  const matches = items.filter(
    (bead) =>
      (assignee === undefined || bead.assignee === assignee) &&
      (label ?? []).every((each) => bead.labels?.includes(each)),
  )
  if (options.sort !== undefined) matches.sort(ORDERS[options.sort])
  if (options.reverse) matches.reverse()
  const beads = limit === 0 ? matches : matches.slice(0, limit)
  if (bd.print.json) return bd.printList(beads)
  if (beads.length === 0) return bd.print.line(`No issues found matching '${sanitizeLine(q)}'`)
  bd.print.line(`Found ${beads.length} issues matching '${sanitizeLine(q)}':`)
  for (const bead of beads) {
    const who = bead.assignee ? ` @${bead.assignee}` : ''
    const labels = bead.labels?.length ? ` [${bead.labels.join(' ')}]` : ''
    const head = `${bead.id} [${formatPriority(bead)}] [${bead.issue_type}] ${bead.status}${who}${labels}`
    bd.print.line(sanitizeLine(`${head} - ${bead.title}`))
  }
}
