import type { Command } from 'commander'
import { sanitizeLine } from '../../src/client/text.ts'
import type { Bead } from '../../src/work/beads/index.ts'
import { assigneeOf, isListMatch, type ListFilter, withListFilters } from '../bead/filter.ts'
import { searchBeads } from '../bead/search.ts'
import { parseStatuses } from '../bead/status.ts'
import { usageError } from '../io/exit.ts'
import type { BdContext } from './context.ts'
import { ORDERS, sortOption } from './list.ts'
import { formatPriority } from './print.ts'

interface Options extends ListFilter {
  query?: string
  status?: string[]
  sort?: string
  reverse?: true
  externalContains?: string
}

export function searchCommand(program: Command, bd: BdContext): void {
  withListFilters(program.command('search').description('search beads by words, including closed ones'))
    .argument('[words...]')
    .option('--query <words>', 'words, instead of the argument')
    .option('-s, --status <statuses>', 'open, in_progress, closed … or all', parseStatuses)
    .option('--external-contains <text>', 'only with this text in the external reference')
    .option('--long', 'accepted')
    .addOption(sortOption())
    .option('-r, --reverse', 'reverse the order')
    .action(bd.run((words: string[], options: Options, command: Command) => search(bd, words, options, command)))
}

/** The filters that the server has. */
const SERVED: ReadonlySet<string> = new Set(['query', 'status', 'limit'])

async function search(bd: BdContext, words: readonly string[], options: Options, command: Command): Promise<void> {
  const q = words.join(' ') || options.query
  if (!q?.trim()) throw usageError('search query is required')
  const { status = ['all'], limit, externalContains: external } = options
  const names = Object.keys(options).filter((name) => command.getOptionValueSource(name) === 'cli')
  const isServed = names.every((name) => SERVED.has(name)) && status.length === 1
  const [only] = isServed ? status : []
  const query = { q, rig: await bd.rig(), status: only === 'all' ? undefined : only, limit: isServed ? limit : 0 }
  const { items } = await searchBeads(await bd.city(), query)
  const filter = { ...options, includeInfra: true as const, includeGates: true as const }
  const hasStatus = (bead: Bead) => status.includes('all') || status.includes(bead.status)
  const isExternal = ({ metadata }: Bead) =>
    external === undefined || metadata?.external_ref?.toLowerCase().includes(external.toLowerCase()) === true
  const isMatch = (bead: Bead) => hasStatus(bead) && isAssignee(bead, options) && isListMatch(bead, filter)
  const matches = isServed ? items : items.filter((bead) => isMatch(bead) && isExternal(bead))
  if (options.sort !== undefined) matches.sort(ORDERS[options.sort])
  if (options.reverse) matches.reverse()
  print(bd, limit === 0 ? matches : matches.slice(0, limit), q)
  if (bd.print.json) await bd.printList(limit === 0 ? matches : matches.slice(0, limit))
}

const isAssignee = (bead: Bead, filter: Options): boolean => {
  const wanted = assigneeOf(filter)
  return wanted === undefined || bead.assignee === wanted
}

function print(bd: BdContext, beads: readonly Bead[], q: string): void {
  if (bd.print.json) return
  if (beads.length === 0) {
    bd.print.line(`No issues found matching '${sanitizeLine(q)}'`)
    return
  }
  bd.print.line(`Found ${beads.length} issues matching '${sanitizeLine(q)}':`)
  for (const bead of beads) {
    const who = bead.assignee ? ` @${bead.assignee}` : ''
    const labels = bead.labels?.length ? ` [${bead.labels.join(' ')}]` : ''
    const head = `${bead.id} [${formatPriority(bead)}] [${bead.issue_type}] ${bead.status}${who}${labels}`
    bd.print.line(sanitizeLine(`${head} - ${bead.title}`))
  }
}
