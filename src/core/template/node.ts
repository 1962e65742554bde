/** Nodes of a template. */
export type Node =
  | { readonly kind: 'text'; readonly text: string; readonly line: number }
  | { readonly kind: 'action'; readonly pipe: Pipeline; readonly line: number }
  | BranchNode
  | { readonly kind: 'template'; readonly name: string; readonly pipe: Pipeline | undefined; readonly line: number }
  | { readonly kind: 'break'; readonly line: number }
  | { readonly kind: 'continue'; readonly line: number }

export interface BranchNode {
  readonly kind: 'if' | 'with' | 'range'
  readonly pipe: Pipeline
  readonly body: readonly Node[]
  readonly otherwise: readonly Node[] | undefined
  readonly line: number
}

/** Commands, of which each gets the result of the one before as its last argument. */
export interface Pipeline {
  readonly line: number
  /** The variables that it declares, or assigns to. */
  readonly variables: readonly string[]
  readonly isAssignment: boolean
  readonly commands: readonly Command[]
}

/** A value with its arguments; never empty. */
export interface Command {
  readonly first: Operand
  readonly args: readonly Operand[]
}

export type Operand =
  | { readonly kind: 'field'; readonly path: readonly string[] }
  | { readonly kind: 'variable'; readonly name: string; readonly path: readonly string[] }
  | { readonly kind: 'chain'; readonly base: Operand; readonly path: readonly string[] }
  | { readonly kind: 'function'; readonly name: string }
  | { readonly kind: 'pipe'; readonly pipe: Pipeline }
  | { readonly kind: 'constant'; readonly value: string | bigint | number | boolean }
  | { readonly kind: 'dot' }
  | { readonly kind: 'nil' }

/** True if a body shows nothing; such a one never replaces another of its name. */
export const isEmptyBody = (body: readonly Node[]): boolean =>
  body.every((node) => node.kind === 'text' && /^\s*$/.test(node.text))
