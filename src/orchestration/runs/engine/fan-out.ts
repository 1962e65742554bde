import type { Bead, BeadRepository } from '../../../work/beads/index.ts'
import { EngineKey, ResultKey, WorkflowKey } from '../../../work/metadata.ts'
import { expandFragment, type Fragment, type Recipe } from '../../formulas/index.ts'
import { metadataValue } from '../node.ts'
import { type ControlStep, malformed } from './control.ts'
import type { FragmentWriter } from './fragment-writer.ts'
import type { Graph } from './graph.ts'
import { hasFailed, isSkipped } from './outcome.ts'
import { parseJson } from './output.ts'

export interface FanOutOptions {
  beads: BeadRepository
  graph: Graph
  writer: FragmentWriter
  recipeOf(root: string): Recipe | undefined
}

/** Maximum items whose steps one write creates. */
const SLICE = 20
/** The most items that one step may fan out into. */
const MAX_ITEMS = 10_000

/**
 * Runs a formula for each item of a step's output: all of them together, or one after the other. Steps are made in
 * slices; the count that is stored with each brings the control back for the next.
 */
export function fanOut(options: FanOutOptions, step: ControlStep): void {
  const { bead } = step
  const state = metadataValue(bead, EngineKey.fanoutState)
  const source = sourceOf(options, bead)
  if (state === '' && (hasFailed(source) || isSkipped(source))) {
    options.beads.closeWith(step.tx, bead.id, { [ResultKey.outcome]: isSkipped(source) ? 'skipped' : 'fail' })
    return
  }
  const items = itemsOf(bead, source)
  const spawned = Number(metadataValue(bead, EngineKey.spawnedCount) || '0')
  if (state === 'spawned' || items.length === 0) {
    endFanOut(options, step, source, items.length)
    return
  }
  const isSequential = metadataValue(bead, EngineKey.fanoutMode) === 'sequential'
  spawn(options, step, { source, items, from: spawned, count: isSequential ? 1 : SLICE })
}

function endFanOut({ beads, graph }: FanOutOptions, { tx, bead }: ControlStep, source: Bead, count: number): void {
  const failed = count > 0 && graph.hasFailedBlocker(bead.id, source.id)
  beads.closeWith(tx, bead.id, { [ResultKey.outcome]: failed ? 'fail' : 'pass' })
}

interface Slice {
  source: Bead
  items: readonly unknown[]
  from: number
  count: number
}

function spawn(options: FanOutOptions, { tx, bead, root }: ControlStep, { source, items, from, count }: Slice): void {
  const recipe = options.recipeOf(root.id)
  if (!recipe) throw malformed(`run ${root.id} has no recipe that says what ${metadataValue(bead, EngineKey.bond)} is`)
  const end = Math.min(from + count, items.length)
  const fragments = items.slice(from, end).map((item, offset) => expand(recipe, bead, source, item, from + offset))
  const metadata = { [EngineKey.dynamicFragment]: 'true', [WorkflowKey.stepId]: source.ref ?? '' }
  const sinks = fragments.flatMap((fragment) =>
    options.writer.write(tx, { root, control: bead, fragment, metadata, continues: source }),
  )
  const state = end === items.length ? 'spawned' : 'spawning'
  options.beads.change(tx, bead.id, {
    metadata: { [EngineKey.fanoutState]: state, [EngineKey.spawnedCount]: String(end) },
  })
  options.beads.depend(tx, bead.id, sinks)
}

/** The step whose output is fanned out: the control waits for it, and for what was made of its items. */
function sourceOf({ graph }: FanOutOptions, bead: Bead): Bead {
  const source = graph.writtenBlocker(bead.id)
  if (source) return source
  throw malformed(`${bead.id} waits for no step whose output it fans out`)
}

function itemsOf(bead: Bead, source: Bead): readonly unknown[] {
  const output = parseJson(metadataValue(source, ResultKey.outputJson))
  if (!output) throw malformed(`gc.output_json of ${source.id} is missing or no JSON`)
  const path = metadataValue(bead, EngineKey.forEach)
  const items = path
    .split('.')
    .slice(1)
    .reduce(
      (value: unknown, key) => (hasFields(value) && Object.hasOwn(value, key) ? value[key] : undefined),
      output.value,
    )
  if (!Array.isArray(items)) throw malformed(`${path} of ${source.id} is not a list`)
  if (items.length > MAX_ITEMS) {
    throw malformed(`${path} of ${source.id} has ${items.length} items: a step fans out into ${MAX_ITEMS} at most`)
  }
  return items
}

const hasFields = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null

function expand(recipe: Recipe, bead: Bead, source: Bead, item: unknown, index: number): Fragment {
  const bond = metadataValue(bead, EngineKey.bond)
  const vars = parseJson(metadataValue(bead, EngineKey.bondVars) || '{}')?.value
  const expanded = expandFragment(recipe, {
    ...{ bond, sourceRef: source.ref ?? '', title: source.title, description: source.description ?? '' },
    ...{ vars: stringsOf(vars), item, index, before: Number(metadataValue(bead, EngineKey.restartedAfter) || '0') },
  })
  if ('value' in expanded) return expanded.value
  throw malformed(`item ${index + 1} of ${bead.id}: ${expanded.errors.join('; ')}`)
}

const stringsOf = (value: unknown): Record<string, string> =>
  hasFields(value) ? Object.fromEntries(Object.entries(value).map(([key, text]) => [key, String(text)])) : {}

/** True if a fan-out has not made the steps of all items yet. */
export const isSpawning = (bead: Bead): boolean => metadataValue(bead, EngineKey.fanoutState) === 'spawning'
