import type { ChangeDiff } from '../../src/changes/review/index.ts'
import { changedLines } from '../../src/client/diff.ts'
import { type Colour, paint, sanitizeLine } from '../../src/client/text.ts'
import type { CommandContext } from '../context/context.ts'
import type { JsonOption } from '../context/options.ts'
import { failure, usageError } from '../io/exit.ts'
import { type Io, printJson, printLine } from '../io/io.ts'
import { recordLook } from './look.ts'

export interface DiffOptions extends JsonOption {
  stat?: true
  path?: string
  sinceLast?: true
  sinceRound?: number
}

type DiffFile = ChangeDiff['files'][number]
type DiffLine = DiffFile['hunks'][number]['lines'][number]

/** Prints the diff of a change page by page, so that a large one is never held whole. */
export async function diff(context: CommandContext, id: string, options: DiffOptions): Promise<void> {
  const { io } = context
  const { json, stat, path, sinceLast, sinceRound: round } = options
  if (sinceLast && round !== undefined) throw usageError('name --since-round or --since-last, not both')
  const city = await context.city()
  const since = sinceLast ? await lastRound(context, id) : round
  await recordLook(city, id)
  const query = { ...(path !== undefined && { file: path }), ...(since !== undefined && { since }) }
  let cursor: string | undefined
  let shown = 0
  const totals = new Map<string, Counted>()
  do {
    const page = await city.call('GET ~/change/{id}/diff', {
      params: { id },
      query: { ...query, ...(cursor !== undefined && { cursor }) },
    })
    if (json) return printJson(io, page)
    if (shown === 0) printCommits(io, page)
    for (const each of page.files) {
      if (stat) count(totals, each)
      else printFile(io, each)
    }
    shown += page.files.length
    cursor = page.cursor
  } while (cursor !== undefined && !io.signal.aborted)
  for (const { title, ...lines } of totals.values())
    printLine(io, sanitizeLine(`${changedLines(lines).padEnd(12)} ${title}`))
  if (shown === 0) printLine(io, since === undefined ? 'Nothing differs.' : `Nothing is new since round ${since}.`)
}

/** The round before this one that the caller looked at. */
async function lastRound(context: CommandContext, id: string): Promise<number> {
  const { since } = await (await context.city()).call('GET ~/change/{id}', { params: { id } })
  if (since !== undefined) return since
  throw failure(`you looked at no earlier round of ${id}; leave --since-last out`)
}

const COMMIT_COLOURS: Readonly<Record<string, Colour>> = { new: 'green', changed: 'yellow', gone: 'red', same: 'dim' }

function printCommits(io: Io, { commits = [] }: ChangeDiff): void {
  for (const { state, old, new: now, subject } of commits) {
    const id = (now ?? old ?? '').slice(0, 12)
    printLine(io, `${paint(state.padEnd(8), COMMIT_COLOURS[state], io.colour)}${id} ${sanitizeLine(subject)}`)
  }
  if (commits.length > 0) printLine(io, '')
}

/** Lines that were added to and removed from each file, which may be on more than one page. */
function count(totals: Map<string, Counted>, file: DiffFile): void {
  const total = totals.get(file.path) ?? { title: titleOf(file), added: 0, removed: 0 }
  totals.set(file.path, total)
  for (const { kind } of file.hunks.flatMap(({ lines }) => lines)) {
    if (kind === '+') total.added++
    if (kind === '-') total.removed++
  }
}

interface Counted {
  readonly title: string
  added: number
  removed: number
}

/** A file in a sentence: where it is, and what it is where that is not a text that was changed. */
function titleOf({ path, old_path, kind, folded, mode, old_mode }: DiffFile): string {
  const modes = kind === 'mode' || (mode !== old_mode && mode && old_mode) ? `${old_mode} → ${mode}` : undefined
  const isCopy = kind === 'copied'
  const facts = [
    isCopy ? `copied from ${old_path}` : kind === 'modified' ? undefined : kind,
    folded && folded !== kind ? folded : undefined,
    modes,
  ]
  const about = facts.filter(Boolean).join(', ')
  return `${old_path !== undefined && old_path !== path && !isCopy ? `${old_path} → ` : ''}${path}${about === '' ? '' : ` (${about})`}`
}

function printFile(io: Io, file: DiffFile): void {
  if (!file.continued) printLine(io, paint(sanitizeLine(titleOf(file)), 'bold', io.colour))
  for (const { old_start, new_start, heading = '', continued, lines } of file.hunks) {
    if (!continued) {
      printLine(io, paint(sanitizeLine(`@@ -${old_start} +${new_start} @@ ${heading}`.trimEnd()), 'cyan', io.colour))
    }
    for (const line of lines) printLine(io, drawLine(line, io))
  }
}

function drawLine({ kind, text, words = [], moved, bytes, no_newline }: DiffLine, io: Io): string {
  const colour = kind === ' ' ? undefined : moved ? 'blue' : kind === '+' ? 'green' : 'red'
  const parts: string[] = [paint(kind, colour, io.colour)]
  let at = 0
  for (const [from = 0, to = 0] of words) {
    parts.push(
      drawText(text.slice(at, from), colour, io),
      paint(drawText(text.slice(from, to), colour, io), 'bold', io.colour),
    )
    at = to
  }
  parts.push(drawText(text.slice(at), colour, io))
  if (bytes !== undefined) parts.push(paint(` … ${bytes} bytes in all`, 'dim', io.colour))
  if (no_newline) parts.push(paint(' (no newline at the end)', 'dim', io.colour))
  return parts.join('')
}

/** A part of a line without what would control the terminal; the carriage return of a Windows line is left out. */
const drawText = (text: string, colour: Colour | undefined, io: Io): string =>
  paint(sanitizeLine(text.replace(/\r$/, '').replaceAll('\t', '    ')), colour, io.colour)
