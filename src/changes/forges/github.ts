import type { ForgeResponse } from '../../connect/forge-api/index.ts'
import {
  accepted,
  arrayOf,
  at,
  type ForgeClient,
  judgeClose,
  numberAt,
  problemOf,
  refused,
  retry,
  segment,
  shaAt,
  statusesOf,
  textAt,
  unknown,
} from './client.ts'
import {
  type BranchFacts,
  type CheckState,
  type Forge,
  type ForgeCheck,
  ForgeProblem,
  type MergeMethod,
  type MergeRequest,
  type Outcome,
  type PullRequest,
  type PullRequestDraft,
} from './forge.ts'

const GREEN = new Set(['success', 'neutral', 'skipped'])

const ENQUEUE = `mutation ($id: ID!, $sha: GitObjectID!) {
  enqueuePullRequest(input: { pullRequestId: $id, expectedHeadOid: $sha }) { mergeQueueEntry { id } }
}`
const QUEUED = `query ($id: ID!) { node(id: $id) { ... on PullRequest { isInMergeQueue } } }`

/** A repository at GitHub, or at a GitHub server of one's own. */
export class GitHub implements Forge {
  readonly name = 'GitHub'
  /** The repository's path. */
  readonly #path: string
  readonly #owner: string
  /** True if a base branch has a merge queue, as last read. */
  readonly #queues = new Map<string, boolean>()

  constructor(
    private readonly client: ForgeClient,
    private readonly options: { repository: string; graphql: string },
  ) {
    this.#path = `/repos/${options.repository}`
    this.#owner = options.repository.split('/')[0] ?? ''
  }

  async facts(branch: string): Promise<BranchFacts> {
    const [repository, found, rules] = await Promise.all([
      this.client.get(this.#path),
      this.client.get(`${this.#path}/branches/${segment(branch)}`),
      this.client.get(`${this.#path}/rules/branches/${segment(branch)}`),
    ])
    if (!repository) throw missing(this.options.repository)
    if (!found) throw new ForgeProblem(`there is no branch ${branch} at the forge; set target in [rigs.land]`)
    const ruleset = arrayOf(rules)
    const ofKind = (kind: string) => ruleset.filter((rule) => textAt(rule, 'type') === kind)
    const classic = arrayOf(at(found, 'protection', 'required_status_checks', 'contexts'))
    const contexts = ofKind('required_status_checks').flatMap((rule) =>
      arrayOf(at(rule, 'parameters', 'required_status_checks')).map((each) => textAt(each, 'context')),
    )
    const approvals = ofKind('pull_request').map(
      (rule) => numberAt(rule, 'parameters', 'required_approving_review_count') ?? 0,
    )
    const isRuled = ['pull_request', 'update', 'merge_queue', 'required_status_checks'].some(
      (kind) => ofKind(kind).length > 0,
    )
    const hasQueue = ofKind('merge_queue').length > 0
    this.#queues.set(branch, hasQueue)
    return {
      ...{ branch, head: shaAt(found, 'commit', 'sha'), hasQueue, arePatterns: false },
      requiredChecks: [...new Set([...contexts, ...classic.filter((each) => typeof each === 'string')])].filter(
        Boolean,
      ),
      requiredApprovals: Math.max(0, ...approvals),
      canPush:
        at(repository, 'permissions', 'push') !== true || isRuled
          ? false
          : at(found, 'protected') === true
            ? undefined
            : true,
      methods: methodsOf(repository),
    }
  }

  async find(head: string, base: string): Promise<PullRequest | undefined> {
    const query = new URLSearchParams({ head: `${this.#owner}:${head}`, base, state: 'all' })
    const found = (await this.client.list(`${this.#path}/pulls?${query}`)).filter(
      (each) => textAt(each, 'head', 'ref') === head && textAt(each, 'base', 'ref') === base,
    )
    const chosen = found.find((each) => textAt(each, 'state') === 'open') ?? found[0]
    const number = numberAt(chosen, 'number')
    return number === undefined ? undefined : this.read(number)
  }

  async create({ title, body, head, base, isDraft }: PullRequestDraft): Promise<PullRequest> {
    const request = { title, body, head, base, draft: isDraft, maintainer_can_modify: false }
    const answer = await this.client.change(`${this.#path}/pulls`, { body: request })
    const number = answer.status === 201 ? numberAt(answer.value, 'number') : undefined
    const pull = number === undefined ? await this.find(head, base) : await this.read(number)
    if (pull && (answer.status === 201 || pull.state === 'open')) return pull
    if (answer.status === 422) throw new ForgeProblem(`the forge opens no pull request: ${answer.reason}`)
    throw problemOf(`${this.#path}/pulls`, answer)
  }

  async read(number: number): Promise<PullRequest | undefined> {
    const pull = await this.client.get(`${this.#path}/pulls/${number}`)
    if (!pull) return undefined
    const headSha = shaAt(pull, 'head', 'sha')
    const isOpen = textAt(pull, 'state') === 'open'
    const [checks, reviews, isQueued] = isOpen
      ? await Promise.all([this.#checks(headSha), this.#reviews(number), this.#isQueued(pull)])
      : [[], NO_REVIEWS, false]
    return {
      ...{ number, url: textAt(pull, 'html_url'), isDraft: at(pull, 'draft') === true, headSha, checks, isQueued },
      state: at(pull, 'merged') === true ? 'merged' : isOpen ? 'open' : 'closed',
      ...{ base: textAt(pull, 'base', 'ref'), head: textAt(pull, 'head', 'ref') },
      mergeCommit: at(pull, 'merged') === true ? shaAt(pull, 'merge_commit_sha') || undefined : undefined,
      mergeability: MERGEABILITY[textAt(pull, 'mergeable_state')] ?? 'unknown',
      ...reviews,
    }
  }

  async merge({ number, sha, method, message }: MergeRequest): Promise<Outcome> {
    const merge_method = method === 'fast-forward' ? 'merge' : method
    const body = { sha, merge_method, commit_title: message.title, commit_message: message.body }
    return this.client.attempt(`${this.#path}/pulls/${number}/merge`, { method: 'PUT', body }, judgeMerge)
  }

  async enqueue(number: number, sha: string): Promise<Outcome> {
    const id = textAt(await this.client.get(`${this.#path}/pulls/${number}`), 'node_id')
    if (id === '') return refused('moved', `there is no pull request ${number}`)
    const body = { query: ENQUEUE, variables: { id, sha } }
    return this.client.attempt(this.options.graphql, { method: 'POST', body }, judgeEnqueue)
  }

  close(number: number): Promise<Outcome> {
    const request = { method: 'PATCH', body: { state: 'closed' } } as const
    return this.client.attempt(`${this.#path}/pulls/${number}`, request, judgeClose)
  }

  label(number: number, labels: readonly string[]): Promise<Outcome> {
    return this.client.attempt(
      `${this.#path}/issues/${number}/labels`,
      { method: 'POST', body: { labels } },
      (answer) =>
        answer.status === 200 ? accepted : answer.status < 500 ? refused('permission', answer.reason) : unknown(answer),
    )
  }

  async #checks(sha: string): Promise<ForgeCheck[]> {
    if (sha === '') return []
    const [runs, statuses] = await Promise.all([
      this.client.list(`${this.#path}/commits/${sha}/check-runs`, (page) => arrayOf(at(page, 'check_runs'))),
      this.client.list(`${this.#path}/commits/${sha}/status`, statusesOf),
    ])
    return [...runs.map(toCheck), ...statuses.map(toStatus)].filter(({ name }) => name !== '')
  }

  /** The last word of each reviewer. */
  async #reviews(number: number): Promise<Pick<PullRequest, 'approvals' | 'changesRequested'>> {
    const last = new Map<string, string>()
    for (const review of await this.client.list(`${this.#path}/pulls/${number}/reviews`)) {
      const state = textAt(review, 'state')
      if (['APPROVED', 'CHANGES_REQUESTED', 'DISMISSED'].includes(state))
        last.set(textAt(review, 'user', 'login'), state)
    }
    const states = [...last.values()]
    return {
      approvals: states.filter((state) => state === 'APPROVED').length,
      changesRequested: states.includes('CHANGES_REQUESTED'),
    }
  }

  async #isQueued(pull: unknown): Promise<boolean> {
    if (this.#queues.get(textAt(pull, 'base', 'ref')) !== true) return false
    const body = { query: QUEUED, variables: { id: textAt(pull, 'node_id') } }
    const { status, value } = await this.client.change(this.options.graphql, { method: 'POST', body })
    return status === 200 && at(value, 'data', 'node', 'isInMergeQueue') === true
  }
}

const NO_REVIEWS = { approvals: 0, changesRequested: false }

const MERGEABILITY: Readonly<Record<string, PullRequest['mergeability']>> = {
  clean: 'clean',
  has_hooks: 'clean',
  unstable: 'clean',
  dirty: 'conflict',
  behind: 'behind',
  blocked: 'blocked',
  draft: 'blocked',
}

export const missing = (repository: string): ForgeProblem =>
  new ForgeProblem(
    `there is no repository ${repository} that the token can read; check [rigs.land.forge] and the token`,
  )

const methodsOf = (repository: unknown): MergeMethod[] => [
  ...(at(repository, 'allow_squash_merge') === false ? [] : (['squash'] as const)),
  ...(at(repository, 'allow_merge_commit') === false ? [] : (['merge'] as const)),
]

/** A check run: `status`, and `conclusion` once it is completed. */
function toCheck(run: unknown): ForgeCheck {
  const conclusion = textAt(run, 'conclusion')
  const isDone = textAt(run, 'status') === 'completed'
  const state: CheckState = isDone ? (GREEN.has(conclusion) ? 'green' : 'red') : 'pending'
  return { name: textAt(run, 'name'), state, url: textAt(run, 'html_url') || textAt(run, 'details_url') }
}

function toStatus(status: unknown): ForgeCheck {
  const word = textAt(status, 'state')
  const state: CheckState = word === 'success' ? 'green' : word === 'pending' ? 'pending' : 'red'
  return { name: textAt(status, 'context'), state, url: textAt(status, 'target_url') }
}

function judgeMerge(answer: ForgeResponse): Outcome {
  const { status, reason, value } = answer
  if (status === 200) return at(value, 'merged') === true ? accepted : unknown(answer)
  // Conflicts and merged pull requests get the same answer.
  if (/already (?:been )?merged|not mergeable/i.test(reason)) return unknown(answer)
  if (status === 405 && /base branch was modified/i.test(reason)) return retry(reason)
  if (status === 405 && /try again|not been checked|being (?:checked|processed)/i.test(reason)) return retry(reason)
  if (status === 409 && /head branch was modified|head sha/i.test(reason)) return refused('moved', reason)
  if (status === 405 && /conflict/i.test(reason)) return refused('conflict', reason)
  if (status === 409) return refused('moved', reason)
  if (status === 405 || status === 422) return refused('rules', reason)
  if (status === 401 || status === 403 || status === 404) return refused('permission', reason)
  return unknown(answer)
}

function judgeEnqueue(answer: ForgeResponse): Outcome {
  const { status, value, reason } = answer
  if (status !== 200) return status === 401 || status === 403 ? refused('permission', reason) : unknown(answer)
  if (arrayOf(at(value, 'errors')).length === 0) return accepted
  if (/already (?:in|queued)|in the queue/i.test(reason)) return accepted
  if (/head|expected/i.test(reason)) return refused('moved', reason)
  return refused('rules', reason)
}
