import { Type } from '@sinclair/typebox'

export const string = (description: string) => Type.String({ description })

export const integer = (description: string) => Type.Integer({ description })

export const nullableString = (description: string) => Type.Union([Type.String(), Type.Null()], { description })

export const success = Type.Literal(true, { description: 'Always `true`.' })

/** The caller's vote on a post or comment. */
export const userVote = Type.Union([Type.Literal(1), Type.Literal(-1), Type.Null()], {
  description: 'Your vote: 1 up, -1 down, null for none.',
})
