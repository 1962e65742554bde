import { AppError, errorMessage } from '../../core/errors.ts'
import type { Bead } from '../../work/beads/schema.ts'
import type { SlingBatch } from './schema.ts'

type Child = SlingBatch['children'][number]

/** How one bead of a convoy is slung: `again` when it was before. */
export type SlingChild = (bead: Bead) => Promise<'routed' | 'again'>

/** Slings the open beads of a convoy one by one; one that cannot be slung hinders no other. */
export async function slingChildren(
  convoy: string,
  target: string,
  children: readonly Bead[],
  sling: SlingChild,
): Promise<SlingBatch> {
  if (!children.some(({ status }) => status === 'open')) {
    throw new AppError('invalid-request', `convoy ${convoy} has no open beads: there is nothing to sling`)
  }
  const results: Child[] = []
  for (const child of children) results.push(await slingChild(child, sling))
  const count = (...outcomes: Child['outcome'][]) => results.filter(({ outcome }) => outcomes.includes(outcome)).length
  return {
    ...{ convoy_id: convoy, target, total: results.length, routed: count('routed'), failed: count('failed') },
    ...{ skipped: count('skipped', 'again'), idempotent: count('again'), children: results },
  }
}

async function slingChild(child: Bead, sling: SlingChild): Promise<Child> {
  const { id: bead, status } = child
  if (status !== 'open') return { bead, outcome: 'skipped', reason: `it is ${status}` }
  try {
    return { bead, outcome: await sling(child) }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return { bead, outcome: 'failed', reason: errorMessage(error) }
  }
}
