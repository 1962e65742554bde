import { type Static, Type } from '@sinclair/typebox'
import { nullable } from '../../http/schema.ts'
import { Bead } from '../schema.ts'
import { BeadCreateInputBody, BeadUpdateBody } from './schema.ts'

/** The most beads that one request creates or changes. */
const MAX_BEADS = 100

export const BeadEntry = Type.Object(
  {
    ...BeadCreateInputBody.properties,
    name: Type.Optional(
      Type.String({
        pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$',
        description: 'A name by which other entries of this request refer to it; it takes precedence over an id.',
      }),
    ),
    parent: Type.Optional(
      Type.String({ description: 'The bead it is a part of, by a name of this request or an id.' }),
    ),
    needs: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 512 }), {
        description: 'Dependencies: names of this request or ids, `type:name` for types other than `blocks`.',
      }),
    ),
    ephemeral: Type.Optional(Type.Boolean({ description: 'True if it is bookkeeping rather than work to keep.' })),
  },
  { $id: 'BeadEntry', additionalProperties: false },
)
export type BeadEntry = Static<typeof BeadEntry>

export const BeadsBulkCreate = Type.Object(
  { beads: Type.Array(BeadEntry, { minItems: 1, maxItems: MAX_BEADS, description: 'In any order.' }) },
  { $id: 'BeadsBulkCreate', additionalProperties: false },
)
export type BeadsBulkCreate = Static<typeof BeadsBulkCreate>

export const BeadsCreated = Type.Object(
  {
    beads: Type.Array(Bead, { description: 'In the order of the entries.' }),
    names: Type.Record(Type.String(), Type.String(), { description: 'The ids of the named entries.' }),
  },
  { $id: 'BeadsCreated', additionalProperties: false },
)
export type BeadsCreated = Static<typeof BeadsCreated>

export const BeadChangeEntry = Type.Object(
  {
    id: Type.String({ minLength: 1, description: 'The bead to change.' }),
    ...BeadUpdateBody.properties,
    append_metadata: Type.Optional(
      Type.Record(Type.String(), Type.String(), {
        description: 'Keys whose value is extended by a line; a key without a value gets it.',
      }),
    ),
    ephemeral: Type.Optional(Type.Boolean({ description: 'True if it is bookkeeping rather than work to keep.' })),
    defer_until: Type.Optional(
      nullable(
        Type.String({ format: 'date-time', description: 'It is not ready before this; null for no such time.' }),
      ),
    ),
    if_status: Type.Optional(
      Type.String({ description: 'The status that it must have for the change; another is a conflict.' }),
    ),
  },
  { $id: 'BeadChangeEntry', additionalProperties: false },
)
export type BeadChangeEntry = Static<typeof BeadChangeEntry>

export const BeadsBulkUpdate = Type.Object(
  { updates: Type.Array(BeadChangeEntry, { minItems: 1, maxItems: MAX_BEADS, description: 'Applied in this order.' }) },
  { $id: 'BeadsBulkUpdate', additionalProperties: false },
)
export type BeadsBulkUpdate = Static<typeof BeadsBulkUpdate>

/** The outcome of throwing a molecule away. */
export const BeadsBurned = Type.Object(
  {
    deleted: Type.Array(Type.String(), { description: 'Bookkeeping that was removed for good, children first.' }),
    closed: Type.Array(Type.String(), { description: 'Work that was closed; it stays as history.' }),
  },
  { $id: 'BeadsBurned', additionalProperties: false },
)
export type BeadsBurned = Static<typeof BeadsBurned>
