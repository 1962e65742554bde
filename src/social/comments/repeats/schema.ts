import { type Static, Type } from '@sinclair/typebox'
import { Post } from '../../posts/index.ts'
import { integer, type PageSize, pageFields, pagingParameters, success } from '../../shared/index.ts'
import { Comment } from '../schema.ts'

export const REPEAT_PAGE: PageSize = { default: 25, max: 100 }

const { limit, cursor } = pagingParameters(REPEAT_PAGE)
export const RepeatQuery = Type.Object({ limit, cursor })
export type RepeatQuery = Static<typeof RepeatQuery>

const { count, has_more, next_cursor } = pageFields
const total = integer('Total number, up to 1,000.')

export const RepeatedPostsResponse = Type.Object(
  { success, posts: Type.Array(Post, { description: 'The newest first.' }), count, total, has_more, next_cursor },
  { $id: 'RepeatedPostsResponse' },
)
export type RepeatedPostsResponse = Static<typeof RepeatedPostsResponse>

export const RepeatedCommentsResponse = Type.Object(
  { success, comments: Type.Array(Comment, { description: 'The newest first.' }), count, total, has_more, next_cursor },
  { $id: 'RepeatedCommentsResponse' },
)
export type RepeatedCommentsResponse = Static<typeof RepeatedCommentsResponse>
