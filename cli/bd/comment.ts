import type { Command } from 'commander'
import { sanitizeLine, sanitizeLines } from '../../src/client/text.ts'
import { listComments } from '../bead/comment.ts'
import { usageError } from '../io/exit.ts'
import type { BdContext } from './context.ts'

/** Sources for the text of a comment or note other than the arguments. */
export interface TextSource {
  stdin?: true
  file?: string
}

export const withTextSource = (command: Command): Command =>
  command
    .argument('<bead>')
    .argument('[text...]')
    .option('--stdin', 'read the text from standard input')
    .option('-f, --file <file>', 'read the text from a file; - for standard input')

export async function textOf(bd: BdContext, words: readonly string[], { stdin, file }: TextSource): Promise<string> {
  const from = stdin ? '-' : file
  if (from !== undefined) return (await bd.context.readFile(from)).replace(/\n+$/, '')
  if (words.length === 0) throw usageError('no text provided (use words, --stdin, or --file)')
  return words.join(' ')
}

/** Subcommands of `bd comments`, which are not bead ids. */
const VERBS = new Set(['list', 'add', 'rm', 'delete', 'remove'])

export function commentCommands(program: Command, bd: BdContext): void {
  withTextSource(program.command('comment').description('comment on a bead')).action(
    bd.run((id: string, words: string[], from: TextSource) => comment(bd, id, words, from)),
  )
  const comments = program.command('comments').description('list the comments on a bead')
  comments
    .command('list', { isDefault: true, hidden: true })
    .argument('<bead>')
    .option('--local-time', 'accepted')
    .action(bd.run((id: string) => list(bd, id)))
  withTextSource(comments.command('add').description('comment on a bead'))
    .option('-a, --author <who>', 'accepted: gc knows who is calling')
    .action(bd.run((id: string, words: string[], from: TextSource) => comment(bd, id, words, from)))
}

async function comment(bd: BdContext, id: string, words: readonly string[], from: TextSource): Promise<void> {
  if (VERBS.has(id))
    throw usageError(`${id} is not a bead: \`bd comments <bead>\` lists, \`bd comment <bead> <text>\` adds`)
  const text = await textOf(bd, words, from)
  const city = await bd.city()
  const response = await city.call('POST ~/bead/{id}/comments', { params: { id }, body: { text } })
  if (bd.print.json) return bd.print.value(response)
  bd.print.line(`✓ Comment added to ${id}`)
}

async function list(bd: BdContext, id: string): Promise<void> {
  const comments = await listComments(await bd.city(), id)
  if (bd.print.json) return bd.print.value(comments)
  if (comments.length === 0) return bd.print.line(`No comments on ${id}`)
  bd.print.line(`\nComments on ${id}:\n`)
  for (const { author, created_at, text } of comments) {
    bd.print.line(`[${sanitizeLine(author)}] at ${created_at.slice(0, 16).replace('T', ' ')}`)
    for (const each of sanitizeLines(text).split('\n')) bd.print.line(`  ${each}`.trimEnd())
    bd.print.line('')
  }
}
