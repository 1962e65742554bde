import type { FormulaText, Report, StepText } from './grammar.ts'

/** Numbers from 0 to 1, the same for the same seed. */
export function randomFrom(seed: number): () => number {
  let state = seed | 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** A formula, and those that its fan-outs name. */
export interface Program {
  formula: FormulaText
  bonds: Record<string, FormulaText>
}

const REQUIRES = { formula_compiler: '>=2.0.0', gc_extensions: '>=1.0.0' }
const VARS = { on: 'yes', off: 'no', word: 'x' }
const CONDITIONS = ['{{on}}', '!{{on}}', '{{off}}', '!{{off}}', '{{word}} == x', '{{word}} == y', '{{word}} != x']
const OUTCOMES = ["outcome == 'pass'", "outcome != 'pass'", "outcome == 'fail'", "outcome == 'skipped'"]
const STATES = [...OUTCOMES, "output.count > '1'", "output.count == '2'", "output.count != '0'"]
const ENDINGS = ['', '-x', '_y', '.z', 'é']

/** What kinds of steps there are to draw from: below the first level some make no sense, or too many steps. */
type Kind = 'plain' | 'retry' | 'check' | 'group' | 'parent' | 'fan' | 'gate' | 'loop'
const PLACES: Readonly<Record<'top' | 'group' | 'part' | 'deep' | 'template', readonly Kind[]>> = {
  top: ['plain', 'plain', 'retry', 'check', 'group', 'parent', 'fan', 'gate', 'loop'],
  group: ['plain', 'plain', 'retry', 'check', 'group', 'parent', 'fan', 'gate', 'loop'],
  part: ['plain', 'plain', 'retry', 'check', 'fan', 'gate'],
  deep: ['plain', 'retry', 'check'],
  template: ['plain', 'plain', 'retry', 'check'],
}

/** Draws formulas. */
export class Drawing {
  readonly #random: () => number
  readonly #bonds: Record<string, FormulaText> = {}
  #count = 0

  constructor(
    seed: number,
    private readonly name: string,
  ) {
    this.#random = randomFrom(seed)
  }

  program(): Program {
    const steps = this.#steps(1 + this.#below(6), 'top')
    if (this.#chance(0.3)) steps.push(...this.#scope(steps))
    const formula = { formula: this.name, requires: REQUIRES, vars: VARS, steps }
    return { formula, bonds: this.#bonds }
  }

  #steps(count: number, place: keyof typeof PLACES, prefix = ''): StepText[] {
    const steps: StepText[] = []
    for (let at = 0; at < count; at++) {
      const step = this.#step(place, prefix)
      const needs = steps.filter(() => this.#chance(0.35)).map(({ id }) => id)
      // The first step is always there: a formula without any cannot be run.
      const condition = at > 0 && this.#chance(0.15) ? { condition: this.#pick(CONDITIONS) } : {}
      const written = { ...step, ...(needs.length > 0 && { needs }), ...condition }
      steps.push(place === 'top' ? this.#extended(written, steps) : written)
    }
    return steps
  }

  /** With what only formulas that ask for the extensions may say. */
  #extended(step: StepText, others: readonly StepText[]): StepText {
    if (step.loop || (step.children && !step.check)) return step
    const blocking = this.#chance(0.15) && { block_on_failure: true }
    const about = others.find(
      ({ id, condition, loop }) => step.needs?.includes(id) && condition === undefined && loop === undefined,
    )
    if (!about || !this.#chance(0.3)) return { ...step, ...blocking }
    const isWork = !about.retry && !about.check && !about.children
    const condition = `${about.id}.${this.#pick(isWork ? STATES : OUTCOMES)}`
    return { ...step, ...blocking, condition }
  }

  #step(place: keyof typeof PLACES, prefix: string): StepText {
    const id = `${prefix}s${++this.#count}${this.#pick(ENDINGS)}`
    const step = { id, title: `Do ${id.replace(/[{}]/g, '')}` }
    const check = { max_attempts: 1 + this.#below(3), check: { path: 'check.sh' } }
    const inner = place === 'top' ? 'group' : 'deep'
    switch (this.#pick(PLACES[place])) {
      case 'retry': {
        const on_exhausted = this.#chance(0.5) ? 'soft_fail' : 'hard_fail'
        return { ...step, retry: { max_attempts: 1 + this.#below(3), on_exhausted } }
      }
      case 'check':
        return { ...step, check }
      case 'group':
        return { ...step, check, children: this.#steps(1 + this.#below(3), inner) }
      case 'parent':
        return { ...step, children: this.#steps(1 + this.#below(3), 'part') }
      case 'gate':
        return { ...step, gate: { type: 'human' } }
      case 'loop': {
        const body = this.#steps(1 + this.#below(2), 'deep')
        const rounds = 1 + this.#below(3)
        return { ...step, loop: this.#chance(0.5) ? { count: rounds, body } : { range: `1..${rounds}`, body } }
      }
      case 'fan': {
        const bond = `${this.name}-job${this.#count}`
        const template = this.#steps(1 + this.#below(2), 'template', '{target}.')
        this.#bonds[bond] = { formula: bond, type: 'expansion', requires: REQUIRES, vars: VARS, template }
        const mode = this.#chance(0.5) ? { parallel: true } : { sequential: true }
        return { ...step, on_complete: { for_each: 'output.items', bond, ...mode } }
      }
      default:
        return step
    }
  }

  /** The body of a scope, its members, and sometimes what tears it down. */
  #scope(others: readonly StepText[]): StepText[] {
    const body = `b${++this.#count}`
    const members = this.#steps(1 + this.#below(3), 'group')
      .filter(({ loop }) => loop === undefined)
      .map((step): StepText => {
        const outside = others.filter(() => this.#chance(0.15)).map(({ id }) => id)
        const abort: Record<string, string> = this.#chance(0.7) ? { 'gc.on_fail': 'abort_scope' } : {}
        const metadata = { 'gc.scope_ref': body, 'gc.scope_role': 'member', ...abort }
        const { condition, ...rest } = { ...step, needs: [...(step.needs ?? []), ...outside], metadata }
        return condition === undefined ? rest : { ...rest, condition }
      })
    if (members.length === 0) return []
    const ids = new Set(members.map(({ id }) => id))
    const own = [...members, ...others].map(({ id }) => id)
    const kept = members.map((step) => ({ ...step, needs: (step.needs ?? []).filter((id) => own.includes(id)) }))
    const role = { 'gc.kind': 'scope', 'gc.scope_role': 'body', 'gc.scope_name': body }
    const scope: StepText = { id: body, title: 'Scope', needs: [...ids], metadata: role }
    const teardown = { 'gc.kind': 'cleanup', 'gc.scope_ref': body, 'gc.scope_role': 'teardown' }
    const clean: StepText = { id: `t${this.#count}`, title: 'Clean up', needs: [body], metadata: teardown }
    return [...kept, scope, ...(this.#chance(0.5) ? [clean] : [])]
  }

  #below = (count: number): number => Math.floor(this.#random() * count)
  #chance = (likelihood: number): boolean => this.#random() < likelihood
  #pick<Item>(items: readonly Item[]): Item {
    const item = items[this.#below(items.length)]
    if (item === undefined) throw new Error('there is nothing to draw from')
    return item
  }
}

const REPORTS: readonly Report[] = [
  ...Array.from({ length: 6 }, (): Report => ({ outcome: 'pass' })),
  ...[{ outcome: 'fail' } as const, {}, { outcome: 'pass', reason: 'odd' } as const],
  ...[{ outcome: 'fail', failureClass: 'hard', reason: 'broken' } as const],
  ...[{ outcome: 'fail', failureClass: 'transient', reason: 'timeout' } as const],
]

/** What the worker of a step reports: the same for the same seed, in whatever order steps are worked on. */
export function reportOf(seed: number, ref: string): Report {
  const random = randomFrom(Bun.hash.crc32(`${seed} ${ref}`))
  const report = REPORTS[Math.floor(random() * REPORTS.length)] ?? {}
  const items = Math.floor(random() * 5)
  return { ...report, items: items === 4 ? 'broken' : items }
}
