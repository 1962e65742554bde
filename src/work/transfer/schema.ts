import { type Static, Type } from '@sinclair/typebox'

/** What an import did. */
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
