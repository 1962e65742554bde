import type { Command } from 'commander'
import { countOf, sanitizeLine, sanitizeLines } from '../../src/client/text.ts'
import type { Bead, BeadRelation } from '../../src/work/beads/index.ts'
import { describeBlockers, openBlockers } from '../bead/blockers.ts'
import { listComments, printComments } from '../bead/comment.ts'
import { collectList } from '../context/options.ts'
import { renderLive, type WatchOption } from '../context/watch.ts'
import { failure, usageError } from '../io/exit.ts'
import type { BdContext } from './context.ts'
import { toRelated } from './issue.ts'
import { childrenOf } from './molecule.ts'
import { formatPriority } from './print.ts'

interface Show extends WatchOption {
  id?: string[]
  current?: true
  short?: true
  children?: true
  notes?: true
  refs?: true
  thread?: true
  asOf?: string
}

export function showCommand(program: Command, bd: BdContext): void {
  program
    .command('show')
    .alias('view')
    .description('show beads')
    .argument('[beads...]')
    .option('--id <beads>', 'same as the arguments, separated by commas', collectList)
    .option('--current', 'bead you are working on')
    .option('--short', 'print one line a bead')
    .option('--children', 'include its children, even closed ones')
    .option('--notes', 'print only the notes')
    .option('--refs', 'only the beads that depend on it')
    .option('--thread', 'print its conversation')
    .option('--as-of <revision>', 'not supported: use `bd history`')
    .option('--long', 'accepted: all fields are always shown')
    .option('--include-comments', 'accepted: comments are always shown')
    .option('--include-dependents', 'accepted: dependents are always shown')
    .option('--local-time', 'accepted')
    .option('-w, --watch', 'update on every change until ctrl-c')
    .action(
      bd.run(async (given: string[], options: Show) => {
        const ids = await idsOf(bd, given, options)
        if (!options.watch) return show(bd, ids, options)
        await renderLive(bd.context, await bd.city(), options, (io) => show(bd.writingTo(io), ids, options))
      }),
    )
}

async function idsOf(bd: BdContext, given: readonly string[], { id = [], current, asOf }: Show): Promise<string[]> {
  if (asOf !== undefined) throw failure('gc shows no earlier states; `bd history <bead>` shows every change')
  const own = current ? await bd.list({ status: 'in_progress', assignee: bd.caller }) : []
  const ids = [...given, ...id, ...own.slice(0, 1).map((bead) => bead.id)]
  if (ids.length > 0) return ids
  throw usageError(current ? 'you work on no bead; name one' : 'name the bead: `bd show <bead>`')
}

async function show(bd: BdContext, ids: readonly string[], options: Show): Promise<void> {
  const beads: Bead[] = []
  for (const id of ids) {
    const bead = await bd.find(id)
    if (bead) beads.push(bead)
    else if (ids.length > 1) bd.print.error(`no issue found matching ${JSON.stringify(id)}`)
  }
  if (beads.length === 0) throw bd.print.failure('no issues found matching the provided IDs')
  const others = await othersOf(bd, beads, options)
  if (others) return printOthers(bd, others)
  if (bd.print.json) return printJson(bd, beads)
  for (const bead of beads) {
    if (options.short) bd.print.bead(bead)
    else if (options.notes) bd.print.line(sanitizeLines(bead.metadata?.notes ?? ''))
    else await print(bd, bead)
  }
}

/** The beads around others that are shown instead of them, by the id of each. */
async function othersOf(
  bd: BdContext,
  beads: readonly Bead[],
  { children, refs, thread }: Show,
): Promise<Map<string, Bead[]> | undefined> {
  if (!children && !refs && !thread) return undefined
  const others = new Map<string, Bead[]>()
  const all = thread ? await bd.list({ all: true }) : []
  for (const bead of beads) {
    const { dependents } = refs ? await bd.dependencies(bead.id) : { dependents: [] }
    const near = dependents.flatMap((relation) => relation.bead ?? [])
    const name = bead.metadata?.thread_id
    const inThread = all.filter(({ metadata }) => name !== undefined && metadata?.thread_id === name)
    others.set(bead.id, refs ? near : thread ? inThread : await childrenOf(bd, bead.id))
  }
  return others
}

async function printOthers(bd: BdContext, others: ReadonlyMap<string, readonly Bead[]>): Promise<void> {
  if (bd.print.json) {
    const entries = [...others].map(async ([id, beads]) => [id, await bd.issues(beads.map((each) => each.id))] as const)
    return bd.print.value(Object.fromEntries(await Promise.all(entries)))
  }
  for (const [id, beads] of others) {
    bd.print.line(`${id}: ${countOf(beads.length, 'bead')}`)
    for (const bead of beads) bd.print.bead(bead, '  ')
  }
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
