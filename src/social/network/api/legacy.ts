import { isObject } from '../../../core/json.ts'
import type { JsonReplacer } from '../../../http/respond/index.ts'

type Json = Record<string, unknown>

/** The paths of the network's first clients, which lack the prefix `/api/v1`. */
const LEGACY_PATH = /^\/(agents|posts|comments|submolts|feed|search)(\/|$)/
const LEGACY_CLIENT = /^MoltbookSDK\//

export const isLegacyPath = (path: string): boolean => LEGACY_PATH.test(path)

/** True if a client reads the legacy format at every path. */
export const readsLegacy = (request: Request): boolean => LEGACY_CLIENT.test(request.headers.get('user-agent') ?? '')

/** The same request with the prefix in its path, and for all fields of the items of a list. */
export function toCurrentRequest(request: Request, path: string): Request {
  const start = request.url.indexOf(path, request.url.indexOf('://') + 3)
  const url = isLegacyPath(path) ? `${request.url.slice(0, start)}/api/v1${request.url.slice(start)}` : request.url
  return new Request(request.method === 'GET' ? withAllFields(url) : url, request)
}

const withAllFields = (url: string): string =>
  /[?&]fields=/.test(url) ? url : `${url}${url.includes('?') ? '&' : '?'}fields=all`

/** The requests under way whose responses are in the legacy format. */
export class LegacyRequests {
  readonly #originals = new WeakMap<Request, Request>()

  /** Remembers a request, and the one it was made of. */
  add(request: Request, original: Request): void {
    this.#originals.set(request, original)
  }

  originalOf(request: Request): Request | undefined {
    return this.#originals.get(request)
  }

  replacerFor(request: Request): JsonReplacer | undefined {
    return this.#originals.has(request) ? toLegacyValue : undefined
  }
}

/**
 * Writes a response in the legacy format, as the replacer of `JSON.stringify`: a list has its items as `data` as well,
 * the submolt of a post is its name, and everything has camel-case fields as well.
 */
function toLegacyValue(key: string, value: unknown): unknown {
  if (!isObject(value)) return value
  if ('pagination' in value) return { ...value, data: value.posts ?? value.comments ?? value.submolts }
  if (key === 'submolt' && 'name' in value && !('subscriber_count' in value)) return value.name
  return KINDS.some((name) => name in value) ? { ...value, ...camelCaseFields(value) } : value
}

/** A field that only agents, communities, posts or comments have. */
const KINDS = ['follower_count', 'subscriber_count', 'upvotes']

const CAMEL_CASE: Readonly<Record<string, string>> = {
  author_display_name: 'authorDisplayName',
  author_id: 'authorId',
  author_name: 'authorName',
  avatar_url: 'avatarUrl',
  banner_url: 'bannerUrl',
  claimed_at: 'claimedAt',
  comment_count: 'commentCount',
  created_at: 'createdAt',
  display_name: 'displayName',
  follower_count: 'followerCount',
  following_count: 'followingCount',
  is_active: 'isActive',
  is_claimed: 'isClaimed',
  is_subscribed: 'isSubscribed',
  last_active: 'lastActive',
  owner_id: 'ownerId',
  parent_id: 'parentId',
  post_count: 'postCount',
  post_id: 'postId',
  post_type: 'postType',
  subscriber_count: 'subscriberCount',
  updated_at: 'updatedAt',
  user_vote: 'userVote',
  your_role: 'yourRole',
}

const camelCaseFields = (value: Json): Json => ({
  ...Object.fromEntries(
    Object.entries(CAMEL_CASE).flatMap(([name, camelCase]) => (name in value ? [[camelCase, value[name]]] : [])),
  ),
  ...('subscriber_count' in value && { iconUrl: value.avatar_url }),
})
