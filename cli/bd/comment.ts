import type { Command } from 'commander'
import { plain, plainLines } from '../../src/client/text.ts'
import { commentsOn } from '../commands/bead-comment.ts'
import { misuse } from '../io/exit.ts'
import type { Desk } from './desk.ts'

interface From {
  stdin?: true
  file?: string
}

/** Words that are commands of `bd comments` and no beads. */
const VERBS = new Set(['list', 'add', 'rm', 'delete', 'remove'])

export function commentCommands(program: Command, desk: Desk): void {
  taking(program.command('comment').description('say something on a bead')).action(
    desk.run((id: string, words: string[], from: From) => comment(desk, id, words, from)),
  )
  const comments = program.command('comments').description('what was said on a bead')
  comments
    .command('list', { isDefault: true, hidden: true })
    .argument('<bead>')
    .action(desk.run((id: string) => list(desk, id)))
  taking(comments.command('add').description('say something on a bead')).action(
    desk.run((id: string, words: string[], from: From) => comment(desk, id, words, from)),
  )
}

const taking = (command: Command): Command =>
  command
    .argument('<bead>')
    .argument('[text...]')
    .option('--stdin', 'read it from standard input')
    .option('-f, --file <file>', 'read it from a file; - for standard input')

async function comment(desk: Desk, id: string, words: readonly string[], from: From): Promise<void> {
  if (VERBS.has(id)) throw misuse(`${id} is no bead: \`bd comments <bead>\` lists, \`bd comment <bead> <text>\` adds`)
  const text = await textOf(desk, words, from)
  const city = await desk.city()
  const said = await city.call('POST ~/bead/{id}/comments', { params: { id }, body: { text } })
  if (desk.print.json) return desk.print.value(said)
  desk.print.line(`✓ Comment added to ${id}`)
}

async function textOf(desk: Desk, words: readonly string[], { stdin, file }: From): Promise<string> {
  const from = stdin ? '-' : file
  if (from !== undefined) return (await desk.here.text(from)).replace(/\n+$/, '')
  if (words.length === 0) throw misuse('no comment text provided (use words, --stdin, or --file)')
  return words.join(' ')
}

async function list(desk: Desk, id: string): Promise<void> {
  const found = await commentsOn(await desk.city(), id)
  if (desk.print.json) return desk.print.value(found)
  if (found.length === 0) return desk.print.line(`No comments on ${id}`)
  desk.print.line(`\nComments on ${id}:\n`)
  for (const { author, created_at, text } of found) {
    desk.print.line(`[${plain(author)}] at ${created_at.slice(0, 16).replace('T', ' ')}`)
    for (const each of plainLines(text).split('\n')) desk.print.line(`  ${each}`.trimEnd())
    desk.print.line('')
  }
}
