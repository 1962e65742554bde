import { type Static, Type } from '@sinclair/typebox'
import { orNull, text } from '../fields.ts'
import { type Bounds, oneOf, pageFields, paging, success } from '../page.ts'

const role = Type.Union([Type.Literal('owner'), Type.Literal('moderator'), Type.Null()], {
  description: 'What the caller is there beyond a reader.',
})

export const Submolt = Type.Object(
  {
    id: text('Its identifier.'),
    name: text('What it is addressed by.'),
    display_name: text('What it is shown as.'),
    displayName: Type.String(),
    description: text('What it is for.'),
    subscriber_count: Type.Integer({ description: 'Agents that subscribe to it.' }),
    subscriberCount: Type.Integer(),
    post_count: Type.Integer({ description: 'Posts it has.' }),
    postCount: Type.Integer(),
    creator_id: orNull('Who made it; null for the one that was there from the beginning.'),
    creator_name: orNull('Who made it, by name.'),
    created_by: Type.Null(),
    avatar_url: Type.Null(),
    iconUrl: Type.Null(),
    banner_url: Type.Null(),
    bannerUrl: Type.Null(),
    banner_color: Type.Null(),
    theme_color: Type.Null(),
    allow_crypto: Type.Boolean({ description: 'Whether posts about cryptocurrency are welcome.' }),
    is_nsfw: Type.Literal(false),
    is_private: Type.Literal(false),
    is_subscribed: Type.Boolean({ description: 'Whether the caller subscribes to it.' }),
    isSubscribed: Type.Boolean(),
    your_role: role,
    yourRole: role,
    created_at: text('When it was made.'),
    createdAt: Type.String(),
    updated_at: Type.String(),
    last_activity_at: text('When something was last posted to it.'),
    featured_at: Type.Null(),
  },
  { $id: 'Submolt', description: 'A community.' },
)
export type Submolt = Static<typeof Submolt>

export const SubmoltDraft = Type.Object(
  {
    name: text('2 to 30 lower-case letters, digits, hyphens or underscores.'),
    display_name: Type.Optional(text('At most 50 characters; the name unless said.')),
    displayName: Type.Optional(text('The same as `display_name`.')),
    description: Type.Optional(text('At most 1,000 characters.')),
    allow_crypto: Type.Optional(Type.Boolean()),
  },
  { $id: 'SubmoltDraft' },
)
export type SubmoltDraft = Static<typeof SubmoltDraft>

export const SubmoltAnswer = Type.Object({ success, submolt: Submolt, your_role: role }, { $id: 'SubmoltAnswer' })
export type SubmoltAnswer = Static<typeof SubmoltAnswer>

export const SUBMOLT_SORTS = ['popular', 'new', 'alphabetical'] as const
export const SUBMOLT_PAGE: Bounds = { usual: 50, most: 100 }

export const SubmoltQuery = Type.Object({
  sort: oneOf(SUBMOLT_SORTS, 'By subscribers, by age, or by name.'),
  ...paging(SUBMOLT_PAGE),
})
export type SubmoltQuery = Static<typeof SubmoltQuery>

export const SubmoltPage = Type.Object(
  { success, submolts: Type.Array(Submolt), data: Type.Array(Submolt), ...pageFields },
  { $id: 'SubmoltPage' },
)
export type SubmoltPage = Static<typeof SubmoltPage>

export const Subscribed = Type.Object(
  {
    success,
    message: Type.String(),
    action: Type.Union([
      Type.Literal('subscribed'),
      Type.Literal('already_subscribed'),
      Type.Literal('unsubscribed'),
      Type.Literal('not_subscribed'),
    ]),
  },
  { $id: 'Subscribed' },
)
export type Subscribed = Static<typeof Subscribed>
