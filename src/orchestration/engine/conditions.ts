import type { BeadRepository } from '../../work/beads/repository.ts'
import type { Bead } from '../../work/beads/schema.ts'
import { EngineKey, ResultKey, WorkflowKey } from '../../work/metadata.ts'
import { evaluate, parseStateCondition, type StepState } from '../formulas/conditions.ts'
import type { RunMembers } from '../runs/members.ts'
import { metadataValue } from '../runs/node.ts'
import { type Attempts, goOn } from './attempts.ts'
import { type ControlStep, malformed } from './control.ts'
import type { Graph } from './graph.ts'
import { hasFailed, results } from './outcome.ts'
import { parseJson } from './output.ts'
import { skip } from './skip.ts'

interface ConditionOptions {
  beads: BeadRepository
  graph: Graph
  members: RunMembers
}

/** Ends a loop once its condition holds for the round that is over, or begins the next. */
export function decideRound(options: ConditionOptions & { attempts: Attempts }, step: ControlStep): void {
  const { graph, attempts } = options
  const { attempt, number } = attempts.latest(step.bead)
  const scope = metadataValue(attempt, WorkflowKey.stepRef)
  const suffix = `.iteration.${number}.${metadataValue(step.bead, EngineKey.conditionStep)}`
  const about = graph.scopeMembers(step.root.id, scope).find(({ ref = '' }) => ref.endsWith(suffix))
  if (!hasFailed(attempt) && about && holds(step.bead, about)) {
    const entry = { action: 'close', attempt: String(number), outcome: 'pass' } as const
    attempts.end(step, entry, { ...results(about), [ResultKey.outcome]: 'pass' })
  } else goOn(attempts, step, number, `${metadataValue(step.bead, EngineKey.condition)} does not hold`)
}

/** Lets the step behind a condition begin, or skips it with all that is made of it. */
export function decideStep({ beads, graph, members }: ConditionOptions, { tx, bead, root }: ControlStep): void {
  const reference = metadataValue(bead, EngineKey.conditionStep)
  const isAbout = ({ ref }: Bead) => ref === reference
  const about = graph.blockers(bead.id).find(isAbout) ?? [...members.of(root.id)].find(isAbout)
  if (!about) throw malformed(`${bead.id} is about the step ${reference}, and the run has none of that name`)
  if (!holds(bead, about)) for (const step of conditional(beads, bead)) skip({ beads, graph }, tx, step)
  beads.closeWith(tx, bead.id, { [ResultKey.outcome]: 'pass' })
}

/** The step that a condition is before. */
const conditional = (beads: BeadRepository, { id, ref = '' }: Bead): Bead[] =>
  beads
    .list(beads.dependentsOf(id).map(({ issue_id }) => issue_id))
    .filter((step) => step.ref === ref.replace(/-condition$/, ''))

function holds(control: Bead, about: Bead): boolean {
  const written = metadataValue(control, EngineKey.condition)
  const condition = parseStateCondition(written)
  if (!condition) throw malformed(`gc.condition of ${control.id} cannot be evaluated: ${written}`)
  return evaluate(condition, () => stateOf(about))
}

function stateOf(bead: Bead): StepState {
  const outcome = metadataValue(bead, ResultKey.outcome)
  const output = parseJson(metadataValue(bead, ResultKey.outputJson))
  return {
    status: bead.status === 'closed' ? 'complete' : bead.status,
    ...(outcome && { outcome }),
    ...(output && { output: output.value }),
  }
}

/** Lets what needs a step go on, unless the step failed: then a person decides. */
export function guardStep({ beads, graph }: ConditionOptions, { tx, bead }: ControlStep): 'waits' | 'passed' {
  if (graph.blockers(bead.id).some(hasFailed)) return 'waits'
  beads.closeWith(tx, bead.id, { [ResultKey.outcome]: 'pass' })
  return 'passed'
}
