import type { Command } from 'commander'
import type { CityClient } from '../../src/client/client.ts'
import { formatAge, paint, sanitizeLine, sanitizeLines } from '../../src/client/text.ts'
import type { BeadComment } from '../../src/work/comments/index.ts'
import type { CommandContext } from '../context/context.ts'
import { type JsonOption, withJson } from '../context/options.ts'
import { readItems } from '../context/pages.ts'
import { watched, withWatch } from '../context/watch.ts'
import { usageError } from '../io/exit.ts'
import { type Io, printJson, printLine } from '../io/io.ts'

export function commentCommands(bead: Command, context: CommandContext): void {
  withJson(bead.command('comment').description('comment on a bead'))
    .argument('<bead>')
    .argument('[text...]', 'text; `-` or none reads standard input')
    .action((id: string, words: string[], options: JsonOption) => comment(context, id, words, options))
  withWatch(withJson(bead.command('comments').description('list the comments on a bead, oldest first')))
    .argument('<bead>')
    .action(watched(context, comments))
}

async function comment(
  context: CommandContext,
  id: string,
  words: readonly string[],
  options: JsonOption,
): Promise<void> {
  const text = await readComment(context.io, words)
  const city = await context.city()
  const response = await city.call('POST ~/bead/{id}/comments', { params: { id }, body: { text } })
  if (options.json) return printJson(context.io, response)
  printLine(context.io, `Added a comment to ${id}.`)
}

/** The text of a comment: the words of the command line, or else standard input without its last line break. */
export async function readComment(io: Io, words: readonly string[]): Promise<string> {
  const text = words.join(' ')
  if (text !== '' && text !== '-') return text
  if (text === '' && io.isInteractive) throw usageError('give the text of the comment, or pipe it in')
  const input = (await io.readInput()).replace(/\s+$/, '')
  if (input === '') throw usageError('standard input is empty; pipe in the text of the comment')
  return input
}

async function comments(context: CommandContext, id: string, options: JsonOption): Promise<void> {
  const items = await listComments(await context.city(), id)
  if (options.json) return printJson(context.io, { items, total: items.length })
  if (items.length === 0) return printLine(context.io, `There are no comments on ${id}.`)
  printComments(context.io, items)
}

/** Every comment on a bead, oldest first. */
export const listComments = (city: CityClient, id: string): Promise<BeadComment[]> =>
  readItems((cursor) => city.call('GET ~/bead/{id}/comments', { params: { id }, query: { limit: 1000, cursor } }))

export function printComments(io: Io, comments: readonly BeadComment[]): void {
  const now = Date.now()
  for (const [at, { author, created_at, text }] of comments.entries()) {
    if (at > 0) printLine(io, '')
    printLine(io, paint(`${sanitizeLine(author) || 'somebody'}, ${formatAge(created_at, now)} ago`, 'dim', io.colour))
    for (const each of sanitizeLines(text).split('\n')) printLine(io, `  ${each}`.trimEnd())
  }
}
