import { type Static, Type } from '@sinclair/typebox'

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
