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
import { missing } from './github.ts'

/** The prefix of a title that marks a draft. */
const DRAFT = 'WIP: '

/** A repository at Gitea or Forgejo. */
export class Gitea implements Forge {
  readonly name = 'Gitea'
  readonly #path: string

  constructor(
    private readonly client: ForgeClient,
    private readonly repository: string,
  ) {
    this.#path = `/repos/${repository}`
  }

  async facts(branch: string): Promise<BranchFacts> {
    const [repository, found] = await Promise.all([
      this.client.get(this.#path),
      this.client.get(`${this.#path}/branches/${segment(branch)}`),
    ])
    if (!repository) throw missing(this.repository)
    if (!found) throw new ForgeProblem(`there is no branch ${branch} at the forge; set target in [rigs.land]`)
    const contexts = at(found, 'enable_status_check') === true ? arrayOf(at(found, 'status_check_contexts')) : []
    return {
      ...{ branch, head: shaAt(found, 'commit', 'id'), hasQueue: false },
      ...{ requiredChecks: contexts.filter((each) => typeof each === 'string'), arePatterns: true },
      requiredApprovals: numberAt(found, 'required_approvals') ?? 0,
      canPush: at(found, 'user_can_push') === true,
      methods: methodsOf(repository),
    }
  }

  async find(head: string, base: string): Promise<PullRequest | undefined> {
    const pull = await this.client.get(`${this.#path}/pulls/${segment(base)}/${head.split('/').map(segment).join('/')}`)
    if (pull === undefined) return undefined
    if (textAt(pull, 'state') === 'open') return this.#toPullRequest(pull)
    // By its branches Gitea shows the oldest one.
    const open = (await this.client.list(`${this.#path}/pulls?state=open`)).find(
      (each) => textAt(each, 'head', 'ref') === head && textAt(each, 'base', 'ref') === base,
    )
    return this.#toPullRequest(open ?? pull)
  }

  async create({ title, body, head, base, isDraft }: PullRequestDraft): Promise<PullRequest> {
    const request = { title: isDraft ? `${DRAFT}${title}` : title, body, head, base }
    const answer = await this.client.change(`${this.#path}/pulls`, { method: 'POST', body: request })
    if (answer.status === 201) return this.#toPullRequest(answer.value)
    const existing = answer.status === 409 ? await this.find(head, base) : undefined
    if (existing) return existing
    if (answer.status === 422 || answer.status === 409) {
      throw new ForgeProblem(`the forge opens no pull request: ${answer.reason}`)
    }
    throw problemOf(`${this.#path}/pulls`, answer)
  }

  async read(number: number): Promise<PullRequest | undefined> {
    const pull = await this.client.get(`${this.#path}/pulls/${number}`)
    return pull === undefined ? undefined : this.#toPullRequest(pull)
  }

  merge({ number, sha, method, message }: MergeRequest): Promise<Outcome> {
    const body = {
      ...{ Do: method === 'fast-forward' ? 'fast-forward-only' : method, head_commit_id: sha },
      ...{ MergeTitleField: message.title, MergeMessageField: message.body, delete_branch_after_merge: false },
    }
    return this.client.attempt(`${this.#path}/pulls/${number}/merge`, { method: 'POST', body }, judgeMerge)
  }

  async enqueue(): Promise<Outcome> {
    return refused('rules', 'Gitea has no merge queue')
  }

  close(number: number): Promise<Outcome> {
    const request = { method: 'PATCH', body: { state: 'closed' } } as const
    return this.client.attempt(`${this.#path}/pulls/${number}`, request, judgeClose)
  }

  async label(number: number, labels: readonly string[]): Promise<Outcome> {
    const ids = await this.#labelIds(labels)
    return this.client.attempt(
      `${this.#path}/issues/${number}/labels`,
      { method: 'POST', body: { labels: ids } },
      (answer) =>
        answer.status === 200 ? accepted : answer.status < 500 ? refused('permission', answer.reason) : unknown(answer),
    )
  }

  /** The ids of labels by their names; those that are missing are made. */
  async #labelIds(names: readonly string[]): Promise<number[]> {
    const known = await this.client.list(`${this.#path}/labels`)
    const ids: number[] = []
    for (const name of names) {
      const found = known.find((label) => textAt(label, 'name') === name)
      const label = found ?? (await this.#createLabel(name))
      const id = numberAt(label, 'id')
      if (id !== undefined) ids.push(id)
    }
    return ids
  }

  async #createLabel(name: string): Promise<unknown> {
    const body = { name, color: '#4c78a8' }
    return (await this.client.change(`${this.#path}/labels`, { method: 'POST', body })).value
  }

  async #toPullRequest(pull: unknown): Promise<PullRequest> {
    const number = numberAt(pull, 'number')
    if (number === undefined)
      throw new ForgeProblem('the forge answers without the number of a pull request; is it Gitea?')
    const headSha = shaAt(pull, 'head', 'sha')
    const isMerged = at(pull, 'merged') === true
    const isOpen = !isMerged && textAt(pull, 'state') === 'open'
    const [checks, reviews] = isOpen
      ? await Promise.all([this.#checks(headSha), this.#reviews(number)])
      : [[], { approvals: 0, changesRequested: false }]
    return {
      ...{
        number,
        url: textAt(pull, 'html_url'),
        isDraft: at(pull, 'draft') === true,
        headSha,
        checks,
        isQueued: false,
      },
      state: isMerged ? 'merged' : isOpen ? 'open' : 'closed',
      ...{ base: textAt(pull, 'base', 'ref'), head: textAt(pull, 'head', 'ref') },
      mergeCommit: isMerged ? shaAt(pull, 'merge_commit_sha') || undefined : undefined,
      // False stands for a conflict, and for a pull request that was not looked at yet: only git tells them apart.
      mergeability: at(pull, 'mergeable') === true ? 'clean' : 'unknown',
      ...reviews,
    }
  }

  async #checks(sha: string): Promise<ForgeCheck[]> {
    if (sha === '') return []
    const statuses = await this.client.list(`${this.#path}/commits/${sha}/status`, statusesOf)
    return statuses.map(toCheck).filter(({ name }) => name !== '')
  }

  /** The last word of each reviewer. What Gitea calls stale was said of an earlier commit, and holds until it is dismissed. */
  async #reviews(number: number): Promise<Pick<PullRequest, 'approvals' | 'changesRequested'>> {
    const last = new Map<string, string>()
    for (const review of await this.client.list(`${this.#path}/pulls/${number}/reviews`)) {
      const state = textAt(review, 'state')
      const isDismissed = at(review, 'dismissed') === true
      if (state === 'APPROVED' || state === 'REQUEST_CHANGES')
        last.set(textAt(review, 'user', 'login'), isDismissed ? '' : state)
    }
    const states = [...last.values()]
    return {
      approvals: states.filter((state) => state === 'APPROVED').length,
      changesRequested: states.includes('REQUEST_CHANGES'),
    }
  }
}

function methodsOf(repository: unknown): MergeMethod[] {
  const allows = (key: string) => at(repository, key) === true
  return [
    ...(allows('allow_fast_forward_only_merge') ? (['fast-forward'] as const) : []),
    ...(allows('allow_squash_merge') ? (['squash'] as const) : []),
    ...(allows('allow_merge_commits') ? (['merge'] as const) : []),
  ]
}

function toCheck(status: unknown): ForgeCheck {
  const word = textAt(status, 'status')
  const state: CheckState = word === 'success' || word === 'skipped' ? 'green' : word === 'pending' ? 'pending' : 'red'
  return { name: textAt(status, 'context'), state, url: textAt(status, 'target_url') }
}

/** An answer without a reason is given for a pull request that is merged already, and for a base that has moved on. */
function judgeMerge(answer: ForgeResponse): Outcome {
  const { status, reason } = answer
  if (status === 200) return accepted
  if (status === 405) {
    if (/try again later/i.test(reason)) return retry(reason)
    if (reason === '' || /already merged/i.test(reason)) return unknown(answer)
    return refused(/not allowed to merge/i.test(reason) ? 'permission' : 'rules', reason)
  }
  if (status === 409) {
    if (/head out of date/i.test(reason)) return refused('moved', reason)
    if (/push out of date/i.test(reason)) return retry(reason)
    return /rejected/i.test(reason) ? refused('rules', reason) : refused('conflict', reason || 'it does not merge')
  }
  if (status === 401 || status === 403) return refused('permission', reason)
  return unknown(answer)
}
