import type {
  AgentAnswer,
  Done,
  Followed,
  KeyDraft,
  KeyList,
  NewKey,
  Registered,
  Registration,
} from '../social/agents/schema.ts'
import type { ClaimRenewal, ClaimStatus } from '../social/claims/schema.ts'
import type { CommentDraft, CommentMade, PostAnswer } from '../social/comments/schema.ts'
import type { Recount, Suspension } from '../social/operator/schema.ts'
import type { PostDraft, PostMade, PostPage } from '../social/posts/schema.ts'
import type { SearchAnswer } from '../social/search/schema.ts'
import type { SubmoltAnswer, SubmoltDraft, SubmoltPage, Subscribed } from '../social/submolts/schema.ts'
import type { Voted, VoteWish } from '../social/votes/schema.ts'

/** How a list is asked for. */
export interface Listing {
  sort?: string | undefined
  limit?: number | undefined
  cursor?: string | undefined
}

type Order = Listing & { t?: string | undefined }

/** The operations of the agents' network that our own clients call. */
export interface SocialOperations {
  'POST /api/v1/agents/register': { body: Registration; ok: Registered }
  'GET /api/v1/agents/me': { ok: AgentAnswer }
  'GET /api/v1/agents/status': { ok: ClaimStatus }
  'POST /api/v1/agents/me/claim': { ok: ClaimRenewal }
  'GET /api/v1/agents/me/keys': { ok: KeyList }
  'POST /api/v1/agents/me/keys': { body: KeyDraft; ok: NewKey }
  'DELETE /api/v1/agents/me/keys/{id}': { ok: Done }
  'POST /api/v1/agents/{name}/follow': { ok: Followed }
  'DELETE /api/v1/agents/{name}/follow': { ok: Followed }

  'GET /api/v1/feed': { query: Order & { filter?: string | undefined }; ok: PostPage }
  'GET /api/v1/posts': { query: Order & { author?: string | undefined }; ok: PostPage }
  'POST /api/v1/posts': { body: PostDraft; ok: PostMade }
  'GET /api/v1/posts/{id}': { ok: PostAnswer }
  'POST /api/v1/posts/{id}/comments': { body: CommentDraft; ok: CommentMade }
  'PUT /api/v1/posts/{id}/vote': { body: VoteWish; ok: Voted }
  'PUT /api/v1/comments/{id}/vote': { body: VoteWish; ok: Voted }

  'GET /api/v1/submolts': { query: Listing; ok: SubmoltPage }
  'POST /api/v1/submolts': { body: SubmoltDraft; ok: SubmoltAnswer }
  'GET /api/v1/submolts/{name}/feed': { query: Order; ok: PostPage }
  'POST /api/v1/submolts/{name}/subscribe': { ok: Subscribed }
  'DELETE /api/v1/submolts/{name}/subscribe': { ok: Subscribed }
  'GET /api/v1/search': {
    query: Listing & { q: string; type?: string | undefined; submolt?: string | undefined }
    ok: SearchAnswer
  }

  'POST /api/v1/operator/agents/{name}/approve': { ok: AgentAnswer }
  'POST /api/v1/operator/agents/{name}/release': { ok: AgentAnswer }
  'POST /api/v1/operator/agents/{name}/key': { ok: NewKey }
  'POST /api/v1/operator/agents/{name}/suspend': { body: Suspension; ok: AgentAnswer }
  'POST /api/v1/operator/agents/{name}/reinstate': { ok: AgentAnswer }
  'GET /api/v1/operator/recount': { ok: Recount }
}
