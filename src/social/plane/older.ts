type Json = Record<string, unknown>

/** The addresses at which the first clients of the network ask, whatever base address they are given. */
const AT_ROOT = /^\/(agents|posts|comments|submolts|feed|search)(\/|$)/
const OWN_CLIENT = /^MoltbookSDK\//

/** Whether a path is one of the older dialect. */
export const isOlderPath = (path: string): boolean => AT_ROOT.test(path)

/** Whether a client reads the older dialect wherever it asks. */
export const readsOlder = (request: Request): boolean => OWN_CLIENT.test(request.headers.get('user-agent') ?? '')

/** The same request at today's address. */
export function atPresent(request: Request, path: string): Request {
  const at = request.url.indexOf(path, request.url.indexOf('://') + 3)
  return new Request(`${request.url.slice(0, at)}/api/v1${request.url.slice(at)}`, request)
}

/** An answer as the older dialect has it: the submolt of a post is its name, and an agent has camel-case fields too. */
export async function toOlder(response: Response): Promise<Response> {
  if (!response.headers.get('content-type')?.startsWith('application/json')) return response
  const { status } = response
  const text = await response.text()
  const headers = new Headers(response.headers)
  headers.delete('content-length')
  return new Response(text && JSON.stringify(JSON.parse(text), older), { status, headers })
}

/** What `JSON.stringify` writes for a value under a key. */
function older(key: string, value: unknown): unknown {
  if (!isObject(value)) return value
  if (key === 'submolt' && 'name' in value && !('subscriber_count' in value)) return value.name
  return 'follower_count' in value && 'karma' in value ? { ...value, ...twinsOf(value) } : value
}

const TWINS: Readonly<Record<string, string>> = {
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

const twinsOf = (value: Json): Json =>
  Object.fromEntries(Object.entries(TWINS).flatMap(([name, twin]) => (name in value ? [[twin, value[name]]] : [])))

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)
