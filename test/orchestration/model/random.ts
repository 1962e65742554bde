import type { DrainText, FormulaText, Member, Program, Report, StepText } from './grammar.ts'

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

const REQUIRES = { formula_compiler: '>=2.0.0', gc_extensions: '>=1.0.0' }
const VARS = { on: 'yes', off: 'no', word: 'x' }
const CONDITIONS = ['{{on}}', '!{{on}}', '{{off}}', '!{{off}}', '{{word}} == x', '{{word}} == y', '{{word}} != x']
const OUTCOMES = ["outcome == 'pass'", "outcome != 'pass'", "outcome == 'fail'", "outcome == 'skipped'"]
const STATES = [...OUTCOMES, "output.count > '1'", "output.count == '2'", "output.count != '0'"]
const UNTILS = [...STATES, "status == 'complete'"]
const ENDINGS = ['', '-x', '_y', '.z', 'é']

/** Kinds of steps to draw from: some make no sense below the first level, or make too many steps. */
type Kind = 'plain' | 'retry' | 'check' | 'group' | 'parent' | 'fan' | 'gate' | 'loop' | 'until' | 'drain'
const ANY: readonly Kind[] = [
  'plain',
  'plain',
  'retry',
  'check',
  'group',
  'parent',
  'fan',
  'gate',
  'loop',
  'until',
  'drain',
]
const PLACES: Readonly<Record<'top' | 'group' | 'part' | 'deep' | 'template', readonly Kind[]>> = {
  top: ANY,
  group: ANY,
  part: ['plain', 'plain', 'retry', 'check', 'fan', 'gate', 'drain'],
  deep: ['plain', 'retry', 'check'],
  template: ['plain', 'plain', 'retry', 'check', 'drain'],
}
/** Maximum depth of drains in formulas of drains. */
const MAX_DRAINS = 2

/** True if a step with this loop is one step in the graph, and not one for each round. */
const isOne = (loop: StepText['loop']): boolean => loop === undefined || loop.until !== undefined

/** Draws formulas. */
export class Drawing {
  readonly #random: () => number
  readonly #bonds: Record<string, FormulaText> = {}
  readonly #units: Record<string, FormulaText> = {}
  #drains = 0
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
    return { formula, bonds: this.#bonds, units: this.#units, members: this.#members() }
  }

  #members(): Member[] {
    const members: Member[] = []
    for (let left = this.#below(4); left > 0; left--) {
      const needs = members.filter(() => this.#chance(0.3)).map(({ name }) => name)
      members.push({ name: `m${members.length}`, needs })
    }
    return members
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
    if (!isOne(step.loop) || (step.children && !step.check)) return step
    const blocking = this.#chance(0.15) && { block_on_failure: true }
    const about = others.find(
      ({ id, condition, loop }) => step.needs?.includes(id) && condition === undefined && isOne(loop),
    )
    if (!about || !this.#chance(0.3)) return { ...step, ...blocking }
    const condition = `${about.id}.${this.#pick(STATES)}`
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
      case 'until': {
        const body = this.#steps(1 + this.#below(3), inner)
        const named = body.filter(({ condition, loop }) => condition === undefined && isOne(loop)).map(({ id }) => id)
        const about = this.#pick(['step', ...named])
        return { ...step, loop: { until: `${about}.${this.#pick(UNTILS)}`, max: 1 + this.#below(3), body } }
      }
      case 'drain':
        return this.#drains < MAX_DRAINS ? { ...step, drain: this.#drain() } : step
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

  /** A drain of a formula of its own, which may have drains in its turn. */
  #drain(): DrainText {
    this.#drains++
    const formula = `${this.name}-unit${this.#count}`
    this.#units[formula] = { formula, requires: REQUIRES, vars: VARS, steps: this.#steps(1 + this.#below(3), 'part') }
    const access = this.#pick(['read', 'read', 'exclusive'] as const)
    return {
      ...{ formula, member_access: access, on_item_failure: this.#pick(['continue', 'skip_remaining'] as const) },
      ...(this.#chance(0.5) ? { context: 'separate' } : { context: 'shared', item: { single_lane: true } }),
      ...(this.#chance(0.1) && { max_units: 2 }),
    }
  }

  /** The body of a scope, its members, and sometimes what tears it down. */
  #scope(others: readonly StepText[]): StepText[] {
    const body = `b${++this.#count}`
    const members = this.#steps(1 + this.#below(3), 'group')
      .filter(({ loop }) => isOne(loop))
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

/** Report of a step's worker: the same for the same seed, in any order of work. */
export function reportOf(seed: number, ref: string): Report {
  const random = randomFrom(Bun.hash.crc32(`${seed} ${ref}`))
  const report = REPORTS[Math.floor(random() * REPORTS.length)] ?? {}
  const items = Math.floor(random() * 5)
  return { ...report, items: items === 4 ? 'broken' : items }
}
