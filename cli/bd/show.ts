import type { Command } from 'commander'
import { sanitizeLine, sanitizeLines } from '../../src/client/text.ts'
import type { Bead, BeadRelation } from '../../src/work/beads/index.ts'
import { describeBlockers, openBlockers } from '../bead/blockers.ts'
import { listComments, printComments } from '../bead/comment.ts'
import { renderLive, type WatchOption } from '../context/watch.ts'
import type { BdContext } from './context.ts'
import { toRelated } from './issue.ts'
import { formatPriority } from './print.ts'

export function showCommand(program: Command, bd: BdContext): void {
  program
    .command('show')
    .description('show beads')
    .argument('<ids...>')
    .option('-w, --watch', 'show them again on every change, until ctrl-c')
    .action(
      bd.run(async (ids: string[], options: WatchOption) => {
        if (!options.watch) return show(bd, ids)
        await renderLive(bd.context, await bd.city(), options, (io) => show(bd.writingTo(io), ids))
      }),
    )
}

async function show(bd: BdContext, ids: readonly string[]): Promise<void> {
  const beads: Bead[] = []
  for (const id of ids) {
    const bead = await bd.find(id)
    if (bead) beads.push(bead)
    else if (ids.length > 1) bd.print.error(`no issue found matching ${JSON.stringify(id)}`)
  }
  if (beads.length === 0) throw bd.print.failure('no issues found matching the provided IDs')
  if (bd.print.json) return printJson(bd, beads)
  for (const bead of beads) await print(bd, bead)
}

async function printJson(bd: BdContext, beads: readonly Bead[]): Promise<void> {
  const issues = await bd.issues(beads.map(({ id }) => id))
  const shown = issues.map(async ({ dependencies: _, ...issue }) => {
    const { depends_on: on, dependents: of } = await bd.dependencies(issue.id)
    const others = await bd.issues([...on, ...of].map(({ id }) => id))
    const [dependencies, dependents] = [toRelated(on, others), toRelated(of, others)]
    const comments = await listComments(await bd.city(), issue.id)
    return {
      ...issue,
      ...(dependencies.length > 0 && { dependencies }),
      ...(dependents.length > 0 && { dependents }),
      ...(comments.length > 0 && { comments }),
    }
  })
  bd.print.value(await Promise.all(shown))
}

async function print(bd: BdContext, bead: Bead): Promise<void> {
  const { print } = bd
  const day = (timestamp: string) => timestamp.slice(0, 10)
  print.line(`${bead.id} · ${sanitizeLine(bead.title)}   [${formatPriority(bead)} · ${bead.status.toUpperCase()}]`)
  const who = bead.assignee ? ` · Assignee: ${sanitizeLine(bead.assignee)}` : ''
  print.line(`Type: ${sanitizeLine(bead.issue_type)}${who}`)
  print.line(`Created: ${day(bead.created_at)} · Updated: ${day(bead.updated_at ?? bead.created_at)}`)
  if (bead.labels?.length) print.line(`Labels: ${sanitizeLine(bead.labels.join(', '))}`)
  if (bead.parent) print.line(`Parent: ${bead.parent}`)
  const [issue] = await bd.issues([bead.id])
  if (!issue) return
  const { description, close_reason, notes, design, acceptance_criteria, external_ref } = issue
  if (external_ref) print.line(`External: ${sanitizeLine(external_ref)}`)
  if (close_reason) print.line(`Close reason: ${sanitizeLine(close_reason)}`)
  for (const [head, text] of Object.entries({
    DESCRIPTION: description,
    DESIGN: design,
    NOTES: notes,
    'ACCEPTANCE CRITERIA': acceptance_criteria,
  })) {
    if (text) print.line(`\n${head}\n${sanitizeLines(text)}`)
  }
  const dependencies = await bd.dependencies(bead.id)
  if (bead.is_blocked) print.line(`\nBLOCKED BY\n  ${describeBlockers(openBlockers(dependencies))}`)
  const { depends_on: on, dependents: of } = dependencies
  for (const [head, relations] of [
    ['DEPENDS ON', on],
    ['NEEDED BY', of],
  ] as const) {
    if (relations.length > 0) print.line(`\n${head}`)
    for (const { id, bead: other } of distinct(relations))
      other ? print.bead(other, '  ') : print.line(`  ? ${id} (unknown)`)
  }
  const comments = await listComments(await bd.city(), bead.id)
  if (comments.length > 0) print.line('\nCOMMENTS')
  printComments(print.io, comments)
  print.line('')
}

/** Each bead once, whatever its dependencies are. */
const distinct = (relations: readonly BeadRelation[]): BeadRelation[] => [
  ...new Map(relations.map((relation) => [relation.id, relation])).values(),
]
