import type { PullRequestMonitorConfig } from '../../config/settings/index.ts'
import { isObject } from '../../core/json.ts'
import { ask, type ForgeRequest } from '../forge-api/index.ts'

/** A check or a status of the newest commit, in GitHub's words. */
export interface Check {
  readonly name: string
  /** `COMPLETED`, `IN_PROGRESS` …; of a status, its state. */
  readonly status: string
  /** `SUCCESS`, `FAILURE` …; '' while it continues. */
  readonly conclusion: string
}

/** An open pull request, as far as it matters for whether it can be merged. */
export interface OpenPullRequest {
  readonly number: number
  readonly title: string
  readonly url: string
  /** '' when the account is gone. */
  readonly author: string
  readonly isDraft: boolean
  /** True if its branch is of another repository, where anybody may have made it. */
  readonly isFromFork: boolean
  readonly base: string
  readonly head: string
  readonly headSha: string
  /** `CLEAN`, `DIRTY`, `BEHIND`, `BLOCKED`, `UNSTABLE`, `UNKNOWN` … */
  readonly mergeState: string
  /** `APPROVED`, `CHANGES_REQUESTED`, `REVIEW_REQUIRED`, or '' where none is asked for. */
  readonly review: string
  /** Combined result of all checks: `SUCCESS`, `FAILURE`, `PENDING` …; '' without any. */
  readonly rollup: string
  readonly checks: readonly Check[]
}

/** The open pull requests of a repository; not all of them when there are more than are read. */
export interface OpenPullRequests {
  readonly items: readonly OpenPullRequest[]
  readonly isWhole: boolean
}

const PAGE_SIZE = 50
const MAX_PAGES = 10
const MAX_TEXT = 500
/** So that the names of all checks fit into the metadata of a bead. */
const MAX_NAME = 100

const QUERY = `query ($owner: String!, $repo: String!, $after: String) {
  repository(owner: $owner, name: $repo) {
    pullRequests(states: OPEN, first: ${PAGE_SIZE}, after: $after, orderBy: { field: UPDATED_AT, direction: DESC }) {
      pageInfo { hasNextPage endCursor }
      nodes {
        number title url isDraft isCrossRepository mergeStateStatus reviewDecision
        author { login }
        baseRefName headRefName headRefOid
        commits(last: 1) {
          nodes {
            commit {
              statusCheckRollup {
                state
                contexts(first: 100) {
                  nodes {
                    ... on CheckRun { name status conclusion }
                    ... on StatusContext { context state }
                  }
                }
              }
            }
          }
        }
      }
    }
  }
}`

/** Address of the API of checks: beside the other one, on GitHub and on own servers. */
const addressOf = ({ baseUrl }: PullRequestMonitorConfig): string => `${baseUrl.replace(/\/v3$/, '')}/graphql`

/** Reads the open pull requests of a repository, the last changed first. */
export async function fetchOpenPullRequests(
  monitor: PullRequestMonitorConfig,
  question: ForgeRequest,
): Promise<OpenPullRequests> {
  const { owner, repo } = monitor
  const items: OpenPullRequest[] = []
  let after: string | null = null
  for (let page = 0; page < MAX_PAGES; page++) {
    const body = { query: QUERY, variables: { owner, repo, after } }
    const answer = await ask(addressOf(monitor), { ...question, body })
    const list = listOf(answer?.value, `${addressOf(monitor)} for ${owner}/${repo}`)
    items.push(...arrayOf(list.nodes).flatMap(toOpenPullRequest))
    const next = textAt(list, 'pageInfo', 'endCursor')
    if (at(list, 'pageInfo', 'hasNextPage') !== true || next === '') return { items, isWhole: true }
    after = next
  }
  return { items, isWhole: false }
}

/** The list in an answer; throws what GitHub says instead. */
function listOf(value: unknown, asked: string): Record<string, unknown> {
  const list = at(value, 'data', 'repository', 'pullRequests')
  if (isObject(list)) return list
  const [error] = arrayOf(at(value, 'errors'))
  throw new Error(`${asked}: ${textAt(error, 'message') || 'the answer is not a list of pull requests'}`)
}

/** Skips fields that differ from GitHub's documentation. */
function toOpenPullRequest(node: unknown): OpenPullRequest[] {
  const number = at(node, 'number')
  if (typeof number !== 'number' || !Number.isSafeInteger(number)) return []
  const rollup = at(arrayOf(at(node, 'commits', 'nodes')).at(-1), 'commit', 'statusCheckRollup')
  return [
    {
      ...{ number, title: textAt(node, 'title'), url: textAt(node, 'url'), author: textAt(node, 'author', 'login') },
      ...{ isDraft: at(node, 'isDraft') === true, isFromFork: at(node, 'isCrossRepository') !== false },
      ...{ base: textAt(node, 'baseRefName'), head: textAt(node, 'headRefName'), headSha: textAt(node, 'headRefOid') },
      ...{ mergeState: textAt(node, 'mergeStateStatus'), review: textAt(node, 'reviewDecision') },
      ...{ rollup: textAt(rollup, 'state'), checks: arrayOf(at(rollup, 'contexts', 'nodes')).flatMap(toCheck) },
    },
  ]
}

/** A status has one word for what a check has two for. */
function toCheck(node: unknown): Check[] {
  const state = textAt(node, 'state')
  const name = (textAt(node, 'name') || textAt(node, 'context')).slice(0, MAX_NAME).toWellFormed()
  if (name === '') return []
  return [{ name, status: textAt(node, 'status') || state, conclusion: textAt(node, 'conclusion') }]
}

const at = (value: unknown, ...path: readonly string[]): unknown =>
  path.reduce<unknown>((inner, key) => (isObject(inner) ? inner[key] : undefined), value)

function textAt(value: unknown, ...path: readonly string[]): string {
  const text = at(value, ...path)
  return typeof text === 'string' ? text.slice(0, MAX_TEXT).toWellFormed() : ''
}

const arrayOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])
