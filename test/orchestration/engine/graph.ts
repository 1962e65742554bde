import type { Bead } from '../../../src/work/beads/schema.ts'
import { human, openWork, type Work } from '../../work/world.ts'

type Metadata = Readonly<Record<string, string>>

/** A step of a graph that is written by hand. */
export interface StepDraft {
  needs?: readonly string[]
  type?: string
  title?: string
  description?: string
  metadata?: Metadata
}

export type Beads = Readonly<Record<string, string>>

/** Writes the graph of a run as gc writes it: its steps, the finalizer that waits for the sinks, and its row. */
export function startRun(work: Work, formula: string, steps: Readonly<Record<string, StepDraft>>, sinks: string[]) {
  const { store, beadRepository: beads, runRepository: runs } = work
  return store.write((tx): Beads => {
    const ids: Record<string, string> = {}
    const root = beads.add(tx, {
      title: formula,
      ref: formula,
      status: 'in_progress',
      metadata: {
        'gc.kind': 'workflow',
        'gc.formula_contract': 'graph.v2',
        'gc.formula_name': formula,
        'gc.routed_to': 'clerk',
        'gc.root_store_ref': 'city:city',
      },
    })
    ids.root = root.id
    const all = { ...steps, 'workflow-finalize': { needs: sinks, metadata: { 'gc.kind': 'workflow-finalize' } } }
    for (const [name, step] of Object.entries<StepDraft>(all)) {
      const { needs = [], metadata = {}, title = name, type = 'task', description } = step
      ids[name] = beads.add(tx, {
        ...{ title, type, description, ref: `${formula}.${name}`, needs: needs.map((need) => ids[need] ?? need) },
        metadata: {
          'gc.root_bead_id': root.id,
          'gc.step_ref': `${formula}.${name}`,
          'gc.routed_to': 'clerk',
          ...metadata,
        },
      }).id
    }
    beads.depend(tx, root.id, [ids['workflow-finalize'] ?? ''])
    runs.add(tx, {
      ...{ root: root.id, formula, contract: 'v2', origin: 'sling', target: 'clerk' },
      scope: { kind: 'city', ref: work.name },
    })
    return ids
  })
}

/** Closes a step as its worker does. */
export async function close(work: Work, id: string | undefined, outcome = 'pass', more: Metadata = {}): Promise<void> {
  await work.beads.update(human, id ?? '', { status: 'closed', metadata: { 'gc.outcome': outcome, ...more } })
  await work.settled()
}

/** The outcome of a closed bead; else its status. */
export function outcomeOf(bead: Bead): string {
  return bead.status === 'closed' ? `closed ${bead.metadata?.['gc.outcome'] ?? ''}`.trim() : bead.status
}

/** How each step of a run stands, by the last parts of its reference. */
export function standing(work: Work, beads: Beads): Record<string, string> {
  const { root = '' } = beads
  const members = [...work.runMembers.of(root)].map((bead) => [bead.ref?.replace(/^[^.]+\./, ''), outcomeOf(bead)])
  return Object.fromEntries([['root', outcomeOf(work.beadRepository.get(root))], ...members])
}

/** A city in which runs are made. */
export const openRuns = () => openWork()
