import { EngineKey, WorkflowKey } from '../../work/metadata.ts'
import type { Check, Loop, Step } from './formula.ts'

type Text = (text: string) => string

/**
 * A step with every text in it changed, also in its children and in the bodies of its loops. `now` changes what is read
 * while a formula is compiled: conditions, ranges and the names of formulas.
 */
export function mapTexts(step: Step, text: Text, now: Text = text): Step {
  const maybe = (value: string | undefined) => (value === undefined ? undefined : text(value))
  return {
    ...step,
    ...{ id: text(step.id), title: text(step.title), description: maybe(step.description), notes: maybe(step.notes) },
    ...{ tags: step.tags.map(text), metadata: mapValues(step.metadata, text), needs: step.needs.map(text) },
    ...{ conditions: step.conditions.map(now), runCondition: maybe(step.runCondition) },
    children: step.children.map((child) => mapTexts(child, text, now)),
    ...{ assignee: maybe(step.assignee), expandVars: mapValues(step.expandVars, text) },
    expand: step.expand === undefined ? undefined : now(step.expand),
    ...{ loop: step.loop && mapLoop(step.loop, text, now), waitsFor: maybe(step.waitsFor) },
    gate: step.gate && { type: text(step.gate.type), id: maybe(step.gate.id), timeout: maybe(step.gate.timeout) },
    ...{ check: step.check && mapCheck(step.check, text), timeout: maybe(step.timeout) },
    drain: step.drain && { ...step.drain, formula: now(step.drain.formula) },
    onComplete: step.onComplete && {
      ...step.onComplete,
      bond: now(step.onComplete.bond),
      ...(step.onComplete.vars && { vars: mapValues(step.onComplete.vars, text) }),
    },
    specOf: step.specOf && mapTexts(step.specOf, text, now),
  }
}

function mapLoop(loop: Loop, text: Text, now: Text): Loop {
  const { rounds } = loop
  const mapped =
    rounds.kind === 'range'
      ? { ...rounds, range: now(rounds.range) }
      : rounds.kind === 'until'
        ? { ...rounds, condition: text(rounds.condition) }
        : rounds
  return { ...loop, rounds: mapped, body: loop.body.map((step) => mapTexts(step, text, now)) }
}

function mapCheck({ maxAttempts, verdict }: Check, text: Text): Check {
  if (verdict.kind === 'until') return { maxAttempts, verdict: { ...verdict, condition: text(verdict.condition) } }
  const timeout = verdict.timeout === undefined ? undefined : text(verdict.timeout)
  return { maxAttempts, verdict: { ...verdict, path: text(verdict.path), timeout } }
}

export const mapValues = (record: Readonly<Record<string, string>>, text: Text): Record<string, string> =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [key, text(value)]))

/** Metadata that name another step of the same formula. */
const REFERENCES = [WorkflowKey.scopeRef, WorkflowKey.stepRef, EngineKey.controlFor, EngineKey.specFor]

/** A step whose id and references have new names, its children as well; what has none stays. */
export function renameSteps(step: Step, rename: ReadonlyMap<string, string>, prefix?: string): Step {
  const to = (id: string) => rename.get(id) ?? id
  const references = REFERENCES.flatMap((key) => {
    const id = step.metadata[key]
    return id === undefined ? [] : [[key, to(id)] as const]
  })
  return {
    ...step,
    id: to(step.id),
    ...(prefix !== undefined && rename.has(step.id) && { prefix: `${prefix}${step.prefix ?? ''}` }),
    needs: step.needs.map(to),
    ...(references.length > 0 && { metadata: { ...step.metadata, ...Object.fromEntries(references) } }),
    ...(step.waitsFor && { waitsFor: step.waitsFor.replace(/(?<=^children-of\()[^()]+/, to) }),
    ...(step.runCondition && { runCondition: renameCondition(step.runCondition, rename) }),
    children: step.children.map((child) => renameSteps(child, rename, prefix)),
    loop: step.loop && { ...step.loop, body: step.loop.body.map((inner) => renameNeeds(inner, rename)) },
  }
}

/** Renames needs: steps in an inner loop keep their ids and may need steps around the loop. */
const renameNeeds = (step: Step, rename: ReadonlyMap<string, string>): Step => ({
  ...step,
  needs: step.needs.map((id) => rename.get(id) ?? id),
  children: step.children.map((child) => renameNeeds(child, rename)),
  loop: step.loop && { ...step.loop, body: step.loop.body.map((inner) => renameNeeds(inner, rename)) },
})

function renameCondition(condition: string, rename: ReadonlyMap<string, string>): string {
  const [step] = /^[^\s]+?(?=\.(?:status|outcome|output)\b)/.exec(condition.trim()) ?? []
  const renamed = step === undefined ? undefined : rename.get(step)
  return step === undefined || renamed === undefined ? condition : `${renamed}${condition.trim().slice(step.length)}`
}
