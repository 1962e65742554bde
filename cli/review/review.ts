import type { Command } from 'commander'
import type { Change, ChangeView } from '../../src/changes/review/index.ts'
import { type Colour, formatAge, sanitizeLine } from '../../src/client/text.ts'
import type { CommandContext } from '../context/context.ts'
import { type JsonOption, withJson, withPaging } from '../context/options.ts'
import { watched, withWatch } from '../context/watch.ts'
import { type Io, printJson, printLine } from '../io/io.ts'
import { printFields, printTable } from '../io/table.ts'

export function reviewCommands(program: Command, context: CommandContext): void {
  const review = program.command('review').description('review the work of sessions')
  withWatch(withPaging(review.command('list', { isDefault: true }).description('list changes, newest first')))
    .option('--state <state>', 'ready, working, asked, approved, landed, discarded or all')
    .option('--agent <agent>', 'only those of this agent')
    .option('--rig <rig>', 'only those of this rig')
    .option('--bead <bead>', 'only those of this bead')
    .action(watched(context, list))
  withWatch(withJson(review.command('show').description('show a change: commits, rounds, reviewers and cost')))
    .argument('<change>')
    .action(watched(context, show))
}

interface ListOptions extends JsonOption {
  state?: string
  agent?: string
  rig?: string
  bead?: string
  limit?: number
  cursor?: string
}

const STATE_COLOURS: Readonly<Record<string, Colour>> = {
  ...{ ready: 'yellow', working: 'cyan', asked: 'cyan', approved: 'green', landed: 'green', discarded: 'dim' },
}

async function list(context: CommandContext, { json, rig, ...query }: ListOptions): Promise<void> {
  const city = await context.city()
  const named = rig === undefined ? {} : { rig: await context.rigNamed(city, rig) }
  const changes = await city.call('GET ~/changes', { query: { ...query, ...named } })
  if (json) return printJson(context.io, changes)
  const now = Date.now()
  printTable(
    context.io,
    changes.items,
    [
      { header: 'CHANGE', value: ({ id }) => id },
      { header: 'STATE', value: ({ state }) => state, colour: ({ state }) => STATE_COLOURS[state] },
      { header: 'BEAD', value: ({ bead_id }) => bead_id },
      { header: 'BRANCH', value: ({ branch, rig }) => branch ?? rig, minWidth: 12 },
      { header: 'BASE', value: ({ target, base }) => `${target}@${base.slice(0, 8)}`, minWidth: 10 },
      { header: 'SIZE', value: describeSize },
      { header: 'CHECKS', value: ({ checks }) => checks, minWidth: 8 },
      { header: 'AGE', value: ({ ready_at, created_at }) => formatAge(ready_at ?? created_at, now) },
      { header: 'RISK', value: ({ risk }) => risk, minWidth: 12, colour: () => 'yellow' },
      { header: 'TITLE', value: ({ title }) => title, minWidth: 12 },
    ],
    'No change waits for review, and no session works on one.',
  )
  if (changes.next_cursor !== undefined)
    printLine(context.io, `There are more: gc review list --cursor ${changes.next_cursor}`)
}

const describeSize = ({ files, added, removed }: Change): string => `${files}f +${added} -${removed}`

async function show(context: CommandContext, id: string, { json }: JsonOption): Promise<void> {
  const city = await context.city()
  const change = await city.call('GET ~/change/{id}', { params: { id } })
  if (json) return printJson(context.io, change)
  printSummary(context.io, change)
  const { commits, commits_total } = change
  printLine(context.io, `\n${commits_total} ${commits_total === 1 ? 'commit' : 'commits'}`)
  for (const { id: commit, subject } of commits)
    printLine(context.io, `  ${commit.slice(0, 12)} ${sanitizeLine(subject)}`)
}

function printSummary(io: Io, change: ChangeView): void {
  const { cost, reviewers } = change
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
    ['cost', describeCost(cost)],
    ...reviewers.map(({ person, seconds, decisions }) => {
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
