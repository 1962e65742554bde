import type { Bead } from '../../src/work/beads/index.ts'
import { readItems } from '../context/pages.ts'
import type { BdContext } from './context.ts'
import { type Issue, toBare } from './issue.ts'

/** Status of a step. */
type StepStatus = 'done' | 'current' | 'ready' | 'blocked' | 'pending'

interface Step {
  issue: Issue
  status: StepStatus
  is_current: boolean
}

/** Progress of a molecule, in the field names of `bd mol current`. */
export interface MoleculeProgress {
  molecule_id: string
  molecule_title: string
  assignee?: string
  current_step?: Issue
  next_step?: Issue
  steps: Step[]
  completed: number
  total: number
}

/** A bead and everything that belongs to it, oldest first. */
export async function membersOf(bd: BdContext, id: string): Promise<Bead[]> {
  const city = await bd.city()
  const call = (cursor: string | undefined) =>
    city.call('GET ~/beads/graph/{rootID}/beads', { params: { rootID: id }, query: { limit: 1000, cursor } })
  return readItems(call)
}

/** The beads right below one, closed ones as well, oldest first; none when there is no such bead. */
export async function childrenOf(bd: BdContext, id: string): Promise<Bead[]> {
  if ((await bd.find(id)) === undefined) return []
  return (await membersOf(bd, id)).filter(({ parent }) => parent === id)
}

/** Beads without what only lists have. */
export const bareIssues = async (bd: BdContext, ids: readonly string[]): Promise<Issue[]> =>
  (await bd.issues(ids)).map(toBare)

/** Loads the progress of a molecule. */
export async function loadMolecule(bd: BdContext, id: string): Promise<MoleculeProgress> {
  const members = await membersOf(bd, id)
  const issues = await bareIssues(
    bd,
    members.map((bead) => bead.id),
  )
  return progressOf(await bd.get(id), members, issues)
}

/** The progress of a molecule, from its root and all its members, each of which has an issue. */
function progressOf(root: Bead, members: readonly Bead[], issues: readonly Issue[]): MoleculeProgress {
  const issueOf = new Map(issues.map((issue) => [issue.id, issue]))
  const steps = inOrder(members.filter(({ id }) => id !== root.id)).flatMap((bead) => {
    const status = statusOf(bead)
    const issue = issueOf.get(bead.id)
    return issue ? [{ issue, status, is_current: status === 'current' }] : []
  })
  const first = (status: StepStatus) => steps.find((step) => step.status === status)?.issue
  const [current, next] = [first('current'), first('ready')]
  return {
    molecule_id: root.id,
    molecule_title: root.title,
    ...(root.assignee && { assignee: root.assignee }),
    ...(current && { current_step: current }),
    ...(next && { next_step: next }),
    steps,
    completed: steps.filter(({ status }) => status === 'done').length,
    total: steps.length,
  }
}

function statusOf({ status, is_blocked, defer_until }: Bead): StepStatus {
  if (status === 'closed') return 'done'
  if (status === 'in_progress') return 'current'
  if (status === 'blocked' || is_blocked) return 'blocked'
  return defer_until === undefined || Date.parse(defer_until) <= Date.now() ? 'ready' : 'pending'
}

/** Each step after those it depends on, otherwise as they were created. */
function inOrder(steps: readonly Bead[]): Bead[] {
  const byId = new Map(steps.map((bead) => [bead.id, bead]))
  const sorted = new Set<Bead>()
  const begun = new Set<Bead>()
  const visit = (bead: Bead) => {
    if (begun.has(bead)) return
    begun.add(bead)
    for (const { depends_on_id: id } of bead.dependencies ?? []) {
      const needed = byId.get(id)
      if (needed) visit(needed)
    }
    sorted.add(bead)
  }
  for (const bead of steps) visit(bead)
  return [...sorted]
}

const MAX_DEPTH = 50

/** The root of the molecule that a bead is a step of, or is itself; undefined for a bead of none. */
export async function rootOf(bead: Bead, find: (id: string) => Promise<Bead | undefined>): Promise<string | undefined> {
  const named = bead.metadata?.['gc.root_bead_id'] ?? bead.metadata?.molecule_id
  if (named) return named
  let root = bead
  for (let depth = 0; root.parent && depth < MAX_DEPTH; depth++) {
    const parent = await find(root.parent)
    if (!parent) break
    root = parent
  }
  const isMolecule = root.id !== bead.id || ['epic', 'molecule'].includes(bead.issue_type)
  return isMolecule ? root.id : undefined
}
