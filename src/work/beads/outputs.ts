import { ResultKey } from '../metadata.ts'
import type { Bead } from './schema.ts'

const KEY = ResultKey.outputJson

/** The metadata of a bead as it is stored: its output has a table of its own, and null stands in its place. */
export interface StoredMetadata {
  readonly metadata: string
  /** null when it has none. */
  readonly output: string | null
}

const fromTable = (value: string): string =>
  `iif(instr(metadata, '"${KEY}":null') > 0, (SELECT ${value} FROM bead_outputs WHERE bead_outputs.n = beads.n), NULL)`

/** The output of a bead, and how many bytes that has, for a SELECT from beads; null when it has none. */
export const OUTPUT = fromTable('output')
export const OUTPUT_SIZE = fromTable('octet_length(output)')

export function toStored(metadata: Readonly<Record<string, string>>): StoredMetadata {
  const { [KEY]: output = null } = metadata
  return { metadata: JSON.stringify(output === null ? metadata : { ...metadata, [KEY]: null }), output }
}

/** A bead apart from its output. */
export function withoutOutput(bead: Bead): { rest: Bead; output: string } {
  if (!bead.metadata?.[KEY]) return { rest: bead, output: '' }
  const { [KEY]: output = '', ...metadata } = bead.metadata
  return { rest: { ...bead, metadata }, output }
}

/** Whether a client sees the same of both. */
export function isSameBead(one: Bead, other: Bead): boolean {
  const [a, b] = [withoutOutput(one), withoutOutput(other)]
  return a.output === b.output && JSON.stringify(a.rest) === JSON.stringify(b.rest)
}

export function fromStored({ metadata, output }: StoredMetadata): Record<string, string> {
  const values: Record<string, string> = JSON.parse(metadata)
  if (output !== null) values[KEY] = output
  else if (KEY in values) delete values[KEY]
  return values
}
