import { Type } from '@sinclair/typebox'

export const text = (description: string) => Type.String({ description })

export const count = (description: string) => Type.Integer({ description })

export const orNull = (description: string) => Type.Union([Type.String(), Type.Null()], { description })

/** What the caller voted. */
export const vote = Type.Union([Type.Literal(1), Type.Literal(-1), Type.Null()], {
  description: 'The caller’s vote: 1 up, -1 down, null for none.',
})
