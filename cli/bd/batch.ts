import type { Command } from 'commander'
import { ApiError } from '../../src/client/errors.ts'
import type { BeadChangeEntry } from '../../src/work/beads/index.ts'
import { parseStatus } from '../bead/status.ts'
import { parsePriority } from '../context/options.ts'
import { failure } from '../io/exit.ts'
import type { BdContext } from './context.ts'

interface Options {
  file?: string
  dryRun?: true
}

/** `bd batch`: one change a line, from a file or standard input. */
export function batchCommand(program: Command, bd: BdContext): void {
  program
    .command('batch')
    .description('apply changes from a file or standard input, one a line')
    .option('-f, --file <file>', 'file of changes')
    .option('-m, --message <text>', 'accepted')
    .option('--dry-run', 'check them and change nothing')
    .addHelpText('after', HELP)
    .action(bd.run((options: Options) => batch(bd, options)))
}

const HELP = `
Lines:
  close <bead> [reason…]
  update <bead> <status|priority|title|assignee>=<value> …
  create <type> <priority> <title…>
  dep add <bead> <on> [type]
  dep remove <bead> <on>
All lines are read before the first change. Adjacent lines of close and update are applied together, all or none.
Changes before a failing line are kept.`

interface Line {
  number: number
  text: string
  /** A change of one bead, which others can be carried out with; or what else is done. */
  action: BeadChangeEntry | (() => Promise<void>)
}

/** Maximum changes of one request. */
const MAX_UPDATES = 100

async function batch(bd: BdContext, { file = '-', dryRun }: Options): Promise<void> {
  const text = await bd.context.readFile(file)
  const lines = text.split('\n').flatMap((line, at) => {
    const words = line.trim().startsWith('#') ? [] : split(line)
    return words.length === 0 ? [] : [{ number: at + 1, text: line.trim(), action: parseLine(bd, words, at + 1) }]
  })
  if (!dryRun) for (const together of grouped(lines)) await carryOut(bd, together)
  if (bd.print.json) return bd.print.value({ operations: lines.length, dry_run: dryRun === true })
  bd.print.line(dryRun ? `${lines.length} changes can be read.` : `✓ ${lines.length} changes made`)
}

/** Groups lines for one request each: adjacent updates and closes share one, every other line has its own. */
function grouped(lines: readonly Line[]): Line[][] {
  const groups: Line[][] = []
  for (const line of lines) {
    const last = groups.at(-1)
    const joins = typeof line.action === 'object' && typeof last?.[0]?.action === 'object'
    if (last && joins && last.length < MAX_UPDATES) last.push(line)
    else groups.push([line])
  }
  return groups
}

async function carryOut(bd: BdContext, lines: readonly Line[]): Promise<void> {
  const [first] = lines
  const updates = lines.flatMap(({ action }) => (typeof action === 'object' ? [action] : []))
  try {
    if (typeof first?.action === 'function') await first.action()
    else await (await bd.city()).call('PATCH ~/beads/bulk', { body: { updates } })
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    const at = Number(/updates\[(\d+)\]/.exec(error.sentence)?.[1] ?? 0)
    const { number, text } = lines[at] ?? { number: first?.number, text: '' }
    const reason = error.sentence.replace(/^updates\[\d+\]: /, '')
    throw failure(
      `line ${number} (${text}): ${reason}; nothing from line ${first?.number} on was applied, earlier lines were`,
    )
  }
}

/** The words of a line; what is in quotes is one word. */
const split = (line: string): string[] =>
  (line.match(/(?:[^\s"]|"(?:\\.|[^"\\])*")+/g) ?? []).map((word) =>
    word.replace(/"((?:\\.|[^"\\])*)"/g, (_, inner: string) => inner.replace(/\\(.)/g, '$1')),
  )

function parseLine(bd: BdContext, words: readonly string[], number: number): Line['action'] {
  const wrong = () => failure(`line ${number} cannot be read: ${words.join(' ')}; nothing changed`)
  const [verb, ...rest] = words
  const [first, second, ...more] = rest
  if (first === undefined) throw wrong()
  if (verb === 'close') {
    const reason = rest.slice(1).join(' ')
    return { id: first, status: 'closed', ...(reason && { metadata: { close_reason: reason } }) }
  }
  if (second === undefined) throw wrong()
  if (verb === 'update') {
    const change = changeOf(rest.slice(1))
    if (!change) throw wrong()
    return { id: first, ...change }
  }
  if (verb === 'create' && more.length > 0) {
    const priority = parsePriority(second)
    return () => create(bd, { type: first, priority, title: more.join(' ') })
  }
  const [target, type] = more
  if (verb !== 'dep' || target === undefined || (first !== 'add' && first !== 'remove')) throw wrong()
  return () => (first === 'add' ? depend(bd, second, target, type) : undepend(bd, second, target))
}

function changeOf(pairs: readonly string[]): Omit<BeadChangeEntry, 'id'> | undefined {
  const change: Omit<BeadChangeEntry, 'id'> = {}
  for (const pair of pairs) {
    const at = pair.indexOf('=')
    const [key, value] = [pair.slice(0, at), pair.slice(at + 1)]
    if (key === 'status') change.status = parseStatus(value)
    else if (key === 'priority') change.priority = parsePriority(value)
    else if (key === 'title' || key === 'assignee') change[key] = value
    else return undefined
  }
  return change
}

async function create(bd: BdContext, body: { type: string; priority: number; title: string }): Promise<void> {
  const rig = await bd.rig()
  await (await bd.city()).call('POST ~/beads', { body: { ...body, ...(rig && { rig }) } })
}

async function depend(bd: BdContext, id: string, on: string, type = 'blocks'): Promise<void> {
  await (await bd.city()).call('POST ~/bead/{id}/deps', { params: { id }, body: { depends_on_id: on, type } })
}

async function undepend(bd: BdContext, id: string, on: string): Promise<void> {
  const call = { params: { id, depends_on_id: on } }
  await (await bd.city()).call('DELETE ~/bead/{id}/deps/{depends_on_id}', call)
}
