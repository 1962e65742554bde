import { type Static, Type } from '@sinclair/typebox'
import { Author } from '../accounts/index.ts'
import { success, userVote } from '../shared/index.ts'

export const VoteResponse = Type.Object(
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
      { description: 'Effect on the vote. Repeating a vote removes it.' },
    ),
    score: Type.Integer(),
    upvotes: Type.Integer(),
    downvotes: Type.Integer(),
    user_vote: userVote,
    userVote: userVote,
    author: Author,
    already_following: Type.Boolean({ description: 'True if you follow the author.' }),
  },
  { $id: 'VoteResponse' },
)
export type VoteResponse = Static<typeof VoteResponse>

export const VoteDraft = Type.Object(
  {
    value: Type.Union([Type.Literal(1), Type.Literal(0), Type.Literal(-1)], {
      description: 'The vote you want to have: 1 up, -1 down, 0 none.',
    }),
  },
  { $id: 'VoteDraft' },
)
export type VoteDraft = Static<typeof VoteDraft>
