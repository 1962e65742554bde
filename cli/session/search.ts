import type { Command } from 'commander'
import type { TranscriptMatch, TranscriptMatches } from '../../src/agents/conversations/index.ts'
import { countOf, paint, sanitizeLine, truncate } from '../../src/client/text.ts'
import type { CommandContext } from '../context/context.ts'
import { parseDate } from '../context/dates.ts'
import { withItems } from '../context/envelope.ts'
import { type JsonOption, parseCount, withJson } from '../context/options.ts'
import { readPages } from '../context/pages.ts'
import { type Io, printJson, printLine } from '../io/io.ts'

interface Options extends JsonOption {
  session?: string
  since?: number
  limit: number
}

const PAGE_SIZE = 100

export function sessionSearchCommand(session: Command, context: CommandContext): void {
  withJson(session.command('search').description('search the conversations of all sessions'))
    .argument('<words...>', 'words that must all occur in an entry')
    .option('--session <session>', 'only this session')
    .option('--since <time>', 'since a date, or an age such as 10m or 2d', parseDate)
    .option('--limit <n>', 'maximum rows; 0 for all', parseCount, 100)
    .action((words: string[], options: Options) => search(context, words, options))
}

/** Prints matches as they are found, below the session they are of; as JSON all of them in one answer. */
async function search(context: CommandContext, words: readonly string[], options: Options): Promise<void> {
  const { io } = context
  const { session, since, json } = options
  const city = await context.city()
  const max = options.limit || Number.POSITIVE_INFINITY
  const query = {
    q: words.join(' '),
    session,
    ...(since !== undefined && { since: `${Math.max(0, Date.now() - since)}ms` }),
  }
  const found: TranscriptMatches = { items: [], searched: 0 }
  const read = (cursor: string | undefined) => {
    const limit = Math.min(PAGE_SIZE, max - found.items.length)
    return city.call('GET ~/transcripts/search', { query: { ...query, cursor, limit } })
  }
  for await (const { items, searched, next_cursor } of readPages(read)) {
    if (!json) printMatches(io, items, found.items.at(-1)?.session)
    found.items.push(...items)
    found.searched += searched
    if (found.items.length < max) continue
    if (next_cursor) found.next_cursor = next_cursor
    break
  }
  if (json) return printJson(io, withItems(found, found.items))
  const { items, searched, next_cursor } = found
  if (items.length === 0) printLine(io, `Nothing was found in ${countOf(searched, 'conversation')}.`)
  if (next_cursor) printLine(io, `\nThese are the newest ${items.length}; --limit shows more.`)
}

function printMatches(io: Io, matches: readonly TranscriptMatch[], last: string | undefined): void {
  let shown = last
  for (const match of matches) {
    const { session, session_name, template, timestamp, role, sub_agent: agent, excerpt } = match
    if (session !== shown) {
      const name = session_name === session ? '' : ` ${session_name}`
      printLine(
        io,
        `${shown ? '\n' : ''}${paint(session, 'cyan', io.colour)}${sanitizeLine(name)} (${sanitizeLine(template)})`,
      )
    }
    shown = session
    const time = timestamp === undefined ? '' : `${new Date(timestamp).toLocaleString('sv-SE')}  `
    const speaker = agent === undefined ? role : `${role} (sub-agent ${sanitizeLine(agent)})`
    const line = `${time}${speaker}: ${sanitizeLine(excerpt)}`
    printLine(io, `  ${io.width === undefined ? line : truncate(line, io.width - 2)}`)
  }
}
