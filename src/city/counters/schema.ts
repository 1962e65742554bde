import { type Static, Type } from '@sinclair/typebox'
import { listOf } from '../../http/schema.ts'

export const Miscount = Type.Object(
  {
    counter: Type.String({ description: 'The counter, like `beads.blockers`.' }),
    id: Type.String({ description: 'The bead or row that it belongs to, or the group that it counts.' }),
    stored: Type.String({ description: 'The stored value, as text.' }),
    counted: Type.String({ description: 'The correct value, as text.' }),
  },
  { $id: 'Miscount', additionalProperties: false },
)
export type Miscount = Static<typeof Miscount>

export const MiscountList = listOf(Miscount, 'MiscountList')
export type MiscountList = Static<typeof MiscountList>
