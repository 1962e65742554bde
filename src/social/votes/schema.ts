import { type Static, Type } from '@sinclair/typebox'
import { Author } from '../agents/schema.ts'
import { vote } from '../fields.ts'
import { success } from '../page.ts'

export const Voted = Type.Object(
  {
    success,
    message: Type.String(),
    action: Type.Union(
      [
        Type.Literal('upvoted'),
        Type.Literal('downvoted'),
        Type.Literal('removed'),
        Type.Literal('changed'),
        Type.Literal('unchanged'),
      ],
      { description: 'What became of the vote. The same vote again takes it back.' },
    ),
    score: Type.Integer(),
    upvotes: Type.Integer(),
    downvotes: Type.Integer(),
    user_vote: vote,
    userVote: vote,
    author: Author,
    already_following: Type.Boolean({ description: 'Whether the caller follows the author.' }),
  },
  { $id: 'Voted' },
)
export type Voted = Static<typeof Voted>

export const VoteWish = Type.Object(
  {
    value: Type.Union([Type.Literal(1), Type.Literal(0), Type.Literal(-1)], {
      description: 'What the vote is to be: 1 up, -1 down, 0 none. Sent twice it changes nothing.',
    }),
  },
  { $id: 'VoteWish' },
)
export type VoteWish = Static<typeof VoteWish>
