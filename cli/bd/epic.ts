import type { Command } from 'commander'
import { sanitizeLine } from '../../src/client/text.ts'
import type { Bead } from '../../src/work/beads/index.ts'
import type { BdContext } from './context.ts'
import { toBare } from './issue.ts'

/** Commands on epics: beads with others below them. */
export function epicCommands(program: Command, bd: BdContext): void {
  const epic = program.command('epic').description('manage epics')
  epic
    .command('status')
    .description('show the progress of open epics')
    .argument('[epic]', 'only this order')
    .option('--eligible-only', 'only epics whose children are all closed')
    .action(
      bd.run(async (id: string | undefined, options: { eligibleOnly?: true }) => {
        const all = (await progressOfEpics(bd)).filter(({ epic: each }) => id === undefined || each.id === id)
        await print(
          bd,
          all.filter((each) => !options.eligibleOnly || isDone(each)),
        )
      }),
    )
  epic
    .command('close-eligible')
    .description('close the epics whose children are all closed')
    .option('--dry-run', 'list them and close nothing')
    .action(bd.run((options: { dryRun?: true }) => closeEligible(bd, options)))
}

interface EpicProgress {
  epic: Bead
  total: number
  closed: number
}

const isDone = ({ total, closed }: EpicProgress): boolean => total > 0 && closed === total

/** The open epics, each with its children. */
export async function progressOfEpics(bd: BdContext): Promise<EpicProgress[]> {
  const rig = await bd.rig()
  const epics = await bd.list({ type: 'epic', rig })
  if (epics.length === 0) return []
  const children = Map.groupBy(await bd.list({ all: true, rig }), ({ parent = '' }) => parent)
  return epics.map((epic) => {
    const own = children.get(epic.id) ?? []
    return { epic, total: own.length, closed: own.filter(({ status }) => status === 'closed').length }
  })
}

async function print(bd: BdContext, shown: readonly EpicProgress[]): Promise<void> {
  if (bd.print.json) {
    const issues = new Map((await bd.issues(shown.map(({ epic }) => epic.id))).map((issue) => [issue.id, issue]))
    const rows = shown.flatMap((each) => {
      const issue = issues.get(each.epic.id)
      const { total: total_children, closed: closed_children } = each
      return issue ? [{ epic: toBare(issue), total_children, closed_children, eligible_for_close: isDone(each) }] : []
    })
    return bd.print.value(rows)
  }
  if (shown.length === 0) return bd.print.line('No open epics.')
  for (const each of shown) {
    const { epic, closed, total } = each
    const state = isDone(each) ? '; it can be closed' : ''
    bd.print.line(sanitizeLine(`${epic.id} ${epic.title}: ${closed} of ${total} children closed${state}`))
  }
}

async function closeEligible(bd: BdContext, { dryRun }: { dryRun?: true }): Promise<void> {
  const eligible = (await progressOfEpics(bd)).filter(isDone)
  if (dryRun) return print(bd, eligible)
  const city = await bd.city()
  const closed: string[] = []
  for (const { epic } of eligible) {
    const body = { status: 'closed', metadata: { close_reason: 'all children are closed' } }
    await city.call('PATCH ~/bead/{id}', { params: { id: epic.id }, body })
    closed.push(epic.id)
  }
  if (bd.print.json) return bd.print.value({ closed, count: closed.length })
  bd.print.line(closed.length === 0 ? 'No epic can be closed.' : `✓ Closed ${closed.join(', ')}`)
}
