import type { Report, StepText } from './grammar.ts'

export type Kind =
  | 'work'
  | 'gate'
  | 'spec'
  | 'retry'
  | 'check'
  | 'fanout'
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
  /** What it was made for: when that is skipped, it is. */
  owner?: string | undefined
  /** The body of the scope it is a member of. */
  scope?: string | undefined
  /** Of a member: it has to say that it passed. */
  aborts?: boolean
  step?: StepText
  report?: Report
  /** How many attempts, or items, were begun. */
  begun: number
  isChecking?: boolean
}

/** Where steps are written. */
export interface Place {
  prefix: string
  /** What the first of them wait for. */
  needs: string[]
  owner?: string
  /** The body of the scope that a round is. */
  scope?: string
}

export const isOpen = (node: Node): boolean => node.outcome === undefined
export const describe = (outcome = 'open'): string => (outcome === 'open' ? outcome : `closed ${outcome}`.trim())
