import type { Tx } from '../../../core/store/index.ts'
import { type Bead, type BeadRepository, isControl } from '../../../work/beads/index.ts'
import { EngineKey, WorkflowKey, WorkKey } from '../../../work/metadata.ts'
import { type Fragment, type RecipeDependency, type RecipeStep, stepIdOf } from '../../formulas/index.ts'
import { metadataValue } from '../node.ts'

/** Steps to add to a run while it continues, for a control of it. */
export interface FragmentDraft {
  root: Bead
  control: Bead
  fragment: Fragment
  /** Further context for the first of them. */
  context?: string | undefined
  /** Keys that every one of them has. */
  metadata?: Readonly<Record<string, string>> | undefined
  /** The step that they continue from, in the same session. */
  continues?: Bead | undefined
}

/** The agent that a step which names one is for; `rig` is that of its run. */
export type ResolveTarget = (name: string, rig: string) => string

/** Writes steps that are added to a run while it continues. */
export class FragmentWriter {
  constructor(
    private readonly beads: BeadRepository,
    private readonly resolveTarget: ResolveTarget,
  ) {}

  /** Returns the ids of the beads that nothing in the fragment waits for. */
  write(tx: Tx, draft: FragmentDraft): string[] {
    const { root, fragment, context, metadata } = draft
    const ids = new Map<string, string>()
    const stepIds = new Map(fragment.steps.map((step) => [step.id, stepIdOf(step)]))
    const needs = Map.groupBy(fragment.deps, ({ to }) => to)
    const rig = this.beads.rigOf(root.id)
    for (const step of fragment.steps) {
      const edges = (needs.get(step.id) ?? []).flatMap(({ from, kind }) => {
        const id = ids.get(from)
        return id === undefined ? [] : [`${kind}:${id}`]
      })
      const isFirst = edges.length === 0
      const { id } = this.beads.add(tx, {
        ...{ title: step.title, type: step.type, priority: step.priority, labels: step.labels, ref: step.id, rig },
        description: describe(step, isFirst && step.spec === undefined ? context : undefined),
        assignee: step.assignee,
        needs: edges,
        metadata: {
          [WorkflowKey.stepRef]: step.id,
          ...step.metadata,
          ...metadata,
          ...this.#route(step, draft, rig),
          [WorkflowKey.stepId]: stepIdOf(step),
          [WorkflowKey.stepDependencies]: JSON.stringify([...new Set(stepsBefore(step.id, needs, stepIds))].sort()),
          [WorkflowKey.rootBeadId]: root.id,
          [EngineKey.rootStoreRef]: metadataValue(root, EngineKey.rootStoreRef),
        },
      })
      ids.set(step.id, id)
    }
    return fragment.sinks.flatMap((sink) => ids.get(sink) ?? [])
  }

  #route(step: RecipeStep, { root, control, continues }: FragmentDraft, rig: string): Record<string, string> {
    const named = step.metadata[EngineKey.runTarget]
    const target = named ? this.resolveTarget(named, rig) : targetOf(control) || targetOf(root)
    if (step.type === 'spec') return {}
    if (isControl(step.kind ?? '')) {
      return { [WorkKey.routedTo]: metadataValue(control, WorkKey.routedTo), [EngineKey.executionRoutedTo]: target }
    }
    if (!continues) return { [WorkKey.routedTo]: target, [EngineKey.executionRoutedTo]: target }
    const kept = [WorkflowKey.continuationGroup, EngineKey.sessionAffinity].flatMap((key) => {
      const value = metadataValue(continues, key)
      return value === '' ? [] : [[key, value]]
    })
    return { [WorkKey.routedTo]: target, ...Object.fromEntries(kept) }
  }
}

type Needs = ReadonlyMap<string, readonly RecipeDependency[]>

/** The ids of the steps that a step waits for; one at the same step stands for what that waits for. */
function stepsBefore(id: string, needs: Needs, stepIds: ReadonlyMap<string, string>): string[] {
  const own = stepIds.get(id)
  return (needs.get(id) ?? []).flatMap(({ from }) => {
    const other = stepIds.get(from)
    if (other === undefined) return []
    return other === own ? stepsBefore(from, needs, stepIds) : [other]
  })
}

/** The agent that a bead's work goes to. */
const targetOf = (bead: Bead): string =>
  metadataValue(bead, EngineKey.executionRoutedTo) || metadataValue(bead, WorkKey.routedTo)

function describe({ description = '', notes = '' }: RecipeStep, context = ''): string | undefined {
  return [description, notes, context].filter((part) => part !== '').join('\n\n') || undefined
}
