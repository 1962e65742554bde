import type { StepText } from './grammar.ts'
import type { Node } from './node.ts'

/** A step as it is when its formula is written out: a loop until a condition holds is a check with that as its verdict. */
export interface Step extends StepText {
  until?: string
}

type Variables = Readonly<Record<string, string>>

/** Steps without those that are left out, with every round of a loop; and the ids that stand for a loop from then on. */
export function writeOut(written: readonly Step[], vars: Variables): { steps: Step[]; ends: Map<string, string[]> } {
  const ends = new Map<string, string[]>()
  const steps = included(written, vars).flatMap((step) => {
    if (!step.loop) return [step]
    if (step.loop.until !== undefined) return [untilOf(step, step.loop.until, vars)]
    const rounds = roundsOf(step, vars)
    ends.set(step.id, rounds.at(-1)?.ends ?? [])
    return rounds.flatMap(({ steps: own }) => own)
  })
  return { steps, ends }
}

/** The step `step` of its condition is the last of its body. */
function untilOf({ loop, ...step }: Step, until: string, vars: Variables): Step {
  const children = loop?.body ?? []
  const check = { max_attempts: loop?.max ?? 1, check: { path: '' } }
  const last = writeOut(children, vars).steps.at(-1)
  return { ...step, check, children, until: until.replace(/^step\./, `${last?.id}.`) }
}

/** The rounds of a loop: the first steps of each wait for the last of the one before. */
function roundsOf(step: Step, vars: Variables): { steps: Step[]; ends: string[] }[] {
  const { count = 0, range = `1..${count}`, body = [] } = step.loop ?? {}
  const [first = 1, last = 0] = range.split('..').map(Number)
  const kept = included(body, vars)
  const awaited = new Set(kept.flatMap(({ needs = [] }) => needs))
  let before = step.needs ?? []
  return Array.from({ length: last - first + 1 }, (_, index) => {
    const round = `${step.id}.iter${index + 1}.`
    const steps = kept.map((each) => {
      const own = (each.needs ?? []).filter((id) => kept.some((other) => other.id === id)).map((id) => round + id)
      return { ...each, id: round + each.id, needs: own.length > 0 ? own : before }
    })
    before = kept.filter(({ id }) => !awaited.has(id)).map(({ id }) => round + id)
    return { steps, ends: before }
  })
}

const included = (steps: readonly Step[], vars: Variables): Step[] =>
  steps.filter(({ condition }) => holds(condition, vars))

const ABOUT_STEP = /^(\S+)\.(output\.count|outcome|status) (==|!=|>) '(\w+)'$/

/** The step that has to stand as a condition says. */
export const aboutOf = (condition = ''): string[] => ABOUT_STEP.exec(condition)?.slice(1, 2) ?? []

export function stepHolds(condition = '', nodeOf: (id: string) => Node): boolean {
  const [, id = '', field, operator, value = ''] = ABOUT_STEP.exec(condition) ?? []
  const { outcome = '', report: { items = '' } = {} } = nodeOf(id)
  const states = { outcome, status: 'complete', 'output.count': items === 'broken' ? '' : String(items) }
  const actual = new Map(Object.entries(states)).get(field ?? '') ?? ''
  if (operator === '>') return actual !== '' && Number(actual) > Number(value)
  return (actual === value) === (operator === '==')
}

function holds(condition = '', vars: Variables = {}): boolean {
  const [, not, name = '', operator, value] = /^(!?)\{\{(\w+)\}\}(?: (==|!=) (\w+))?$/.exec(condition) ?? []
  if (name === '') return true
  const actual = vars[name] ?? ''
  if (operator) return (actual === value) === (operator === '==')
  return ['', 'false', '0', 'no', 'off'].includes(actual.toLowerCase()) === (not === '!')
}
