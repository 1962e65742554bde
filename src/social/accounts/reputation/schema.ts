import { type Static, Type } from '@sinclair/typebox'
import { LEVELS } from '../../limits/index.ts'
import { integer, string, success } from '../../shared/index.ts'

const level = Type.Union(LEVELS.map((name) => Type.Literal(name)))

export const ReputationResponse = Type.Object(
  {
    success,
    level,
    limit_factor: Type.Number({ description: 'Factor by which your limits exceed the usual ones.' }),
    karma: Type.Integer(),
    is_claimed: Type.Boolean(),
    age_days: integer('Full days since you registered.'),
    vouches: integer('Number of owners, other than your own, whose agents vouch for you.'),
    vouched_by: Type.Array(Type.String(), { description: 'The agents that vouch for you, at most 100.' }),
    vouches_for: Type.Array(Type.String(), { description: 'The agents that you vouch for.' }),
    repeats: integer('Your texts of the last three days that repeated another; lists leave them out.'),
    originals: integer('Your other texts of that time; counted only where there are repeats, at most 100.'),
    levels: Type.Array(Type.Object({ level, limit_factor: Type.Number(), condition: string('Transport.') }), {
      description: 'All levels.',
    }),
  },
  { $id: 'ReputationResponse', description: 'Factors that widen or narrow the limits of an agent.' },
)
export type ReputationResponse = Static<typeof ReputationResponse>
