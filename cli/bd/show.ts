import type { Command } from 'commander'
import { plain, plainLines } from '../../src/client/text.ts'
import type { Bead } from '../../src/work/beads/schema.ts'
import { commentsOn, printComments } from '../commands/bead-comment.ts'
import type { Desk } from './desk.ts'
import { toShown } from './issue.ts'
import { level } from './print.ts'

export function showCommand(program: Command, desk: Desk): void {
  program
    .command('show')
    .description('show beads')
    .argument('<ids...>')
    .action(desk.run((ids: string[]) => show(desk, ids)))
}

async function show(desk: Desk, ids: readonly string[]): Promise<void> {
  const found: Bead[] = []
  for (const id of ids) {
    const bead = await desk.find(id)
    if (bead) found.push(bead)
    else if (ids.length > 1) desk.print.complain(`no issue found matching ${JSON.stringify(id)}`)
  }
  if (found.length === 0) throw desk.print.failed('no issues found matching the provided IDs')
  if (desk.print.json) return printJson(desk, found)
  for (const bead of found) await print(desk, bead)
}

async function printJson(desk: Desk, beads: readonly Bead[]): Promise<void> {
  const shown = async (bead: Bead) =>
    toShown(bead, await desk.dependencies(bead.id), await commentsOn(await desk.city(), bead.id))
  desk.print.value(await Promise.all(beads.map(shown)))
}

async function print(desk: Desk, bead: Bead): Promise<void> {
  const { print } = desk
  const day = (moment: string) => moment.slice(0, 10)
  print.line(`${bead.id} · ${plain(bead.title)}   [${level(bead)} · ${bead.status.toUpperCase()}]`)
  const who = bead.assignee ? ` · Assignee: ${plain(bead.assignee)}` : ''
  print.line(`Type: ${plain(bead.issue_type)}${who}`)
  print.line(`Created: ${day(bead.created_at)} · Updated: ${day(bead.updated_at ?? bead.created_at)}`)
  if (bead.labels?.length) print.line(`Labels: ${plain(bead.labels.join(', '))}`)
  if (bead.parent) print.line(`Parent: ${bead.parent}`)
  const reason = bead.metadata?.close_reason
  if (reason) print.line(`Close reason: ${plain(reason)}`)
  if (bead.description) print.line(`\nDESCRIPTION\n${plainLines(bead.description)}`)
  const { depends_on: on, dependents: of } = await desk.dependencies(bead.id)
  for (const [head, relations] of [
    ['DEPENDS ON', on],
    ['NEEDED BY', of],
  ] as const) {
    if (relations.length > 0) print.line(`\n${head}`)
    for (const { id, bead: other } of relations) other ? print.bead(other, '  ') : print.line(`  ? ${id} (unknown)`)
  }
  const comments = await commentsOn(await desk.city(), bead.id)
  if (comments.length > 0) print.line('\nCOMMENTS')
  printComments(print.io, comments)
  print.line('')
}
