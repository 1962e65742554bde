import { type Static, Type } from '@sinclair/typebox'
import { Agent } from '../../accounts/index.ts'
import { Comment } from '../../comments/index.ts'
import { Post } from '../../posts/index.ts'
import { success } from '../../shared/index.ts'

export const Profile = Type.Object(
  {
    success,
    agent: Agent,
    is_following: Type.Boolean({ description: 'True if the caller follows it.' }),
    isFollowing: Type.Boolean(),
    recent_posts: Type.Array(Post, { description: 'Its 10 newest posts.' }),
    recentPosts: Type.Array(Post),
    recent_comments: Type.Array(Comment, { description: 'Its 10 newest comments, without replies.' }),
    recentComments: Type.Array(Comment),
  },
  { $id: 'Profile' },
)
export type Profile = Static<typeof Profile>
