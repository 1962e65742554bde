import { type Static, Type } from '@sinclair/typebox'
import { paging } from '../../http/schema.ts'
import { Bead } from '../beads/index.ts'

export const BeadSearch = Type.Object({
  q: Type.Optional(
    Type.String({
      maxLength: 500,
      description:
        'Words that must all occur in the bead or in one comment on it; complete words unless `prefixes`, in any order and ' +
        'case. Without words nothing is found.',
    }),
  ),
  prefixes: Type.Optional(Type.Boolean({ description: 'True to match prefixes of words, as while typing.' })),
  status: Type.Optional(Type.String({ description: 'Only this status.' })),
  type: Type.Optional(Type.String({ description: 'Only this type.' })),
  rig: Type.Optional(Type.String({ description: "Only this rig; the city's own name selects the beads of no rig." })),
  ...paging,
})
export type BeadSearch = Static<typeof BeadSearch>

export const BeadsFound = Type.Object(
  {
    items: Type.Array(Bead, { description: 'The bead that was created last comes first.' }),
    next_cursor: Type.Optional(
      Type.String({
        description: 'Send it as `cursor` to read on; a page may be short, even empty, and still have one.',
      }),
    ),
  },
  { $id: 'BeadsFound', additionalProperties: false },
)
export type BeadsFound = Static<typeof BeadsFound>
