import type { Command } from 'commander'
import type { CityClient } from '../../src/client/client.ts'
import { ApiError } from '../../src/client/errors.ts'
import { sanitizeLine } from '../../src/client/text.ts'
import type { Bead } from '../../src/work/beads/index.ts'
import { GATING } from '../bead/blockers.ts'
import { usageError } from '../io/exit.ts'
import type { BdContext } from './context.ts'
import type { Issue } from './issue.ts'
import { bareIssues, loadMolecule, rootOf } from './molecule.ts'

interface Close {
  reason?: string[]
  reasonFile?: string
  force?: true
  continue?: true
  auto: boolean
  suggestNext?: true
  claimNext?: true
}

export function closeCommands(program: Command, bd: BdContext): void {
  program
    .command('close')
    .alias('done')
    .description('close beads')
    .argument('<beads...>')
    .option('-r, --reason <text>', 'reason or result; may be repeated, one for each bead', collect)
    .option('--reason-file <file>', 'read the reason from a file; - for standard input')
    .option('-f, --force', 'include beads that another session works on')
    .option('--continue', 'claim the next step of its molecule')
    .option('--no-auto', 'with --continue, only show the next step')
    .option('--suggest-next', 'show the beads it unblocked')
    .option('--claim-next', 'claim the most urgent ready bead')
    .option('--session <id>', 'accepted: gc knows which session is calling')
    .action(bd.run((ids: string[], options: Close) => close(bd, ids, options)))
  program
    .command('reopen')
    .description('reopen closed beads')
    .argument('<beads...>')
    .option('-r, --reason <text>', 'reason, added as a comment')
    .action(bd.run((ids: string[], options: { reason?: string }) => reopen(bd, ids, options.reason)))
}

const collect = (text: string, before: string[] = []): string[] => [...before, text]

async function close(bd: BdContext, ids: readonly string[], options: Close): Promise<void> {
  const reasons = await reasonsOf(bd, ids, options)
  const follows = options.continue || options.suggestNext
  if (follows && ids.length > 1) throw usageError('--continue and --suggest-next are for one bead: name only one')
  const city = await bd.city()
  const blocked = options.suggestNext ? await blockedBy(bd, ids[0] ?? '') : []
  const done = await bd.forEach(ids, async (id) => {
    const reason = reasons[ids.indexOf(id)]
    await closeOne(city, id, reason).catch(retryWith(options.force, () => closeOne(city, id, reason, true)))
    return bd.get(id)
  })
  const next = done.length > 0 ? await nextOf(bd, done, blocked, options) : {}
  if (bd.print.json) {
    const closed = await bd.issues(done.map(({ id }) => id))
    bd.print.value(Object.keys(next).length > 0 ? { closed, ...next } : closed)
  } else {
    for (const bead of done) {
      const reason = reasons[ids.indexOf(bead.id)]
      bd.print.line(`✓ Closed ${bead.id} — ${sanitizeLine(bead.title)}${reason ? `: ${sanitizeLine(reason)}` : ''}`)
    }
    printNext(bd, next)
  }
  if (done.length < ids.length) throw bd.partialFailure()
}

/** The reason of each bead: the same for all, or one for each. */
async function reasonsOf(bd: BdContext, ids: readonly string[], options: Close): Promise<readonly string[]> {
  const { reason = [], reasonFile } = options
  const given = reasonFile === undefined ? reason : [(await bd.context.readFile(reasonFile)).replace(/\n+$/, '')]
  const [only, ...others] = given
  if (only === undefined) return []
  if (others.length === 0) return ids.map(() => only)
  if (given.length === ids.length) return given
  throw usageError(`${given.length} reasons for ${ids.length} beads: give one for all, or one for each`)
}

/** The consequences of a close, in the field names of `bd`. */
interface Next {
  continue?: Advance | null
  unblocked?: Issue[]
  claimed?: Issue
}

interface Advance {
  closed_step: Issue | undefined
  next_step?: Issue
  auto_advanced: boolean
  molecule_complete: boolean
  molecule_id: string
}

async function nextOf(
  bd: BdContext,
  [closed]: readonly Bead[],
  blocked: readonly string[],
  options: Close,
): Promise<Next> {
  if (!closed) return {}
  if (options.continue) return { continue: await advance(bd, closed, options.auto) }
  if (options.suggestNext) {
    const { items } = await (await bd.city()).call('GET ~/beads/ready')
    const ready = new Set(items.map(({ id }) => id))
    return {
      unblocked: await bareIssues(
        bd,
        blocked.filter((id) => ready.has(id)),
      ),
    }
  }
  const claimed = options.claimNext ? await claimFirst(bd) : undefined
  return claimed ? { claimed } : {}
}

/** The beads that wait for one. */
async function blockedBy(bd: BdContext, id: string): Promise<string[]> {
  const { dependents } = await bd.dependencies(id)
  return dependents.filter(({ type }) => GATING.has(type)).map((relation) => relation.id)
}

/** Claims the next step of the molecule that a closed step belongs to; null when it belongs to none. */
async function advance(bd: BdContext, closed: Bead, claims: boolean): Promise<Advance | null> {
  const root = await rootOf(closed, (id) => bd.find(id))
  const molecule = root === undefined || root === closed.id ? undefined : await loadMolecule(bd, root)
  if (!molecule) return null
  const [closed_step] = await bareIssues(bd, [closed.id])
  const { molecule_id, completed, total, steps } = molecule
  const known = { closed_step, molecule_id, molecule_complete: completed >= total }
  const ready = steps.filter(({ status }) => status === 'ready').map(({ issue }) => issue)
  for (const { id } of claims && mayClaim(bd) ? ready : []) {
    if (!(await claim(bd, id))) continue
    const [next] = await bareIssues(bd, [id])
    return { ...known, ...(next && { next_step: next }), auto_advanced: true }
  }
  return { ...known, ...(ready[0] && { next_step: ready[0] }), auto_advanced: false }
}

/** Claims a bead; false when somebody else was faster. */
export async function claim(bd: BdContext, id: string): Promise<boolean> {
  try {
    await (await bd.city()).call('POST ~/bead/{id}/claim', { params: { id } })
    return true
  } catch (error) {
    if (error instanceof ApiError && error.status === 409) return false
    throw error
  }
}

/** Only sessions claim work: for a person the next step is shown, and no one's. */
const mayClaim = ({ context: { io } }: BdContext): boolean => Boolean(io.env.GC_TOKEN && io.env.GC_SESSION_ID)

async function claimFirst(bd: BdContext): Promise<Issue | undefined> {
  if (!mayClaim(bd)) return undefined
  const { items } = await (await bd.city()).call('GET ~/beads/ready')
  for (const { id, assignee } of items) {
    if (assignee || !(await claim(bd, id))) continue
    return (await bareIssues(bd, [id]))[0]
  }
  return undefined
}

function printNext({ print }: BdContext, next: Next): void {
  const shown = (issue: Issue) => sanitizeLine(`${issue.id}: ${issue.title}`)
  for (const issue of next.unblocked ?? []) print.line(`No longer blocked: ${shown(issue)}`)
  if (next.claimed) print.line(`✓ Claimed ${shown(next.claimed)}`)
  if (next.continue === null) print.line('It belongs to no molecule.')
  if (!next.continue) return
  const { next_step: step, auto_advanced: isClaimed, molecule_complete: isOver, molecule_id: id } = next.continue
  if (isOver) print.line(`✓ ${id} is complete`)
  else if (step) print.line(`${isClaimed ? '✓ Claimed the next step' : 'Next step'} ${shown(step)}`)
  else print.line(`No step of ${id} is ready.`)
}

async function reopen(bd: BdContext, ids: readonly string[], reason: string | undefined): Promise<void> {
  const city = await bd.city()
  const done = await bd.forEach(ids, async (id) => {
    await city.call('POST ~/bead/{id}/reopen', { params: { id } })
    if (reason) await city.call('POST ~/bead/{id}/comments', { params: { id }, body: { text: `Reopened: ${reason}` } })
    return bd.get(id)
  })
  if (bd.print.json) await bd.printList(done)
  else for (const bead of done) bd.print.line(`↻ Reopened ${bead.id} — ${sanitizeLine(bead.title)}`)
  if (done.length < ids.length) throw bd.partialFailure()
}

/** Closes a bead; `force` takes it from another session, which not every session may. */
async function closeOne(city: CityClient, id: string, reason: string | undefined, force?: true): Promise<void> {
  const call = { params: { id }, query: { ...(force && { force }) } }
  const body = { status: 'closed', metadata: { close_reason: reason ?? '' } }
  if (reason) await city.call('PATCH ~/bead/{id}', { ...call, body })
  else await city.call('POST ~/bead/{id}/close', call)
}

/** With `--force`, does what another session's claim prevents. Nothing else needs force: a blocked bead may be closed. */
const retryWith = (force: true | undefined, again: () => Promise<void>) => (error: unknown) => {
  if (!force || !(error instanceof ApiError) || error.status !== 409) throw error
  return again()
}
