import type { Member, Program, Report } from './grammar.ts'
import { describe, Graph, isOpen, type Kind, type Node } from './node.ts'
import { aboutOf, stepHolds } from './rounds.ts'
import { Writing } from './writing.ts'

/** Place of a run among several. */
interface Surroundings {
  /** Name among them. */
  name: string
  /** Runs that it waits for. */
  before: readonly Interpreter[]
  /** The drains that have members for themselves. */
  reserved: Map<string, Node>
}

/** The parts of a step, which it waits for. */
const partsOf = ({ ref, needs }: Node): string[] => needs.filter((need) => need.startsWith(`${ref}.`))

/** Executes a formula step by step, by the rules for authors of formulas. */
export class Interpreter {
  readonly #graph = new Graph()
  readonly #writing: Writing
  /** The runs that the drains of this one have begun, one for each member. */
  readonly #units = new Map<Node, Interpreter[]>()
  #root: string | undefined
  /** Actions of gc on each kind of unblocked step: others are for agents and people. */
  readonly #acts: Partial<Record<Kind, (node: Node) => void>> = {
    retry: (node) => this.#retry(node),
    check: (node) => this.#check(node),
    until: (node) => this.#until(node),
    fanout: (node) => this.#fanOut(node),
    drain: (node) => this.#drain(node),
    scope: (node) => this.#end(node, 'pass'),
    guard: (node) => this.#end(node, 'pass'),
    condition: (node) => this.#decideStep(node),
    parent: (node) => this.#judge(node, partsOf(node)),
    'scope-check': (node) => this.#checkScope(node),
    finalize: (node) => this.#finalize(node),
  }

  constructor(
    private readonly program: Program,
    private readonly around: Surroundings = { name: '', before: [], reserved: new Map() },
  ) {
    this.#writing = new Writing(this.#graph, program.formula.vars)
    this.#writing.formula(program.formula)
  }

  /** The steps that an agent can claim; what persons, scripts and no one has decided yet. */
  ready = () => this.#refs((node) => node.kind === 'work' && this.#isFree(node))
  gates = () => this.#refs((node) => node.kind === 'gate' && this.#isFree(node))
  checks = () => this.#refs(({ isChecking }) => isChecking === true)
  guards = () => this.#refs((node) => this.#isHeld(node))

  name = (): string => this.around.name
  isOver = (): boolean => this.#root !== undefined

  get state(): string {
    if (this.#root !== undefined) return { pass: 'completed', fail: 'failed' }[this.#root] ?? this.#root
    if (this.gates().length + this.guards().length > 0) return 'waiting'
    return this.#graph.all().some((node) => !isOpen(node)) ? 'active' : 'pending'
  }

  /** Every bead and the result of it. */
  get beads(): Record<string, string> {
    const beads = this.#graph.all().map(({ ref, outcome }): [string, string] => [ref, describe(outcome)])
    return Object.fromEntries([[this.program.formula.formula, describe(this.#root)], ...beads])
  }

  /** This run, and those that its drains have begun. */
  runs(): Interpreter[] {
    return [this, ...[...this.#units.values()].flat().flatMap((unit) => unit.runs())]
  }

  close(ref: string, report: Report): void {
    Object.assign(this.#graph.get(ref), { report, outcome: report.outcome ?? '' })
  }

  /** The script that checks a step ends. */
  decide(ref: string, isGood: boolean): void {
    const node = this.#graph.get(ref)
    node.isChecking = false
    if (isGood) this.#pass(node, this.#round(node))
    else this.#goOn(node)
  }

  /** A person says that what failed is skipped. */
  excuse(guard: string): void {
    for (const ref of this.#graph.get(guard).needs) this.#graph.get(ref).outcome = 'skipped'
  }

  cancel(): void {
    for (const node of this.#graph.all()) this.#end(node, 'canceled')
    this.#root ??= 'canceled'
  }

  /** All that follows without anybody doing anything. */
  settle(): void {
    while (this.runs().filter((run) => run.#move()).length > 0) {}
  }

  #move(): boolean {
    const isIdle = (node: Node) => isOpen(node) && !node.isChecking && this.#acts[node.kind] !== undefined
    const moving = this.#graph.all().filter((node) => isIdle(node) && this.#isFree(node) && !this.#isHeld(node))
    for (const node of moving) if (isOpen(node)) this.#acts[node.kind]?.(node)
    return moving.length > 0
  }

  #decideStep(node: Node): void {
    const { step, owner = '' } = node
    this.#end(node, 'pass')
    const about = (id: string) => this.#graph.get(owner.slice(0, -(step?.id ?? '').length) + id)
    if (!stepHolds(step?.condition, about)) this.#skip(this.#graph.get(owner))
  }

  #retry(node: Node): void {
    const attempt = this.#graph.get(`${node.ref}.attempt.${node.begun}`)
    const { failureClass, reason } = attempt.report ?? {}
    const { max_attempts = 1, on_exhausted } = node.step?.retry ?? {}
    if (attempt.outcome === 'pass' && reason === undefined && failureClass === undefined) this.#pass(node, attempt)
    else if (attempt.outcome === 'fail' && failureClass !== 'transient') this.#end(node, 'fail')
    else if (node.begun < max_attempts) this.#writing.attempt(node, [])
    else this.#end(node, on_exhausted === 'soft_fail' ? 'pass' : 'fail')
  }

  #check(node: Node): void {
    if (this.#round(node).outcome === 'fail') this.#goOn(node)
    else node.isChecking = true
  }

  #until(node: Node): void {
    const round = this.#round(node)
    const inRound = (id: string) => this.#graph.get(`${round.ref}.${id}`)
    const [about = ''] = aboutOf(node.step?.until)
    if (round.outcome !== 'fail' && stepHolds(node.step?.until, inRound)) this.#pass(node, inRound(about))
    else this.#goOn(node)
  }

  #round = (node: Node): Node => this.#graph.get(`${node.ref}.iteration.${node.begun}`)

  #goOn(node: Node): void {
    if (node.begun < (node.step?.check?.max_attempts ?? 1)) this.#writing.attempt(node, [])
    else this.#end(node, 'fail')
  }

  #fanOut(node: Node): void {
    const { step, owner = '', begun } = node
    const { outcome, report = {} } = this.#graph.get(owner)
    const bond = this.program.bonds[step?.on_complete?.bond ?? '']
    const count = report.items === 'broken' ? -1 : (report.items ?? 0)
    if (!bond || count < 0) return void this.#end(node, 'fail')
    if (outcome === 'fail' || begun >= count) return void this.#judge(node, node.needs)
    const to = step?.on_complete?.sequential ? begun + 1 : count
    for (; node.begun < to; node.begun++) {
      const prefix = `${bond.formula}.${owner}.item.${node.begun + 1}.`
      const before = new Set(this.#graph.all())
      const named = (bond.template ?? []).map((each) => JSON.parse(JSON.stringify(each).replaceAll('{target}.', '')))
      this.#writing.steps(named, { prefix, needs: [], owner: node.ref })
      node.needs.push(...this.#graph.sinks(this.#graph.all().filter((each) => !before.has(each))))
    }
  }

  /** Runs a formula for each member of the convoy that the run is for. */
  #drain(node: Node): void {
    const { context, member_access, on_item_failure } = node.step?.drain ?? {}
    const { members } = this.program
    const begun = this.#units.get(node) ?? []
    if (!this.#units.has(node)) {
      if (!this.#canDrain(node)) return void this.#end(node, 'fail')
      if (member_access === 'exclusive') for (const { name } of members) this.around.reserved.set(name, node)
      this.#units.set(node, begun)
    }
    const hasFailed = begun.some((unit) => unit.#root !== 'pass')
    const isShared = context === 'shared'
    const isLast = isShared && hasFailed && on_item_failure !== 'continue'
    const next = isLast ? [] : members.slice(begun.length, isShared ? begun.length + 1 : undefined)
    if (next.length === 0) this.#end(node, hasFailed ? 'fail' : 'pass')
    for (const member of next) begun.push(this.#unit(node, member, begun))
  }

  /** There are not too many members, and no other drain has one of them for itself. */
  #canDrain({ step }: Node): boolean {
    const { max_units = 100, member_access } = step?.drain ?? {}
    const { members } = this.program
    const holders = members.flatMap(({ name }) => this.around.reserved.get(name) ?? [])
    return members.length <= max_units && (member_access !== 'exclusive' || !holders.some(isOpen))
  }

  /** A run for a member: it waits for those whose members that one needs. */
  #unit({ ref, step }: Node, { name, needs }: Member, begun: readonly Interpreter[]): Interpreter {
    const formula = this.program.units[step?.drain?.formula ?? ''] ?? this.program.formula
    const before = begun.filter(({ program: { members } }) => members.some((other) => needs.includes(other.name)))
    const around = { ...this.around, name: `${this.around.name}${ref}:${begun.length}/`, before }
    return new Interpreter({ ...this.program, formula, members: [{ name, needs: [] }] }, around)
  }

  #checkScope(node: Node): void {
    const { outcome = '', aborts } = this.#graph.get(node.owner ?? '')
    const isAborted = outcome === 'fail' || (aborts && !['pass', 'skipped'].includes(outcome))
    if (isAborted) {
      for (const other of this.#graph.all()) if (other.scope === node.scope && other !== node) this.#skip(other)
      this.#end(this.#graph.get(node.scope ?? ''), 'fail')
    }
    this.#end(node, 'pass')
  }

  #skip(node: Node): void {
    if (node.kind === 'spec' || !isOpen(node)) return
    this.#end(node, 'skipped')
    const isPart = ({ kind, owner = '' }: Node) =>
      owner === node.ref || (node.kind === 'parent' && kind === 'fanout' && owner.startsWith(`${node.ref}.`))
    for (const part of this.#graph.all()) if (isPart(part)) this.#skip(part)
  }

  #finalize(node: Node): void {
    const nodes = this.#graph.all()
    const isTop = ({ scope = '' }: Node) => !this.#graph.get(scope).step
    const isAborted = nodes.some((each) => each.aborts && each.outcome === 'fail' && isTop(each))
    this.#root = isAborted || this.#graph.haveFailed(node.needs) ? 'fail' : 'pass'
    this.#end(node, 'pass')
    for (const each of nodes) this.#end(each, each.kind === 'spec' ? 'pass' : 'skipped')
  }

  /** True if its blockers are done. */
  #isFree(node: Node): boolean {
    const runs = [...(node.needs.length === 0 ? this.around.before : []), ...(this.#units.get(node) ?? [])]
    return this.#graph.areClosed(node.needs) && runs.every((run) => run.isOver())
  }

  #isHeld = ({ kind, needs }: Node): boolean => kind === 'guard' && this.#graph.haveFailed(needs)
  #refs = (test: (node: Node) => boolean): string[] => {
    const found = this.#graph.all().filter((node) => isOpen(node) && test(node))
    return found.map(({ ref }) => ref)
  }

  #judge = (node: Node, refs: readonly string[]): void =>
    this.#end(node, this.#graph.haveFailed(refs) ? 'fail' : 'pass')

  /** Passes with what a part of it reported. */
  #pass(node: Node, { report }: Node): void {
    node.report = report
    this.#end(node, 'pass')
  }

  #end(node: Node, outcome: string): void {
    if (!isOpen(node)) return
    Object.assign(node, { outcome, isChecking: false })
    for (const unit of this.#units.get(node) ?? []) unit.cancel()
  }
}
