import type { Command } from 'commander'
import { beadChanges, beadOf } from '../../src/client/bead-changes.ts'
import { formatAge, formatTime, sanitizeLine } from '../../src/client/text.ts'
import type { Bead } from '../../src/work/beads/index.ts'
import { parseStatus } from '../bead/status.ts'
import { isWork } from '../bead/work.ts'
import { parseCount } from '../context/options.ts'
import { failure } from '../io/exit.ts'
import type { BdContext } from './context.ts'
import { toBare } from './issue.ts'

const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000
const MAX_HISTORY = 1000

/** Reports on beads: counts by status, stale beads, the history of one bead. */
export function reportCommands(program: Command, bd: BdContext): void {
  program
    .command('status')
    .alias('stats')
    .description('count the beads by status')
    .option('--assigned', 'only your beads')
    .option('--all', 'accepted')
    .option('--no-activity', 'accepted')
    .action(bd.run((options: { assigned?: true }) => statistics(bd, options)))
  program
    .command('stale')
    .description('list open beads without recent changes')
    .option('-d, --days <n>', 'minimum days without a change', parseCount, 30)
    .option('-s, --status <status>', 'only this status', parseStatus)
    .option('-n, --limit <n>', 'maximum rows; 0 for all', parseCount, 50)
    .action(bd.run((options: Stale) => stale(bd, options)))
  program
    .command('history')
    .description('show the history of a bead, newest first')
    .argument('<bead>')
    .option('--limit <n>', 'maximum rows; 0 for all', parseCount, 0)
    .action(bd.run((id: string, { limit }: { limit: number }) => history(bd, id, limit)))
}

async function statistics(bd: BdContext, { assigned }: { assigned?: true }): Promise<void> {
  const assignee = assigned ? bd.caller : undefined
  if (assigned && assignee === undefined)
    throw failure('--assigned needs a caller: run it in a session, or set BEADS_ACTOR')
  const beads = (await bd.list({ all: true, rig: await bd.rig(), assignee })).filter(isWork)
  const { items: ready } = await (await bd.city()).call('GET ~/beads/ready')
  const readyIds = new Set(ready.map(({ id }) => id))
  const count = (status: string) => beads.filter((bead) => bead.status === status).length
  const children = Map.groupBy(beads, ({ parent = '' }) => parent)
  const isDone = ({ id, issue_type, status }: Bead) => {
    const below = children.get(id) ?? []
    return issue_type === 'epic' && status !== 'closed' && below.length > 0 && below.every((bead) => isClosed(bead))
  }
  const times = beads.filter(isClosed).map((bead) => Date.parse(closedAt(bead)) - Date.parse(bead.created_at))
  const summary = {
    total_issues: beads.length,
    open_issues: count('open'),
    in_progress_issues: count('in_progress'),
    closed_issues: count('closed'),
    blocked_issues: beads.filter((bead) => bead.status !== 'closed' && bead.is_blocked).length,
    deferred_issues: count('deferred'),
    ready_issues: beads.filter(({ id }) => readyIds.has(id)).length,
    pinned_issues: count('pinned'),
    epics_eligible_for_closure: beads.filter(isDone).length,
    average_lead_time_hours: times.length === 0 ? 0 : times.reduce((sum, ms) => sum + ms, 0) / times.length / HOUR_MS,
  }
  if (bd.print.json) return bd.print.value({ summary })
  for (const [name, value] of Object.entries(summary)) {
    const shown = Number.isInteger(value) ? String(value) : value.toFixed(1)
    bd.print.line(
      `${name
        .replace(/_issues$/, '')
        .replaceAll('_', ' ')
        .padEnd(28)} ${shown}`,
    )
  }
}

const isClosed = ({ status }: Bead): boolean => status === 'closed'
const closedAt = ({ metadata, updated_at, created_at }: Bead): string => metadata?.closed_at ?? updated_at ?? created_at

interface Stale {
  days: number
  status?: string
  limit: number
}

async function stale(bd: BdContext, { days, status, limit }: Stale): Promise<void> {
  const before = Date.now() - days * DAY_MS
  const changed = (bead: Bead) => bead.updated_at ?? bead.created_at
  const open = (await bd.list({ rig: await bd.rig(), status })).filter(isWork)
  const old = open.filter((bead) => !bead.ephemeral && bead.status !== 'closed' && Date.parse(changed(bead)) < before)
  old.sort((a, b) => (changed(a) < changed(b) ? -1 : 1))
  const shown = limit === 0 ? old : old.slice(0, limit)
  if (bd.print.json) return bd.print.value((await bd.issues(shown.map(({ id }) => id))).map(toBare))
  if (shown.length === 0) return bd.print.line(`Every open bead changed in the last ${days} days.`)
  for (const bead of shown) {
    bd.print.bead(bead)
    bd.print.line(`  unchanged for ${formatAge(changed(bead), Date.now())}`)
  }
}

async function history(bd: BdContext, id: string, limit: number): Promise<void> {
  const city = await bd.city()
  const query = { limit: limit === 0 ? MAX_HISTORY : limit }
  const page = await city.call('GET ~/bead/{id}/history', { params: { id }, query })
  if (bd.print.json) {
    const entries = page.items.map((event) => ({
      CommitHash: String(event.seq),
      Committer: event.actor,
      CommitDate: event.ts,
      Event: event.type,
      Issue: beadOf(event) ?? null,
    }))
    return bd.print.value(entries)
  }
  for (const { event, what, who } of beadChanges(page))
    bd.print.line(
      sanitizeLine(`${formatTime(event.ts)}  ${event.type}  ${[what, `by ${who}`].filter(Boolean).join(', ')}`),
    )
}
