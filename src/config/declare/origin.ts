/** Facts about the layer of a declaration. */
export interface LayerInfo {
  readonly name: string
  /** True if gc may edit the files of this layer. */
  readonly isEditable: boolean
}

/** A pack: what it calls itself, and where it lies. */
export interface PackReference {
  readonly name: string
  readonly version: string | undefined
  /** Absolute. */
  readonly folder: string
}

/** A table of a file: where it stands, and which layer declares it. */
export interface DeclaredBlock {
  readonly layer: LayerInfo
  readonly file: string
  readonly line: number
  /** Header as written, such as `[[rigs]]`; empty for a whole file. */
  readonly section: string
  /** Offset of its header in the text; undefined for a whole file. */
  readonly offset: number | undefined
  /** The pack that declares it, if the city does not itself. */
  readonly pack?: PackReference
}

/** The layer of city.toml and its fragments. */
export const CITY_LAYER = 'city'

/** The layer of agents that no one declares: those that providers imply. */
export const IMPLICIT_AGENTS = 'implicit agents'

/** True if a table is in city.toml or a fragment of it in the city, where known clients expect what they may edit. */
export const isInline = ({ layer }: DeclaredBlock): boolean => layer.name === CITY_LAYER && layer.isEditable

/** Place where the value of a field was written. */
export interface FieldOrigin {
  readonly block: DeclaredBlock
  readonly line: number
  readonly key: string
}

export type FieldOrigins<Values> = { readonly [Name in keyof Values]?: FieldOrigin }
