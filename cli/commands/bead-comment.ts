import type { Command } from 'commander'
import type { CityClient } from '../../src/client/client.ts'
import { ago, paint, plain, plainLines } from '../../src/client/text.ts'
import type { BeadComment } from '../../src/work/comments/schema.ts'
import type { Here } from '../context/context.ts'
import { type Json, withJson } from '../context/options.ts'
import { misuse } from '../io/exit.ts'
import { type Io, json, line } from '../io/io.ts'

export function commentCommands(bead: Command, here: Here): void {
  withJson(bead.command('comment').description('say something on a bead, in your own name'))
    .argument('<bead>')
    .argument('[text...]', 'what to say; `-` or nothing reads standard input')
    .action((id: string, words: string[], options: Json) => comment(here, id, words, options))
  withJson(bead.command('comments').description('list what was said on a bead, oldest first'))
    .argument('<bead>')
    .action((id: string, options: Json) => comments(here, id, options))
}

async function comment(here: Here, id: string, words: readonly string[], options: Json): Promise<void> {
  const text = await spoken(here.io, words)
  const city = await here.city()
  const said = await city.call('POST ~/bead/{id}/comments', { params: { id }, body: { text } })
  if (options.json) return json(here.io, said)
  line(here.io, `Commented on ${id}.`)
}

/** The text of a comment: the words of the command line, or else standard input without its last line end. */
export async function spoken(io: Io, words: readonly string[]): Promise<string> {
  const told = words.join(' ')
  if (told !== '' && told !== '-') return told
  if (told === '' && io.asks) throw misuse('say what to comment, or pipe it in')
  const text = (await io.read()).replace(/\s+$/, '')
  if (text === '') throw misuse('there is nothing to comment on standard input')
  return text
}

async function comments(here: Here, id: string, options: Json): Promise<void> {
  const found = await commentsOn(await here.city(), id)
  if (options.json) return json(here.io, { items: found, total: found.length })
  if (found.length === 0) return line(here.io, `Nobody has commented on ${id}.`)
  printComments(here.io, found)
}

/** Every comment on a bead, page by page. */
export async function commentsOn(city: CityClient, id: string): Promise<BeadComment[]> {
  const found: BeadComment[] = []
  for (let cursor: string | undefined; ; ) {
    const page = await city.call('GET ~/bead/{id}/comments', { params: { id }, query: { limit: 1000, cursor } })
    found.push(...page.items)
    cursor = page.next_cursor
    if (!cursor) return found
  }
}

export function printComments(io: Io, comments: readonly BeadComment[]): void {
  const now = Date.now()
  for (const [at, { author, created_at, text }] of comments.entries()) {
    if (at > 0) line(io, '')
    line(io, paint(`${plain(author) || 'somebody'}, ${ago(created_at, now)} ago`, 'dim', io.colour))
    for (const each of plainLines(text).split('\n')) line(io, `  ${each}`.trimEnd())
  }
}
