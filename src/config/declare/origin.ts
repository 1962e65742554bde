/** What a declaration knows of the layer that it comes from. */
export interface LayerInfo {
  readonly name: string
  /** Whether gc may edit the files of this layer. */
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
  /** How its header is written, such as `[[rigs]]`; empty for a whole file. */
  readonly section: string
  /** Where its header stands in the text; undefined for a whole file. */
  readonly offset: number | undefined
  /** The pack that declares it, if the city does not itself. */
  readonly pack?: PackReference
}

/** The layer of city.toml and its fragments. */
export const CITY_LAYER = 'city'

/** The layer of agents that nobody declares: those that providers imply. */
export const IMPLICIT_AGENTS = 'implicit agents'

/** Whether a table stands in city.toml or a fragment of it in the city, where known clients expect what they may edit. */
export const isInline = ({ layer }: DeclaredBlock): boolean => layer.name === CITY_LAYER && layer.isEditable

/** Where the value of a field was written. */
export interface FieldOrigin {
  readonly block: DeclaredBlock
  readonly line: number
  readonly key: string
}

export type FieldOrigins<Values> = { readonly [Name in keyof Values]?: FieldOrigin }
