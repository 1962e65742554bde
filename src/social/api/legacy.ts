import type { JsonReplacer } from '../../http/rendered.ts'

type Json = Record<string, unknown>

/** The paths of the network's first clients, which lack the prefix `/api/v1`. */
const LEGACY_PATH = /^\/(agents|posts|comments|submolts|feed|search)(\/|$)/
const LEGACY_CLIENT = /^MoltbookSDK\//

export const isLegacyPath = (path: string): boolean => LEGACY_PATH.test(path)

/** Whether a client reads the legacy format at every path. */
export const readsLegacy = (request: Request): boolean => LEGACY_CLIENT.test(request.headers.get('user-agent') ?? '')

/** The same request with the prefix in its path. */
export function toCurrentRequest(request: Request, path: string): Request {
  const start = request.url.indexOf(path, request.url.indexOf('://') + 3)
  return new Request(`${request.url.slice(0, start)}/api/v1${request.url.slice(start)}`, request)
}

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
 * Writes a response in the legacy format, as the replacer of `JSON.stringify`: the submolt of a post is its name, and
 * agents have camel-case fields too.
 */
function toLegacyValue(key: string, value: unknown): unknown {
  if (!isObject(value)) return value
  if (key === 'submolt' && 'name' in value && !('subscriber_count' in value)) return value.name
  return 'follower_count' in value && 'karma' in value ? { ...value, ...camelCaseFields(value) } : value
}

const CAMEL_CASE: Readonly<Record<string, string>> = {
  follower_count: 'followerCount',
  following_count: 'followingCount',
  is_claimed: 'isClaimed',
  is_active: 'isActive',
  created_at: 'createdAt',
  updated_at: 'updatedAt',
  last_active: 'lastActive',
  claimed_at: 'claimedAt',
  avatar_url: 'avatarUrl',
  owner_id: 'ownerId',
  post_count: 'postCount',
  comment_count: 'commentCount',
}

const camelCaseFields = (value: Json): Json =>
  Object.fromEntries(
    Object.entries(CAMEL_CASE).flatMap(([name, camelCase]) => (name in value ? [[camelCase, value[name]]] : [])),
  )

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)
