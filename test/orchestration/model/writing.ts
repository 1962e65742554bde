import type { FormulaText } from './grammar.ts'
import type { Graph, Kind, Node } from './node.ts'
import { aboutOf, type Step, writeOut } from './rounds.ts'

/** Place of steps. */
export interface Place {
  prefix: string
  /** Blockers of the first of them. */
  needs: string[]
  owner?: string
  /** The body of the scope that a round is. */
  scope?: string
}

/** Form of a formula's steps in the graph of a run. */
export class Writing {
  constructor(
    private readonly graph: Graph,
    private readonly vars: Readonly<Record<string, string>> = {},
  ) {}

  /** The whole of a formula, and its end. */
  formula({ formula, steps = [] }: FormulaText): void {
    this.steps(steps, { prefix: `${formula}.`, needs: [] })
    const bodies = this.graph.all().filter(({ kind, step }) => kind === 'scope' && step === undefined)
    const needs = [...new Set([...this.graph.sinks(), ...bodies.map(({ ref }) => ref)])]
    this.graph.add({ ref: `${formula}.workflow-finalize`, kind: 'finalize', needs })
  }

  /** Writes steps; what a scope of them waits for. */
  steps(written: readonly Step[], place: Place): string[] {
    const { steps, ends } = writeOut(written, this.vars)
    const ids = new Set(steps.map(({ id }) => id))
    const refsOf = (id: string): string[] =>
      (ends.get(id) ?? [id]).filter((end) => ids.has(end)).map((end) => place.prefix + end)
    const scopeOf = ({ metadata = {} }: Step) =>
      place.scope ?? (metadata['gc.scope_role'] === 'member' ? place.prefix + metadata['gc.scope_ref'] : undefined)
    const members = new Set(steps.filter((step) => scopeOf(step) !== undefined).map(({ id }) => place.prefix + id))
    const guarded = new Set(steps.filter((step) => step.block_on_failure).map(({ id }) => place.prefix + id))
    const lastOf = (ref: string) => `${ref}${members.has(ref) ? '-scope-check' : guarded.has(ref) ? '-guard' : ''}`
    for (const step of steps) {
      const own = [...(step.needs ?? []), ...aboutOf(step.condition)].flatMap(refsOf)
      const needs = own.length > 0 ? own.map(lastOf) : [...place.needs]
      this.#step(step, place, needs, scopeOf(step))
    }
    return steps.flatMap(({ id, on_complete }) => [
      `${place.prefix}${id}${place.scope === undefined ? '' : '-scope-check'}`,
      ...(on_complete ? [`${place.prefix}${id}-fanout`] : []),
    ])
  }

  /** The next attempt at a step, or its next round. */
  attempt(node: Node, needs: string[]): void {
    const { ref, step } = node
    const attempt = `${ref}.${step?.retry ? 'attempt' : 'iteration'}.${++node.begun}`
    node.needs.push(attempt)
    const body = this.graph.add({ ref: attempt, kind: step?.children ? 'scope' : 'work', needs, owner: ref, step })
    const place = { prefix: `${attempt}.`, needs, owner: ref, scope: attempt }
    if (step?.children) body.needs = this.steps(step.children, place)
  }

  #step(step: Step, { prefix, owner }: Place, before: string[], scope: string | undefined): void {
    const { graph } = this
    const ref = prefix + step.id
    const needs = aboutOf(step.condition).length > 0 ? [`${ref}-condition`] : before
    if (needs !== before) graph.add({ ref: `${ref}-condition`, kind: 'condition', needs: before, owner: ref, step })
    const aborts = scope !== undefined && (owner !== undefined || step.metadata?.['gc.on_fail'] === 'abort_scope')
    const isBody = step.metadata?.['gc.scope_role'] === 'body'
    const node = graph.add({ ref, kind: kindOf(step), needs, owner, scope, aborts, ...(!isBody && { step }) })
    if (step.gate) {
      const round = /^.*\.iter\d+\./.exec(step.id)?.[0] ?? ''
      const gate = `${prefix}${round}gate-${step.id.slice(round.length)}`
      node.needs.push(graph.add({ ref: gate, kind: 'gate', needs: [], owner: ref }).ref)
    }
    const inside = { prefix: `${ref}.`, needs: [...node.needs], owner: ref }
    if (node.kind === 'parent') node.needs.push(...this.steps(step.children ?? [], inside))
    if (step.retry || step.check) {
      graph.add({ ref: `${ref}.spec`, kind: 'spec', needs: [] })
      this.attempt(node, [...needs])
    }
    if (step.block_on_failure) graph.add({ ref: `${ref}-guard`, kind: 'guard', needs: [ref] })
    if (scope !== undefined)
      graph.add({ ref: `${ref}-scope-check`, kind: 'scope-check', needs: [ref], owner: ref, scope })
    if (step.on_complete) graph.add({ ref: `${ref}-fanout`, kind: 'fanout', needs: [ref], owner: ref, step })
  }
}

function kindOf(step: Step): Kind {
  if (step.drain) return 'drain'
  if (step.retry) return 'retry'
  if (step.until !== undefined) return 'until'
  if (step.check) return 'check'
  if (step.metadata?.['gc.scope_role'] === 'body') return 'scope'
  return step.children ? 'parent' : 'work'
}
