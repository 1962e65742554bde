import { compile } from '../../../src/orchestration/formulas/compile.ts'
import type { Recipe } from '../../../src/orchestration/formulas/recipe.ts'
import { substitute } from '../../../src/orchestration/formulas/substitute.ts'
import type { Bead } from '../../../src/work/schema.ts'
import { human, openWork, type Work } from '../../work/world.ts'
import { formulaFiles } from '../formulas/files.ts'

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

/** Compiles a formula, with others that it names. */
export function recipeFor(name: string, formulas: Readonly<Record<string, string>>): Recipe {
  const compiled = compile(formulaFiles({ ...formulas }), name)
  if (!('recipe' in compiled)) throw new Error(JSON.stringify(compiled.errors))
  const substituted = substitute(compiled.recipe)
  if (!('value' in substituted)) throw new Error(substituted.errors.join('; '))
  return substituted.value
}

/** Writer of runs. */
type RunWriter = Pick<Work, 'name' | 'store' | 'beadRepository' | 'runRepository'>

/** Starts a run of a recipe in one write; the ids of its beads by their recipe ids without the formula. */
export function startRecipe(work: RunWriter, recipe: Recipe): Promise<Beads> {
  const { store, beadRepository: beads, runRepository: runs } = work
  const { formula } = recipe
  const needs = Map.groupBy(recipe.deps, ({ to }) => to)
  return store.write((tx): Beads => {
    const root = beads.add(tx, {
      ...{ title: recipe.root.title, ref: formula, status: 'in_progress' },
      metadata: { ...recipe.root.metadata, 'gc.routed_to': 'clerk', 'gc.root_store_ref': `city:${work.name}` },
    })
    const ids = new Map([[formula, root.id]])
    for (const step of recipe.steps) {
      const { id, title, type, description, labels } = step
      const edges = (needs.get(id) ?? []).map(({ from, kind }) => `${kind}:${ids.get(from)}`)
      const route = { 'gc.routed_to': 'clerk', 'gc.execution_routed_to': 'clerk' }
      const own = { 'gc.step_ref': id, ...step.metadata, 'gc.root_bead_id': root.id, ...(type !== 'spec' && route) }
      ids.set(id, beads.add(tx, { title, type, description, labels, ref: id, needs: edges, metadata: own }).id)
    }
    beads.depend(tx, root.id, [ids.get(`${formula}.workflow-finalize`) ?? ''])
    const scope = { kind: 'city', ref: work.name }
    runs.add(tx, { root: root.id, formula, contract: 'v2', origin: 'sling', target: 'clerk', scope, recipe })
    const named = [...ids].map(([ref, id]) => [ref === formula ? 'root' : ref.slice(formula.length + 1), id])
    return Object.fromEntries(named)
  })
}

/** The bead of a run with this reference, without the formula. */
export function stepOf(work: Work, beads: Beads, reference: string): Bead {
  const found = [...work.runMembers.of(beads.root ?? '')].find(({ ref }) => ref?.replace(/^[^.]+\./, '') === reference)
  if (!found) throw new Error(`there is no step ${reference}`)
  return found
}

/** Closes a step as its worker does. */
export async function close(
  work: Pick<Work, 'beads' | 'settled'>,
  id: string | undefined,
  outcome = 'pass',
  more: Metadata = {},
): Promise<void> {
  await work.beads.update(human, id ?? '', { status: 'closed', metadata: { 'gc.outcome': outcome, ...more } })
  await work.settled()
}

/** The outcome of a closed bead; else its status. */
export function outcomeOf(bead: Bead): string {
  return bead.status === 'closed' ? `closed ${bead.metadata?.['gc.outcome'] ?? ''}`.trim() : bead.status
}

/** State of each step of a run, by the last parts of its reference. */
export function standing(work: Pick<Work, 'runMembers' | 'beadRepository'>, beads: Beads): Record<string, string> {
  const { root = '' } = beads
  const members = [...work.runMembers.of(root)].map((bead) => [bead.ref?.replace(/^[^.]+\./, ''), outcomeOf(bead)])
  return Object.fromEntries([['root', outcomeOf(work.beadRepository.get(root))], ...members])
}

/** A city in which runs are made. */
export const openRuns = () => openWork()
