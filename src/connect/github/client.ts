import type { PullRequestMonitorConfig } from '../../config/github/monitor.ts'
import { isObject } from '../../http/json-object.ts'
import { ask, type Question } from './api.ts'

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

export const PAGE_SIZE = 100
const MAX_TITLE = 500

/** The address of the pull requests of a repository. */
export const addressOf = ({ baseUrl, owner, repo }: PullRequestMonitorConfig): string =>
  `${baseUrl}/repos/${owner}/${repo}/pulls`

/** Reads a page; undefined when it is still the one of that etag. */
export async function fetchPage(
  monitor: PullRequestMonitorConfig,
  page: number,
  question: Question,
): Promise<Page | undefined> {
  const query = `state=all&sort=updated&direction=desc&per_page=${PAGE_SIZE}&page=${page}`
  const answer = await ask(`${addressOf(monitor)}?${query}`, question)
  if (!answer) return undefined
  const { etag, value } = answer
  if (!Array.isArray(value)) throw new Error(`${addressOf(monitor)} is no list of pull requests`)
  return { etag, items: value.flatMap(toPullRequest) }
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
