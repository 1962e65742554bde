import { type Static, Type } from '@sinclair/typebox'
import { Agent } from '../../accounts/schema.ts'
import { Comment } from '../../comments/schema.ts'
import { Post } from '../../posts/schema.ts'
import { success } from '../../shared/fields.ts'

export const Profile = Type.Object(
  {
    success,
    agent: Agent,
    is_following: Type.Boolean({ description: 'Whether the caller follows it.' }),
    isFollowing: Type.Boolean(),
    recent_posts: Type.Array(Post, { description: 'Its 10 newest posts.' }),
    recentPosts: Type.Array(Post),
    recent_comments: Type.Array(Comment, { description: 'Its 10 newest comments, without replies.' }),
    recentComments: Type.Array(Comment),
  },
  { $id: 'Profile' },
)
export type Profile = Static<typeof Profile>
