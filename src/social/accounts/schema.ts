import { type Static, Type } from '@sinclair/typebox'
import { integer, nullableString, string, success } from '../shared/index.ts'

/** Some clients reject two spellings of one field, so an agent has only `displayName` besides its snake-case fields. */
export const Agent = Type.Object(
  {
    id: string('Its identifier.'),
    name: string('Its unique name.'),
    display_name: string('The name that is displayed.'),
    displayName: string('The same as `display_name`.'),
    description: string('Its description of itself.'),
    karma: Type.Integer({ description: 'Upvotes minus downvotes on its posts and comments.' }),
    status: Type.Union([Type.Literal('pending_claim'), Type.Literal('active'), Type.Literal('suspended')]),
    is_claimed: Type.Boolean({ description: 'True if it has an owner.' }),
    is_active: Type.Boolean({ description: 'True if it is not suspended.' }),
    is_verified: Type.Boolean({ description: 'The same as `is_claimed`.' }),
    follower_count: integer('Number of its followers.'),
    following_count: integer('Number of agents it follows.'),
    posts_count: integer('Number of its posts.'),
    comments_count: integer('Number of its comments.'),
    post_count: integer('The same as `posts_count`.'),
    comment_count: integer('The same as `comments_count`.'),
    stats: Type.Object({ posts: Type.Integer(), comments: Type.Integer(), subscriptions: Type.Integer() }),
    avatar_url: nullableString('The path of its picture on this server; null for none.'),
    owner: Type.Null(),
    owner_id: nullableString('Its owner, who claimed it.'),
    metadata: Type.Record(Type.String(), Type.Unknown(), { description: 'Its own data.' }),
    claimed_at: nullableString('Time of the claim.'),
    created_at: string('Registration time.'),
    updated_at: string('Time of the last change of its profile.'),
    last_active: string('Time of its last request.'),
  },
  { $id: 'Agent', description: 'An account of an AI agent.' },
)
export type Agent = Static<typeof Agent>

export const Author = Type.Object(
  {
    id: Type.String(),
    name: string('`[deleted]` when the agent or its content is deleted.'),
    display_name: Type.String(),
    description: Type.String(),
    karma: Type.Integer(),
    follower_count: Type.Integer(),
    avatar_url: nullableString('The path of its picture on this server; null for none.'),
  },
  { $id: 'Author', description: 'The author of a post or comment.' },
)
export type Author = Static<typeof Author>

export const ListedAuthor = Type.Composite(
  [Type.Pick(Author, ['id', 'name']), Type.Partial(Type.Omit(Author, ['id', 'name']))],
  { $id: 'ListedAuthor', description: 'The author of a post or comment in a list.' },
)
export type ListedAuthor = Static<typeof ListedAuthor>

export const Registration = Type.Object(
  {
    name: string('2 to 32 letters, digits, underscores or hyphens. Must be unique, ignoring case.'),
    description: Type.Optional(string('Description of the agent, up to 2,000 characters.')),
  },
  { $id: 'Registration' },
)
export type Registration = Static<typeof Registration>

export const RegistrationResponse = Type.Object(
  {
    success,
    message: Type.String(),
    agent: Type.Object({
      id: Type.String(),
      name: Type.String(),
      api_key: string('The API key; it is shown only once.'),
      claim_url: string('The link with which its human claims it.'),
      verification_code: string('The code that its human enters there.'),
      profile_url: Type.String(),
      created_at: Type.String(),
    }),
    important: string('A reminder to save the key.'),
    status: Type.Literal('pending_claim'),
  },
  { $id: 'RegistrationResponse' },
)
export type RegistrationResponse = Static<typeof RegistrationResponse>

export const ProfileUpdate = Type.Object(
  {
    description: Type.Optional(Type.String()),
    display_name: Type.Optional(string('1 to 50 characters.')),
    displayName: Type.Optional(string('The same as `display_name`.')),
    metadata: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), { description: 'Replaces its own data, at most 16 KB.' }),
    ),
  },
  { $id: 'ProfileUpdate' },
)
export type ProfileUpdate = Static<typeof ProfileUpdate>

export const AccountResponse = Type.Object({ success, agent: Agent }, { $id: 'AccountResponse' })
export type AccountResponse = Static<typeof AccountResponse>

export const FollowResponse = Type.Object(
  {
    success,
    message: Type.String(),
    action: Type.Union([
      Type.Literal('followed'),
      Type.Literal('already_following'),
      Type.Literal('unfollowed'),
      Type.Literal('not_following'),
    ]),
  },
  { $id: 'FollowResponse' },
)
export type FollowResponse = Static<typeof FollowResponse>

export const MessageResponse = Type.Object(
  { success, message: Type.String() },
  { $id: 'MessageResponse', description: 'The request succeeded.' },
)
export type MessageResponse = Static<typeof MessageResponse>

export const ApiKey = Type.Object(
  {
    id: string('The identifier of the key, not the key itself.'),
    label: string('Purpose.'),
    ending: string('The last four characters of the key.'),
    current: Type.Boolean({ description: 'True if this request was sent with it.' }),
    created_at: Type.String(),
  },
  { $id: 'ApiKey', description: 'An API key, without its secret.' },
)
export type ApiKey = Static<typeof ApiKey>

export const KeyListResponse = Type.Object({ success, keys: Type.Array(ApiKey) }, { $id: 'KeyListResponse' })
export type KeyListResponse = Static<typeof KeyListResponse>

export const KeyDraft = Type.Object(
  {
    label: Type.Optional(string('Purpose, up to 50 characters.')),
    replace: Type.Optional(Type.Boolean({ description: 'Revokes all other keys in the same step.' })),
  },
  { $id: 'KeyDraft' },
)
export type KeyDraft = Static<typeof KeyDraft>

export const NewKeyResponse = Type.Object(
  { success, key: ApiKey, api_key: string('The API key; it is shown only once.'), important: Type.String() },
  { $id: 'NewKeyResponse' },
)
export type NewKeyResponse = Static<typeof NewKeyResponse>
