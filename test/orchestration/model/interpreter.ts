import type { FormulaText, Report, StepText } from './grammar.ts'
import { describe, isOpen, type Kind, type Node, type Place } from './node.ts'
import { aboutOf, stepHolds, writeOut } from './rounds.ts'

const MEMBERS: readonly Kind[] = ['spec', 'work', 'gate']

/** What a run of a formula does, step by step, by the rules for authors of formulas. */
export class Interpreter {
  readonly #nodes = new Map<string, Node>()
  #root: string | undefined

  constructor(
    private readonly text: FormulaText,
    private readonly bonds: Readonly<Record<string, FormulaText>>,
  ) {
    this.#write(text.steps ?? [], { prefix: `${text.formula}.`, needs: [] })
    const bodies = this.#refs(({ kind, step }) => kind === 'scope' && step === undefined)
    const needs = [...new Set([...this.#sinks(this.#all()), ...bodies])]
    this.#add({ ref: `${text.formula}.workflow-finalize`, kind: 'finalize', needs })
    this.#settle()
  }

  /** The steps that an agent can claim; what persons, scripts and nobody has decided yet. */
  ready = () => this.#refs(({ kind, needs }) => kind === 'work' && this.#areClosed(needs))
  gates = () => this.#refs(({ kind }) => kind === 'gate')
  checks = () => this.#refs(({ isChecking }) => isChecking === true)
  guards = () => this.#refs((node) => this.#isHeld(node))

  get state(): string {
    if (this.#root !== undefined) return { pass: 'completed', fail: 'failed' }[this.#root] ?? this.#root
    if (this.gates().length + this.guards().length > 0) return 'waiting'
    return this.#all().some((node) => !isOpen(node)) ? 'active' : 'pending'
  }

  /** Every bead and what came of it. */
  get beads(): Record<string, string> {
    const beads = this.#all().map(({ ref, outcome }): [string, string] => [ref, describe(outcome)])
    return Object.fromEntries([[this.text.formula, describe(this.#root)], ...beads])
  }

  close(ref: string, report: Report): void {
    Object.assign(this.#node(ref), { report, outcome: report.outcome ?? '' })
    this.#settle()
  }

  /** The script that checks a step ends. */
  decide(ref: string, isGood: boolean): void {
    const node = this.#node(ref)
    node.isChecking = false
    if (isGood) node.outcome = 'pass'
    else this.#goOn(node)
    this.#settle()
  }

  /** A person says that what failed is skipped. */
  excuse(guard: string): void {
    for (const ref of this.#node(guard).needs) this.#node(ref).outcome = 'skipped'
    this.#settle()
  }

  cancel(): void {
    for (const node of this.#nodes.values()) this.#end(node, 'canceled')
    this.#root = 'canceled'
  }

  #settle(): void {
    for (let moved = true; moved; ) {
      moved = false
      for (const node of this.#nodes.values()) {
        if (!isOpen(node) || node.isChecking || MEMBERS.includes(node.kind)) continue
        if (!this.#areClosed(node.needs) || this.#isHeld(node)) continue
        this.#act(node)
        moved = true
      }
    }
  }

  #act(node: Node): void {
    if (node.kind === 'retry') this.#retry(node)
    if (node.kind === 'check') this.#check(node)
    if (node.kind === 'fanout') this.#fanOut(node)
    if (node.kind === 'scope' || node.kind === 'guard') this.#end(node, 'pass')
    if (node.kind === 'condition') this.#decide(node)
    if (node.kind === 'parent') this.#end(node, this.#judge(node.needs.filter((ref) => ref.startsWith(`${node.ref}.`))))
    if (node.kind === 'scope-check') this.#checkScope(node)
    if (node.kind === 'finalize') this.#finalize(node)
  }

  #decide(node: Node): void {
    const { step, owner = '' } = node
    this.#end(node, 'pass')
    const about = (id: string) => this.#node(owner.slice(0, -(step?.id ?? '').length) + id)
    if (!stepHolds(step?.condition, about)) this.#skip(this.#node(owner))
  }

  #retry(node: Node): void {
    const { outcome = '', report = {} } = this.#node(`${node.ref}.attempt.${node.begun}`)
    const { failureClass, reason } = report
    const { max_attempts = 1, on_exhausted } = node.step?.retry ?? {}
    if (outcome === 'pass' && reason === undefined && failureClass === undefined) this.#end(node, 'pass')
    else if (outcome === 'fail' && failureClass !== 'transient') this.#end(node, 'fail')
    else if (node.begun < max_attempts) this.#attempt(node, [])
    else this.#end(node, on_exhausted === 'soft_fail' ? 'pass' : 'fail')
  }

  #check(node: Node): void {
    if (this.#node(`${node.ref}.iteration.${node.begun}`).outcome === 'fail') this.#goOn(node)
    else node.isChecking = true
  }

  #goOn(node: Node): void {
    if (node.begun < (node.step?.check?.max_attempts ?? 1)) this.#attempt(node, [])
    else this.#end(node, 'fail')
  }

  #attempt(node: Node, needs: string[]): void {
    const { ref, step } = node
    const attempt = `${ref}.${step?.retry ? 'attempt' : 'iteration'}.${++node.begun}`
    node.needs.push(attempt)
    const body = this.#add({ ref: attempt, kind: step?.children ? 'scope' : 'work', needs, owner: ref, step })
    const place = { prefix: `${attempt}.`, needs, owner: ref, scope: attempt }
    if (step?.children) body.needs = this.#write(step.children, place)
  }

  #fanOut(node: Node): void {
    const { step, owner = '', begun } = node
    const { outcome, report = {} } = this.#node(owner)
    const bond = this.bonds[step?.on_complete?.bond ?? '']
    const count = report.items === 'broken' ? -1 : (report.items ?? 0)
    if (outcome === 'fail' || !bond || begun >= count) {
      this.#end(node, !bond || count < 0 ? 'fail' : this.#judge(node.needs))
      return
    }
    const to = step?.on_complete?.sequential ? begun + 1 : count
    for (; node.begun < to; node.begun++) {
      const prefix = `${bond.formula}.${owner}.item.${node.begun + 1}.`
      const before = new Set(this.#nodes.keys())
      const named = (bond.template ?? []).map((each) => JSON.parse(JSON.stringify(each).replaceAll('{target}.', '')))
      this.#write(named, { prefix, needs: [], owner: node.ref })
      node.needs.push(...this.#sinks(this.#all().filter(({ ref }) => !before.has(ref))))
    }
  }

  #checkScope(node: Node): void {
    const { outcome = '', aborts } = this.#node(node.owner ?? '')
    const isAborted = outcome === 'fail' || (aborts && !['pass', 'skipped'].includes(outcome))
    if (isAborted) {
      for (const other of this.#all()) if (other.scope === node.scope && other !== node) this.#skip(other)
      this.#end(this.#node(node.scope ?? ''), 'fail')
    }
    this.#end(node, 'pass')
  }

  #skip(node: Node): void {
    if (node.kind === 'spec' || !isOpen(node)) return
    this.#end(node, 'skipped')
    const isPart = ({ kind, owner = '' }: Node) =>
      owner === node.ref || (node.kind === 'parent' && kind === 'fanout' && owner.startsWith(`${node.ref}.`))
    for (const part of this.#all()) if (isPart(part)) this.#skip(part)
  }

  #finalize(node: Node): void {
    const nodes = this.#all()
    const isAborted = nodes.some((each) => each.aborts && each.outcome === 'fail' && !this.#node(each.scope ?? '').step)
    this.#root = isAborted ? 'fail' : this.#judge(node.needs)
    this.#end(node, 'pass')
    for (const each of nodes) this.#end(each, each.kind === 'spec' ? 'pass' : 'skipped')
  }

  /** Writes steps; what a scope of them waits for. */
  #write(written: readonly StepText[], place: Place): string[] {
    const { steps, ends } = writeOut(written, this.text.vars ?? {})
    const ids = new Set(steps.map(({ id }) => id))
    const refsOf = (id: string): string[] =>
      (ends.get(id) ?? [id]).filter((end) => ids.has(end)).map((end) => place.prefix + end)
    const scopeOf = ({ metadata = {} }: StepText) =>
      place.scope ?? (metadata['gc.scope_role'] === 'member' ? place.prefix + metadata['gc.scope_ref'] : undefined)
    const members = new Set(steps.filter((step) => scopeOf(step) !== undefined).map(({ id }) => place.prefix + id))
    const guarded = new Set(steps.filter((step) => step.block_on_failure).map(({ id }) => place.prefix + id))
    const lastOf = (ref: string) => `${ref}${members.has(ref) ? '-scope-check' : guarded.has(ref) ? '-guard' : ''}`
    for (const step of steps) {
      const own = [...(step.needs ?? []), ...aboutOf(step)].flatMap(refsOf)
      const needs = own.length > 0 ? own.map(lastOf) : [...place.needs]
      this.#step(step, place, needs, scopeOf(step))
    }
    return steps.flatMap(({ id, on_complete }) => [
      `${place.prefix}${id}${place.scope === undefined ? '' : '-scope-check'}`,
      ...(on_complete ? [`${place.prefix}${id}-fanout`] : []),
    ])
  }

  #step(step: StepText, { prefix, owner }: Place, before: string[], scope: string | undefined): void {
    const ref = prefix + step.id
    const needs = aboutOf(step).length > 0 ? [`${ref}-condition`] : before
    if (needs !== before) this.#add({ ref: `${ref}-condition`, kind: 'condition', needs: before, owner: ref, step })
    const aborts = scope !== undefined && (owner !== undefined || step.metadata?.['gc.on_fail'] === 'abort_scope')
    const isBody = step.metadata?.['gc.scope_role'] === 'body'
    const kind = step.retry ? 'retry' : step.check ? 'check' : isBody ? 'scope' : step.children ? 'parent' : 'work'
    const node = this.#add({ ref, kind, needs, owner, scope, aborts, ...(!isBody && { step }) })
    if (step.gate) {
      const round = /^.*\.iter\d+\./.exec(step.id)?.[0] ?? ''
      const gate = `${prefix}${round}gate-${step.id.slice(round.length)}`
      node.needs.push(this.#add({ ref: gate, kind: 'gate', needs: [], owner: ref }).ref)
    }
    const inside = { prefix: `${ref}.`, needs: [...node.needs], owner: ref }
    if (kind === 'parent') node.needs.push(...this.#write(step.children ?? [], inside))
    if (step.retry || step.check) {
      this.#add({ ref: `${ref}.spec`, kind: 'spec', needs: [] })
      this.#attempt(node, [...needs])
    }
    if (step.block_on_failure) this.#add({ ref: `${ref}-guard`, kind: 'guard', needs: [ref] })
    if (scope !== undefined)
      this.#add({ ref: `${ref}-scope-check`, kind: 'scope-check', needs: [ref], owner: ref, scope })
    if (step.on_complete) this.#add({ ref: `${ref}-fanout`, kind: 'fanout', needs: [ref], owner: ref, step })
  }

  /** What none of them waits for. */
  #sinks(nodes: readonly Node[]): string[] {
    const awaited = new Set(nodes.flatMap(({ needs }) => needs))
    return nodes.filter(({ ref, kind }) => kind !== 'spec' && !awaited.has(ref)).map(({ ref }) => ref)
  }

  #all = (): Node[] => [...this.#nodes.values()]
  #judge = (refs: readonly string[]): string =>
    refs.some((ref) => this.#node(ref).outcome === 'fail') ? 'fail' : 'pass'
  #isHeld = ({ kind, needs }: Node): boolean =>
    kind === 'guard' && needs.some((ref) => this.#node(ref).outcome === 'fail')
  #areClosed = (refs: readonly string[]): boolean => refs.every((ref) => !isOpen(this.#node(ref)))
  #refs = (test: (node: Node) => boolean): string[] =>
    this.#all()
      .filter((node) => isOpen(node) && test(node))
      .map(({ ref }) => ref)

  #end(node: Node, outcome: string): void {
    node.isChecking = false
    node.outcome ??= outcome
  }

  #add(node: Omit<Node, 'begun'>): Node {
    const added = { begun: 0, ...node }
    this.#nodes.set(node.ref, added)
    return added
  }

  #node(ref: string): Node {
    const node = this.#nodes.get(ref)
    if (!node) throw new Error(`there is no ${ref}`)
    return node
  }
}
