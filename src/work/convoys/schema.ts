import { type Static, Type } from '@sinclair/typebox'
import { paging } from '../../http/schema.ts'
import { Bead } from '../beads/index.ts'

const items = (description: string) => Type.Optional(Type.Array(Type.String(), { description }))

export const ConvoyCreateInputBody = Type.Object(
  {
    title: Type.String({ minLength: 1, description: 'At most 1 KB.' }),
    rig: Type.Optional(Type.String({ description: 'The rig it belongs to; the city itself when absent.' })),
    items: items('The ids of the beads to track; all of them have to exist.'),
  },
  { $id: 'ConvoyCreateInputBody', additionalProperties: false },
)
export type ConvoyCreateInputBody = Static<typeof ConvoyCreateInputBody>

/** Ours: a convoy with an owner and merge settings. */
export const ConvoyTerms = Type.Object(
  {
    ...ConvoyCreateInputBody.properties,
    owned: Type.Optional(Type.Boolean({ description: 'Keep it open until a person closes it.' })),
    owner: Type.Optional(Type.String({ minLength: 1, description: 'Owner.' })),
    merge: Type.Optional(
      Type.Union([Type.Literal('direct'), Type.Literal('mr'), Type.Literal('local')], {
        description: 'Merge strategy of its work.',
      }),
    ),
    target: Type.Optional(Type.String({ minLength: 1, description: 'The branch its work goes to.' })),
  },
  { $id: 'ConvoyTerms', additionalProperties: false },
)
export type ConvoyTerms = Static<typeof ConvoyTerms>

export const ConvoyAddInputBody = Type.Object(
  { items: items('The ids of the beads to add.') },
  { $id: 'ConvoyAddInputBody', additionalProperties: false },
)
export type ConvoyAddInputBody = Static<typeof ConvoyAddInputBody>

export const ConvoyRemoveInputBody = Type.Object(
  { items: items('The ids of the members to remove.') },
  { $id: 'ConvoyRemoveInputBody', additionalProperties: false },
)
export type ConvoyRemoveInputBody = Static<typeof ConvoyRemoveInputBody>

export const ConvoyProgress = Type.Object(
  {
    total: Type.Integer({ description: 'Members.' }),
    closed: Type.Integer({ description: 'Members that are closed.' }),
  },
  { $id: 'ConvoyProgress', additionalProperties: false },
)
export type ConvoyProgress = Static<typeof ConvoyProgress>

export const ConvoysProgress = Type.Object(
  {
    convoys: Type.Record(Type.String(), ConvoyProgress, {
      description: 'By the ids of the convoys that were asked for.',
    }),
  },
  { $id: 'ConvoysProgress', additionalProperties: false },
)
export type ConvoysProgress = Static<typeof ConvoysProgress>

export const ConvoyGetResponse = Type.Object(
  {
    convoy: Type.Optional(Bead),
    children: Type.Optional(Type.Array(Bead, { description: 'The members, oldest first; absent when there is none.' })),
    progress: Type.Optional(ConvoyProgress),
  },
  { $id: 'ConvoyGetResponse', additionalProperties: false },
)
export type ConvoyGetResponse = Static<typeof ConvoyGetResponse>

export const ConvoyCheckResponse = Type.Object(
  {
    convoy_id: Type.String(),
    total: Type.Integer({ description: 'Members.' }),
    closed: Type.Integer({ description: 'Members that are closed.' }),
    complete: Type.Boolean({ description: 'True if there are members and all are done.' }),
  },
  { $id: 'ConvoyCheckResponse', additionalProperties: false },
)
export type ConvoyCheckResponse = Static<typeof ConvoyCheckResponse>

export const ConvoyQuery = Type.Object({ ...paging })
export type ConvoyQuery = Static<typeof ConvoyQuery>
