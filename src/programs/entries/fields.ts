import { type TProperties, type TSchema, Type } from '@sinclair/typebox'

/** Optional fields of structured transcripts, present when the log of a program has them. */
export const optionalString = Type.Optional(Type.String())
export const optionalInteger = Type.Optional(Type.Integer())
export const optionalBoolean = Type.Optional(Type.Boolean())
export const optionalStrings = Type.Optional(Type.Array(Type.String()))

export const optional = <Shape extends TSchema>(schema: Shape) => Type.Optional(schema)

export const closedObject = <Fields extends TProperties>($id: string, fields: Fields) =>
  Type.Object(fields, { $id, additionalProperties: false })
