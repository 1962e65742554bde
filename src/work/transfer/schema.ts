import { type Static, Type } from '@sinclair/typebox'

/** How long one file may be: others that write wait while it is imported. */
export const MAX_IMPORT_BYTES = 64 * 1024 * 1024

/** How many beads an import created and changed. */
export const BeadsImported = Type.Object(
  {
    created: Type.Integer(),
    updated: Type.Integer(),
    unchanged: Type.Integer(),
    skipped: Type.Integer({ description: 'Sessions and waits, which mean nothing in another city.' }),
  },
  { $id: 'BeadsImported', additionalProperties: false },
)
export type BeadsImported = Static<typeof BeadsImported>

/** All beads as one list, for callers that take only JSON. */
export const BeadsExported = Type.Object(
  { items: Type.Array(Type.Record(Type.String(), Type.Unknown(), { description: 'A bead, as its line shows it.' })) },
  { $id: 'BeadsExported', additionalProperties: false },
)
