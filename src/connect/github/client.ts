import type { PullRequestMonitorConfig } from '../../config/github/monitor.ts'
import { isObject } from '../../http/json-object.ts'

/** A pull request as GitHub lists it; moments are milliseconds, null for what did not happen. */
export interface PullRequest {
  readonly number: number
  readonly title: string
  readonly url: string
  readonly author: string
  readonly draft: boolean
  readonly base: string
  readonly head: string
  readonly headSha: string
  readonly createdAt: number
  readonly updatedAt: number
  readonly closedAt: number | null
  readonly mergedAt: number | null
}

/** A page of pull requests, the last changed first. */
export interface Page {
  readonly etag: string
  readonly items: readonly PullRequest[]
}

/** GitHub asks to be left alone for so many milliseconds. */
export class TooSoon extends Error {
  constructor(readonly wait: number) {
    super(`GitHub wants ${Math.ceil(wait / 1000)} s of rest`)
  }
}

export const PAGE_SIZE = 100
const TIMEOUT_MS = 30_000
const MAX_BYTES = 8 * 1024 * 1024
const MAX_TITLE = 500

/** The address of the pull requests of a repository. */
export const addressOf = ({ baseUrl, owner, repo }: PullRequestMonitorConfig): string =>
  `${baseUrl}/repos/${owner}/${repo}/pulls`

/** Reads a page; undefined when it is still the one of that etag. The token goes to that address and nowhere else. */
export async function fetchPage(
  monitor: PullRequestMonitorConfig,
  page: number,
  { etag, token, now }: { etag: string; token: string | undefined; now: number },
): Promise<Page | undefined> {
  const query = `state=all&sort=updated&direction=desc&per_page=${PAGE_SIZE}&page=${page}`
  const response = await fetch(`${addressOf(monitor)}?${query}`, {
    redirect: 'manual',
    signal: AbortSignal.timeout(TIMEOUT_MS),
    headers: {
      accept: 'application/vnd.github+json',
      'user-agent': 'gc',
      'x-github-api-version': '2022-11-28',
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(etag !== '' && { 'if-none-match': etag }),
    },
  })
  if (response.status === 304) return undefined
  const wait = restOf(response, now)
  if (wait !== undefined) throw new TooSoon(wait)
  if (response.status !== 200) throw new Error(`${addressOf(monitor)} answered ${response.status}`)
  const list: unknown = JSON.parse(await readText(response))
  if (!Array.isArray(list)) throw new Error(`${addressOf(monitor)} is no list of pull requests`)
  return { etag: response.headers.get('etag') ?? '', items: list.flatMap(toPullRequest) }
}

/** How long a rate limit asks to wait; undefined when it does not. */
function restOf({ status, headers }: Response, now: number): number | undefined {
  if (status !== 403 && status !== 429) return undefined
  const seconds = Number(headers.get('retry-after') ?? Number.NaN)
  if (seconds > 0) return seconds * 1000
  const reset = Number(headers.get('x-ratelimit-reset') ?? Number.NaN) * 1000
  if (headers.get('x-ratelimit-remaining') === '0' && reset > now) return reset - now
  return status === 429 ? 60_000 : undefined
}

async function readText({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of body ?? []) {
    length += chunk.length
    if (length > MAX_BYTES) throw new Error('the list of pull requests is too long')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

/** What is not as GitHub documents it is left out. */
function toPullRequest(value: unknown): PullRequest[] {
  if (!isObject(value) || typeof value.number !== 'number' || !Number.isSafeInteger(value.number)) return []
  const [base, head, user] = [value.base, value.head, value.user].map((each) => (isObject(each) ? each : {}))
  const [createdAt, updatedAt] = [momentOf(value.created_at), momentOf(value.updated_at)]
  if (createdAt === null || updatedAt === null) return []
  return [
    {
      ...{ number: value.number, createdAt, updatedAt },
      ...{ closedAt: momentOf(value.closed_at), mergedAt: momentOf(value.merged_at) },
      ...{ title: textOf(value.title), url: textOf(value.html_url), author: textOf(user?.login) },
      ...{ draft: value.draft === true, base: textOf(base?.ref), head: textOf(head?.ref), headSha: textOf(head?.sha) },
    },
  ]
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value.slice(0, MAX_TITLE) : '')

function momentOf(value: unknown): number | null {
  const at = typeof value === 'string' ? Date.parse(value) : Number.NaN
  return Number.isNaN(at) ? null : at
}
