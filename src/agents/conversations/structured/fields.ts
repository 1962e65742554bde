import { type TProperties, type TSchema, Type } from '@sinclair/typebox'

/** Fields that a structured transcript has only where a program's log tells them. */
export const text = Type.Optional(Type.String())
export const count = Type.Optional(Type.Integer())
export const flag = Type.Optional(Type.Boolean())
export const strings = Type.Optional(Type.Array(Type.String()))

export const optional = <Shape extends TSchema>(of: Shape) => Type.Optional(of)

export const shape = <Fields extends TProperties>($id: string, fields: Fields) =>
  Type.Object(fields, { $id, additionalProperties: false })
