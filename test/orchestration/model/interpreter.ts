import type { FormulaText, Report, StepText } from './grammar.ts'
import type { Kind, Node, Place } from './node.ts'
import { writeOut } from './rounds.ts'

const isOpen = (node: Node | undefined): boolean => node !== undefined && node.outcome === undefined
const MEMBERS: readonly Kind[] = ['spec', 'work', 'gate']

/** What a run of a formula does, step by step, by the rules for authors of formulas. */
export class Interpreter {
  readonly #nodes = new Map<string, Node>()
  readonly #name: string
  readonly #vars: Readonly<Record<string, string>>
  #root: string | undefined

  constructor(
    { formula, steps = [], vars = {} }: FormulaText,
    private readonly bonds: Readonly<Record<string, FormulaText>>,
  ) {
    this.#name = formula
    this.#vars = vars
    this.#write(steps, { prefix: `${formula}.`, needs: [] })
    const bodies = this.#refs(({ kind, step }) => kind === 'scope' && step === undefined)
    const needs = [...new Set([...this.#sinks([...this.#nodes.values()]), ...bodies])]
    this.#add({ ref: `${formula}.workflow-finalize`, kind: 'finalize', needs })
    this.#settle()
  }

  /** The steps that an agent can claim. */
  get ready(): string[] {
    return this.#refs(({ kind, needs }) => kind === 'work' && this.#areClosed(needs))
  }

  get gates(): string[] {
    return this.#refs(({ kind }) => kind === 'gate')
  }

  get checks(): string[] {
    return this.#refs(({ isChecking }) => isChecking === true)
  }

  get state(): string {
    if (this.#root !== undefined) return { pass: 'completed', fail: 'failed' }[this.#root] ?? this.#root
    if (this.gates.length > 0) return 'waiting'
    return [...this.#nodes.values()].some((node) => !isOpen(node)) ? 'active' : 'pending'
  }

  /** Every bead and what came of it. */
  get beads(): Record<string, string> {
    const beads = [...this.#nodes.values()].map(({ ref, outcome }): [string, string] => [ref, describe(outcome)])
    return Object.fromEntries([[this.#name, describe(this.#root)], ...beads])
  }

  close(ref: string, report: Report): void {
    const node = this.#node(ref)
    node.report = report
    node.outcome = report.outcome ?? ''
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

  cancel(): void {
    for (const node of this.#nodes.values()) this.#end(node, 'canceled')
    this.#root = 'canceled'
  }

  #settle(): void {
    for (let moved = true; moved; ) {
      moved = false
      for (const node of this.#nodes.values()) {
        if (!isOpen(node) || node.isChecking || MEMBERS.includes(node.kind) || !this.#areClosed(node.needs)) continue
        this.#act(node)
        moved = true
      }
    }
  }

  #act(node: Node): void {
    if (node.kind === 'retry') this.#retry(node)
    if (node.kind === 'check') this.#check(node)
    if (node.kind === 'fanout') this.#fanOut(node)
    if (node.kind === 'scope') this.#end(node, 'pass')
    if (node.kind === 'parent') this.#end(node, this.#judge(node.needs.filter((ref) => ref.startsWith(`${node.ref}.`))))
    if (node.kind === 'scope-check') this.#checkScope(node)
    if (node.kind === 'finalize') this.#finalize(node)
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
    if (step?.children === undefined) {
      this.#add({ ref: attempt, kind: 'work', needs, owner: ref })
      return
    }
    const body = this.#add({ ref: attempt, kind: 'scope', needs: [], owner: ref, step })
    body.needs = this.#write(step.children, { prefix: `${attempt}.`, needs, owner: ref, scope: attempt })
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
      node.needs.push(...this.#sinks([...this.#nodes.values()].filter(({ ref }) => !before.has(ref))))
    }
  }

  #checkScope(node: Node): void {
    const { outcome = '', aborts } = this.#node(node.owner ?? '')
    const isAborted = outcome === 'fail' || (aborts && !['pass', 'skipped'].includes(outcome))
    if (isAborted) {
      const others = [...this.#nodes.values()].filter((each) => each.scope === node.scope && each !== node)
      for (const other of others) this.#skip(other)
      this.#end(this.#node(node.scope ?? ''), 'fail')
    }
    this.#end(node, 'pass')
  }

  #skip(node: Node): void {
    if (node.kind === 'spec' || !isOpen(node)) return
    this.#end(node, 'skipped')
    const isPart = ({ kind, owner = '' }: Node) =>
      owner === node.ref || (node.kind === 'parent' && kind === 'fanout' && owner.startsWith(`${node.ref}.`))
    for (const part of this.#nodes.values()) if (isPart(part)) this.#skip(part)
  }

  #finalize(node: Node): void {
    const nodes = [...this.#nodes.values()]
    const isAborted = nodes.some((each) => each.aborts && each.outcome === 'fail' && !this.#node(each.scope ?? '').step)
    this.#root = isAborted ? 'fail' : this.#judge(node.needs)
    this.#end(node, 'pass')
    for (const each of nodes) this.#end(each, each.kind === 'spec' ? 'pass' : 'skipped')
  }

  /** Writes steps; what a scope of them waits for. */
  #write(written: readonly StepText[], place: Place): string[] {
    const { steps, ends } = writeOut(written, this.#vars)
    const ids = new Set(steps.map(({ id }) => id))
    const refsOf = (id: string): string[] =>
      (ends.get(id) ?? [id]).filter((end) => ids.has(end)).map((end) => place.prefix + end)
    const scopeOf = ({ metadata = {} }: StepText) =>
      place.scope ?? (metadata['gc.scope_ref'] && place.prefix + metadata['gc.scope_ref'])
    const isMember = ({ metadata = {} }: StepText) =>
      place.scope !== undefined || metadata['gc.scope_role'] === 'member'
    const members = new Set(steps.filter(isMember).map(({ id }) => place.prefix + id))
    for (const step of steps) {
      const own = (step.needs ?? []).flatMap(refsOf)
      const needs =
        own.length > 0 ? own.map((ref) => (members.has(ref) ? `${ref}-scope-check` : ref)) : [...place.needs]
      this.#step(step, place, needs, isMember(step) ? scopeOf(step) : undefined)
    }
    return steps.flatMap(({ id, on_complete }) => [
      `${place.prefix}${id}${place.scope === undefined ? '' : '-scope-check'}`,
      ...(on_complete ? [`${place.prefix}${id}-fanout`] : []),
    ])
  }

  #step(step: StepText, { prefix, owner }: Place, needs: string[], scope: string | undefined): void {
    const ref = prefix + step.id
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
    if (scope !== undefined)
      this.#add({ ref: `${ref}-scope-check`, kind: 'scope-check', needs: [ref], owner: ref, scope })
    if (step.on_complete) this.#add({ ref: `${ref}-fanout`, kind: 'fanout', needs: [ref], owner: ref, step })
  }

  /** What none of them waits for. */
  #sinks(nodes: readonly Node[]): string[] {
    const awaited = new Set(nodes.flatMap(({ needs }) => needs))
    return nodes.filter(({ ref, kind }) => kind !== 'spec' && !awaited.has(ref)).map(({ ref }) => ref)
  }

  #judge = (refs: readonly string[]): string =>
    refs.some((ref) => this.#node(ref).outcome === 'fail') ? 'fail' : 'pass'

  #areClosed = (refs: readonly string[]): boolean => refs.every((ref) => !isOpen(this.#node(ref)))

  #refs = (test: (node: Node) => boolean): string[] =>
    [...this.#nodes.values()].filter((node) => isOpen(node) && test(node)).map(({ ref }) => ref)

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

const describe = (outcome: string | undefined): string => (outcome === undefined ? 'open' : `closed ${outcome}`.trim())
