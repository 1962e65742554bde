import type { Report } from './grammar.ts'
import type { Step } from './rounds.ts'

export type Kind =
  | 'work'
  | 'gate'
  | 'spec'
  | 'retry'
  | 'check'
  | 'until'
  | 'fanout'
  | 'drain'
  | 'scope-check'
  | 'scope'
  | 'parent'
  | 'finalize'
  | 'condition'
  | 'guard'

export interface Node {
  readonly ref: string
  readonly kind: Kind
  needs: string[]
  /** '' is a closed step without outcome. */
  outcome?: string
  /** Step it was created for; it is skipped together with that. */
  owner?: string | undefined
  /** The body of the scope it is a member of. */
  scope?: string | undefined
  /** True for a member that must report success. */
  aborts?: boolean
  step?: Step
  /** Report of its worker, or of the part that it passed with. */
  report?: Report | undefined
  /** Number of started attempts or items. */
  begun: number
  isChecking?: boolean
}

export const isOpen = (node: Node): boolean => node.outcome === undefined
export const describe = (outcome = 'open'): string => (outcome === 'open' ? outcome : `closed ${outcome}`.trim())

/** The steps of a run, and what gc has among them. */
export class Graph {
  readonly #nodes = new Map<string, Node>()

  add(node: Omit<Node, 'begun'>): Node {
    const added = { begun: 0, ...node }
    this.#nodes.set(node.ref, added)
    return added
  }

  get(ref: string): Node {
    const node = this.#nodes.get(ref)
    if (!node) throw new Error(`there is no ${ref}`)
    return node
  }

  all = (): Node[] => [...this.#nodes.values()]

  /** Steps that none of them depends on. */
  sinks(nodes: readonly Node[] = this.all()): string[] {
    const awaited = new Set(nodes.flatMap(({ needs }) => needs))
    return nodes.filter(({ ref, kind }) => kind !== 'spec' && !awaited.has(ref)).map(({ ref }) => ref)
  }

  areClosed = (refs: readonly string[]): boolean => refs.every((ref) => !isOpen(this.get(ref)))
  haveFailed = (refs: readonly string[]): boolean => refs.some((ref) => this.get(ref).outcome === 'fail')
}
