import type { ChangeComment, ChangeView } from '../../src/changes/review/index.ts'
import { changedLines } from '../../src/client/diff.ts'
import { type Colour, formatAge, paint, sanitizeLine, sanitizeLines } from '../../src/client/text.ts'
import type { CommandContext } from '../context/context.ts'
import type { JsonOption } from '../context/options.ts'
import { type Io, printJson, printLine } from '../io/io.ts'
import { printFields } from '../io/table.ts'
import { describeSize } from './list.ts'
import { recordLook } from './look.ts'

/** Lines of quoted code and files that are printed. */
const MAX_QUOTED = 5
const MAX_FILES = 50

export async function show(context: CommandContext, id: string, { json }: JsonOption): Promise<void> {
  const city = await context.city()
  const change = await city.call('GET ~/change/{id}', { params: { id } })
  await recordLook(city, id)
  if (json) return printJson(context.io, change)
  const { io } = context
  printSummary(io, change)
  printFiles(io, change)
  printCommits(io, change)
  printComments(io, change.comments)
  if (change.state === 'ready') printLine(io, `\n${nextSteps(change)}`)
}

function printSummary(io: Io, change: ChangeView): void {
  const now = Date.now()
  printFields(io, [
    ['change', change.id],
    ['state', [change.state, change.decided_by && `by ${change.decided_by}`, change.reason].filter(Boolean).join(', ')],
    ['bead', [change.bead_id, change.title].filter(Boolean).join(' ')],
    ['agent', `${change.agent}, session ${change.session}`],
    ['branch', `${change.branch ?? 'none'} against ${change.target} in ${change.rig}`],
    ['commits', `${change.base.slice(0, 12)}..${change.head.slice(0, 12)}`],
    ['round', change.round],
    ['size', describeSize(change)],
    ['risk', change.risk],
    ['checks', change.checks],
    ['ready', change.ready_at && `${formatAge(change.ready_at, now)} ago`],
    ['landed as', change.landed_commit],
    ['cost', describeCost(change.cost)],
    ...change.asks.map(({ n, person, state, reason }) => {
      return ['asked', `${n}, by ${person}: ${state}${reason === undefined ? '' : `, ${reason}`}`] as const
    }),
    ...change.reviewers.map(({ person, seconds, decisions }) => {
      const spent = decisions.length === 0 ? 'looked at it' : `${Math.round(seconds)} s, ${decisions.join(', ')}`
      return ['reviewer', `${person}: ${spent}`] as const
    }),
    ['get it back', change.restore],
  ])
}

function describeCost({ attempts, tokens, cost_usd_estimate, unpriced }: ChangeView['cost']): string {
  const sessions = `${attempts} ${attempts === 1 ? 'session' : 'sessions'}`
  return `${tokens} tokens, $${cost_usd_estimate.toFixed(2)}${unpriced > 0 ? ` + ${unpriced} unpriced` : ''}, ${sessions}`
}

function printFiles(io: Io, { changed_files: files, files: total }: ChangeView): void {
  printLine(io, `\n${total} ${total === 1 ? 'file' : 'files'}`)
  for (const { path, old_path, kind, added, removed, folded, reasons = [] } of files.slice(0, MAX_FILES)) {
    const lines = changedLines({ ...(added !== undefined && { added }), ...(removed !== undefined && { removed }) })
    const what = [kind === 'modified' ? '' : kind, folded, old_path && `from ${old_path}`].filter(Boolean).join(', ')
    const why = reasons.length === 0 ? '' : `  ${paint(sanitizeLine(reasons.join('; ')), 'yellow', io.colour)}`
    printLine(io, `  ${lines.padEnd(12)} ${sanitizeLine(path)}${what === '' ? '' : ` (${sanitizeLine(what)})`}${why}`)
  }
  if (total > MAX_FILES) printLine(io, `  and ${total - MAX_FILES} more`)
}

function printCommits(io: Io, { commits, commits_total: total }: ChangeView): void {
  printLine(io, `\n${total} ${total === 1 ? 'commit' : 'commits'}`)
  for (const { id, subject } of commits) printLine(io, `  ${id.slice(0, 12)} ${sanitizeLine(subject)}`)
  if (total > commits.length) printLine(io, `  and ${total - commits.length} more`)
}

const STATE_COLOURS: Readonly<Record<string, Colour>> = {
  draft: 'cyan',
  open: 'yellow',
  answered: 'green',
  outdated: 'dim',
}

function printComments(io: Io, comments: readonly ChangeComment[]): void {
  for (const comment of comments) {
    const { n, person, state, path, line, end_line, side, quoted, text, at, reply, replied_by } = comment
    const lines = line === end_line ? `${line}` : `${line}-${end_line}`
    const moved = at && (at.line !== line || at.path !== path) ? `, now ${at.path}:${at.line}` : ''
    const place = `${path}:${lines}${side === 'old' ? ' before the change' : ''}${moved}`
    printLine(io, `\n${n} ${paint(state, STATE_COLOURS[state], io.colour)} ${sanitizeLine(`${place} (${person})`)}`)
    const shown = quoted.split('\n').slice(0, MAX_QUOTED)
    for (const each of shown) printLine(io, paint(`  | ${sanitizeLine(each)}`, 'dim', io.colour))
    for (const each of sanitizeLines(text).split('\n')) printLine(io, `  ${each}`)
    if (reply === undefined) continue
    const [first = '', ...more] = sanitizeLines(reply).split('\n')
    printLine(io, `  ${paint(sanitizeLine(replied_by ?? ''), 'green', io.colour)}: ${first}`)
    for (const each of more) printLine(io, `  ${each}`)
  }
}

const nextSteps = ({ id, round, reviewers }: ChangeView): string =>
  `gc review diff ${id}${round > 1 && reviewers.length > 0 ? ' --since-last' : ''} shows it; then comment, ask, approve or discard it.`
