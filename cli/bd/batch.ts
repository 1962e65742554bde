import type { Command } from 'commander'
import { sanitizeLine } from '../../src/client/text.ts'
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
    .description('carry out changes, one a line of standard input or of a file')
    .option('-f, --file <file>', 'read them from a file')
    .option('-m, --message <text>', 'accepted')
    .option('--dry-run', 'only check them')
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
All lines are read before the first change. Changes that were made before one that fails stay.`

interface Line {
  number: number
  words: string[]
  run(): Promise<string>
}

async function batch(bd: BdContext, { file = '-', dryRun }: Options): Promise<void> {
  const text = await bd.context.readFile(file)
  const lines = text.split('\n').flatMap((line, at) => {
    const words = line.trim().startsWith('#') ? [] : split(line)
    return words.length === 0 ? [] : [{ number: at + 1, words, run: parseLine(bd, words, at + 1) }]
  })
  if (!dryRun) for (const line of lines) await carryOut(bd, line)
  if (bd.print.json) return bd.print.value({ operations: lines.length, dry_run: dryRun === true })
  bd.print.line(dryRun ? `${lines.length} changes can be read.` : `✓ ${lines.length} changes made`)
}

async function carryOut(bd: BdContext, { number, words, run }: Line): Promise<void> {
  try {
    const done = await run()
    if (!bd.print.json) bd.print.line(sanitizeLine(done))
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw failure(`line ${number} (${words.join(' ')}): ${reason}; the lines before it are done`)
  }
}

/** The words of a line; what stands in quotes is one word. */
const split = (line: string): string[] =>
  (line.match(/(?:[^\s"]|"(?:\\.|[^"\\])*")+/g) ?? []).map((word) =>
    word.replace(/"((?:\\.|[^"\\])*)"/g, (_, inner: string) => inner.replace(/\\(.)/g, '$1')),
  )

function parseLine(bd: BdContext, words: readonly string[], number: number): () => Promise<string> {
  const wrong = () => failure(`line ${number} cannot be read: ${words.join(' ')}; nothing changed`)
  const [verb, ...rest] = words
  const [first, second, ...more] = rest
  if (first === undefined) throw wrong()
  if (verb === 'close') return () => close(bd, first, rest.slice(1).join(' '))
  if (second === undefined) throw wrong()
  if (verb === 'update') {
    const change = changeOf(rest.slice(1))
    if (!change) throw wrong()
    return () => patch(bd, first, change)
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

async function close(bd: BdContext, id: string, reason: string): Promise<string> {
  return patch(bd, id, { status: 'closed', ...(reason && { metadata: { close_reason: reason } }) })
}

async function patch(bd: BdContext, id: string, body: Omit<BeadChangeEntry, 'id'>): Promise<string> {
  await (await bd.city()).call('PATCH ~/bead/{id}', { params: { id }, body })
  return `✓ ${id} ${body.status ?? 'changed'}`
}

async function create(bd: BdContext, body: { type: string; priority: number; title: string }): Promise<string> {
  const rig = await bd.rig()
  const bead = await (await bd.city()).call('POST ~/beads', { body: { ...body, ...(rig && { rig }) } })
  return `✓ ${bead.id} created`
}

async function depend(bd: BdContext, id: string, on: string, type = 'blocks'): Promise<string> {
  await (await bd.city()).call('POST ~/bead/{id}/deps', { params: { id }, body: { depends_on_id: on, type } })
  return `✓ ${id} depends on ${on}`
}

async function undepend(bd: BdContext, id: string, on: string): Promise<string> {
  const call = { params: { id, depends_on_id: on } }
  await (await bd.city()).call('DELETE ~/bead/{id}/deps/{depends_on_id}', call)
  return `✓ ${id} no longer depends on ${on}`
}
