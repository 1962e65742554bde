import type { Command } from 'commander'
import { plain } from '../../src/client/text.ts'
import { count, several } from '../context/options.ts'
import { beadsFound } from '../context/search.ts'
import { misuse } from '../io/exit.ts'
import type { Desk } from './desk.ts'
import { level } from './print.ts'

interface Options {
  query?: string
  status?: string
  type?: string
  assignee?: string
  label?: string[]
  limit: number
}

export function searchCommand(program: Command, desk: Desk): void {
  program
    .command('search')
    .description('find beads by words, closed ones too')
    .argument('[words...]')
    .option('--query <words>', 'the words, instead of the argument')
    .option('-s, --status <status>', 'open, in_progress, closed or all')
    .option('-t, --type <type>')
    .option('-a, --assignee <who>')
    .option('-l, --label <labels>', 'all of these labels', several)
    .option('-n, --limit <n>', 'at most so many; 0 for all', count, 50)
    .action(desk.run((words: string[], options: Options) => search(desk, words, options)))
}

async function search(desk: Desk, words: readonly string[], options: Options): Promise<void> {
  const q = words.join(' ') || options.query
  if (!q?.trim()) throw misuse('search query is required')
  const { status, type, assignee, label, limit } = options
  const chosen = assignee !== undefined || label !== undefined
  const query = {
    q,
    type,
    status: status === 'all' ? undefined : status,
    rig: await desk.rig(),
    limit: chosen ? 0 : limit,
  }
  const { items } = await beadsFound(await desk.city(), query)
  const fits = items.filter(
    (bead) =>
      (assignee === undefined || bead.assignee === assignee) &&
      (label ?? []).every((one) => bead.labels?.includes(one)),
  )
  const found = limit === 0 ? fits : fits.slice(0, limit)
  if (desk.print.json) return desk.printList(found)
  if (found.length === 0) return desk.print.line(`No issues found matching '${plain(q)}'`)
  desk.print.line(`Found ${found.length} issues matching '${plain(q)}':`)
  for (const bead of found) {
    const who = bead.assignee ? ` @${bead.assignee}` : ''
    const labels = bead.labels?.length ? ` [${bead.labels.join(' ')}]` : ''
    const head = `${bead.id} [${level(bead)}] [${bead.issue_type}] ${bead.status}${who}${labels}`
    desk.print.line(plain(`${head} - ${bead.title}`))
  }
}
