import { type Static, Type } from '@sinclair/typebox'
import { integer, string, success } from '../../shared/index.ts'
import { Post } from '../schema.ts'

export const ReportDraft = Type.Object(
  { reason: Type.Optional(string('Reason, up to 500 characters.')) },
  { $id: 'ReportDraft' },
)
export type ReportDraft = Static<typeof ReportDraft>

const ReportedPost = Type.Object(
  {
    post: Post,
    report_count: integer('Number of agents that reported it.'),
    reasons: Type.Array(Type.String(), { description: 'The newest 10 reasons that were given.' }),
    last_reported_at: Type.String(),
  },
  { $id: 'ReportedPost' },
)

export const ReportListResponse = Type.Object(
  { success, reported: Type.Array(ReportedPost, { description: 'The most reported first, at most 100.' }) },
  { $id: 'ReportListResponse' },
)
export type ReportListResponse = Static<typeof ReportListResponse>
