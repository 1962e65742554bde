import { cpSync, mkdirSync } from 'node:fs'
import { tempFolder } from './folder.ts'

export type Dialect = 'github' | 'gitea'

/** The answer to one request that a test scripts: instead of the real one, or after the effect of it. */
export type Fault =
  | { readonly status: number; readonly body?: object; readonly headers?: Readonly<Record<string, string>> }
  /** Does what was asked for, and says nothing. */
  | 'lost'
  /** Says yes, and does nothing. */
  | 'empty-yes'
  /** Merges another tree than the one that was asked for. */
  | 'other-tree'

interface Pull {
  number: number
  title: string
  body: string
  head: string
  base: string
  draft: boolean
  state: 'open' | 'closed'
  mergeCommit?: string
  labels: string[]
  /** `stale`: of an earlier commit, as Gitea marks them. */
  reviews: { user: string; state: string; stale?: boolean }[]
  queued?: string
  /** The heads and bases whose mergeability was computed: the first look at each finds it unknown. */
  looked: Set<string>
}

export interface Rules {
  requiredChecks?: string[]
  approvals?: number
  queue?: boolean
  methods?: ('squash' | 'merge' | 'fast-forward')[]
}

const IDENTITY = { GIT_AUTHOR_NAME: 'f', GIT_AUTHOR_EMAIL: 'f@x', GIT_COMMITTER_NAME: 'f', GIT_COMMITTER_EMAIL: 'f@x' }
const ENV = {
  ...{ PATH: process.env.PATH ?? '', HOME: '/nonexistent', GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null' },
  ...IDENTITY,
}

/** Runs git in a repository; its output without the last line break. Throws if it fails. */
export function git(repository: string, ...words: string[]): string {
  const { exitCode, stdout, stderr } = tryGit(repository, ...words)
  if (exitCode !== 0) throw new Error(`git ${words.join(' ')}: ${stderr}`)
  return stdout.trimEnd()
}

export function tryGit(repository: string, ...words: string[]) {
  const { exitCode, stdout, stderr } = Bun.spawnSync(['git', '-C', repository, ...words], { env: ENV })
  return { exitCode, stdout: stdout.toString(), stderr: stderr.toString() }
}

/** Adds a commit with these files over a parent; returns its id. */
export function commitFiles(
  repository: string,
  parent: string | undefined,
  files: Readonly<Record<string, string>>,
): string {
  const changes = Object.entries(files).map(([path, text]) => `M 100644 inline ${path}\ndata ${text.length}\n${text}\n`)
  const from = parent ? `from ${parent}\n` : ''
  const commit = `commit refs/gc/new\nmark :1\ncommitter f <f@x> ${seconds++} +0000\ndata 6\nchange\n${from}${changes.join('')}`
  const stdin = Buffer.from(`reset refs/gc/new\n${commit}\nget-mark :1\n`)
  const words = ['git', '-C', repository, 'fast-import', '--quiet', '--force']
  return Bun.spawnSync(words, { env: ENV, stdin }).stdout.toString().trim()
}

let seconds = 1_700_000_000

/** A bare repository with one commit, made once. */
const template = (() => {
  let made: string | undefined
  return () => {
    if (made !== undefined) return made
    const folder = tempFolder()
    made = folder.at('template.git')
    process.once('exit', () => folder[Symbol.dispose]())
    mkdirSync(made)
    git(made, 'init', '-q', '--bare', '-b', 'main')
    git(made, 'update-ref', 'refs/heads/main', commitFiles(made, undefined, { a: '1\n', b: '1\n' }))
    return made
  }
})()

/** A bare repository of its own that begins like every scripted forge. */
export function bareRepository(path: string): void {
  cpSync(template(), path, { recursive: true })
}

export const OWN_TOKEN = 'forge-token-0123456789'

/** A forge on loopback over a real bare repository, which answers as GitHub or as Gitea does. */
export class ScriptedForge implements Disposable {
  readonly #folder = tempFolder()
  readonly repository: string
  readonly requests: { method: string; path: string; token: string | null; status: number }[] = []
  readonly pulls = new Map<number, Pull>()
  readonly rules: Rules = {}
  readonly #checks = new Map<string, Map<string, 'green' | 'red' | 'pending'>>()
  readonly #faults: { match: RegExp; fault: Fault }[] = []
  readonly #server = Bun.serve({
    ...{ hostname: '127.0.0.1', port: 0, idleTimeout: 10 },
    fetch: (request) => this.#answer(request),
  })

  /** Over a bare repository of a test, or one of its own. */
  constructor(
    readonly dialect: Dialect,
    repository?: string,
  ) {
    this.repository = repository ?? this.#folder.at('origin.git')
    if (repository === undefined) bareRepository(this.repository)
  }

  get url(): string {
    return `http://127.0.0.1:${this.#server.port}`
  }

  get host(): string {
    return `127.0.0.1:${this.#server.port}`
  }

  /** The newest commit of a branch; empty if it is not there. */
  tip(branch = 'main'): string {
    return tryGit(this.repository, 'rev-parse', '-q', '--verify', `refs/heads/${branch}`).stdout.trim()
  }

  /** Commits to a branch as somebody else would. */
  push(branch: string, files: Readonly<Record<string, string>>): string {
    const sha = commitFiles(this.repository, this.tip(branch) || this.tip(), files)
    git(this.repository, 'update-ref', `refs/heads/${branch}`, sha)
    return sha
  }

  /** Reports a check of a commit. */
  report(sha: string, name: string, state: 'green' | 'red' | 'pending'): void {
    const known = this.#checks.get(sha) ?? new Map()
    this.#checks.set(sha, known.set(name, state))
  }

  /** Answers the next request to a path in this way, such as `PUT .*merge`. */
  script(match: RegExp, fault: Fault): void {
    this.#faults.push({ match, fault })
  }

  /** Number of requests for something. */
  count(match: RegExp): number {
    return this.requests.filter(({ method, path }) => match.test(`${method} ${path}`)).length
  }

  /** The merge queue takes its turn: each entry is merged, or put out again. */
  runQueue(): void {
    for (const pull of this.pulls.values()) {
      if (pull.queued === undefined) continue
      const isGreen = ![...(this.#checks.get(pull.queued)?.values() ?? [])].includes('red')
      if (isGreen && pull.queued === this.tip(pull.head)) this.#merge(pull, 'squash')
      delete pull.queued
    }
  }

  [Symbol.dispose](): void {
    void this.#server.stop(true)
    this.#folder[Symbol.dispose]()
  }

  async #answer(request: Request): Promise<Response> {
    const { pathname, search } = new URL(request.url)
    const path = pathname.replace(/^\/api\/v[13]\/repos\/acme\/shop/, '') || '/'
    const at = this.#faults.findIndex(({ match }) => match.test(`${request.method} ${path}`))
    const [scripted] = at < 0 ? [] : this.#faults.splice(at, 1)
    const body: Record<string, unknown> = Object(await request.json().catch(() => ({})))
    const response = await this.#respond(request, `${path}${search}`, body, scripted?.fault)
    const token = request.headers.get('authorization')
    this.requests.push({ method: request.method, path: `${path}${search}`, token, status: response.status })
    return response
  }

  async #respond(
    request: Request,
    path: string,
    body: Record<string, unknown>,
    fault: Fault | undefined,
  ): Promise<Response> {
    const scheme = this.dialect === 'github' ? 'Bearer' : 'token'
    if (request.headers.get('authorization') !== `${scheme} ${OWN_TOKEN}`) return said(401, 'Bad credentials')
    if (typeof fault === 'object') {
      return new Response(JSON.stringify(fault.body ?? {}), { status: fault.status, headers: fault.headers ?? {} })
    }
    if (fault === 'empty-yes') return Response.json({ merged: true })
    const answer = this.#route(request.method, path, body, fault)
    if (fault === 'lost') return new Response(null, { status: 504 })
    // Gitea has no ETags.
    if (request.method !== 'GET' || answer.status !== 200 || this.dialect === 'gitea') return answer
    const text = await answer.text()
    const etag = `W/"${Bun.hash(text)}"`
    if (request.headers.get('if-none-match') === etag) return new Response(null, { status: 304, headers: { etag } })
    return new Response(text, { headers: { etag, 'content-type': 'application/json' } })
  }

  #route(method: string, full: string, body: Record<string, unknown>, fault?: Fault): Response {
    const [path = '', search = ''] = full.split('?')
    const [, first, second, third] = path.split('/')
    const query = new URLSearchParams(search)
    const page = Number(query.get('page') ?? 1)
    const size = Math.min(50, Number(query.get('limit') ?? query.get('per_page') ?? 30))
    const onPage = <T>(items: readonly T[]): T[] => items.slice((page - 1) * size, page * size)
    if (path === '/api/graphql') return this.#graphql(body)
    if (first === 'branch_protections' || /protection$/.test(path)) return said(403, 'Must have admin rights')
    if (path === '/') return Response.json(this.#repository())
    if (first === 'branches') return this.#branch(decodeURIComponent(path.slice('/branches/'.length)))
    if (first === 'rules') return this.dialect === 'github' ? Response.json(this.#ruleset()) : said(404, 'Not found')
    if (first === 'labels')
      return method === 'GET' ? Response.json([]) : Response.json({ id: 7, ...body }, { status: 201 })
    if (first === 'commits' && third === 'check-runs') return Response.json({ check_runs: onPage(this.#runs(second)) })
    if (first === 'commits') {
      const statuses = onPage(this.#statuses(second))
      return Response.json({ statuses: this.dialect === 'gitea' && statuses.length === 0 ? null : statuses })
    }
    if (first === 'issues') return this.#label(Number(second), body)
    if (first !== 'pulls') return said(404, 'Not found')
    if (method === 'POST' && second === undefined) return this.#create(body)
    if (method === 'PATCH') return this.#edit(Number(second), body)
    if (third === 'merge') return this.#askMerge(Number(second), body, fault)
    if (third === 'reviews') return Response.json(onPage(this.#reviews(Number(second))))
    if (second === undefined) return Response.json(onPage(this.#list(query)))
    return this.#read(second, path)
  }

  #read(second: string, path: string): Response {
    const number = /^\d+$/.test(second) ? Number(second) : 0
    const names = path.split('/').slice(2).map(decodeURIComponent)
    const [base, ...head] = names
    const byName = [...this.pulls.values()].find((each) => each.base === base && each.head === head.join('/'))
    const pull = this.pulls.get(number) ?? (this.dialect === 'gitea' ? byName : undefined)
    return pull ? Response.json(this.#wire(pull)) : said(404, 'Not found')
  }

  #repository() {
    const { methods = ['squash', 'merge', 'fast-forward'] } = this.rules
    return {
      ...{ full_name: 'acme/shop', permissions: { push: true, admin: false } },
      ...{ allow_squash_merge: methods.includes('squash') },
      ...(this.dialect === 'github'
        ? { allow_merge_commit: methods.includes('merge') }
        : {
            allow_merge_commits: methods.includes('merge'),
            allow_fast_forward_only_merge: methods.includes('fast-forward'),
          }),
    }
  }

  #branch(name: string): Response {
    const id = this.tip(name)
    if (id === '') return said(404, 'Branch not found')
    const { requiredChecks = [], approvals = 0 } = this.rules
    if (this.dialect === 'github') {
      return Response.json({ name, commit: { sha: id }, protected: requiredChecks.length + approvals > 0 })
    }
    return Response.json({
      ...{ name, commit: { id }, protected: requiredChecks.length + approvals > 0, required_approvals: approvals },
      ...{ enable_status_check: requiredChecks.length > 0, status_check_contexts: requiredChecks },
      ...{ user_can_push: requiredChecks.length + approvals === 0, user_can_merge: true },
    })
  }

  #ruleset() {
    const { requiredChecks = [], approvals, queue } = this.rules
    const contexts = requiredChecks.map((context) => ({ context }))
    return [
      ...(contexts.length > 0
        ? [{ type: 'required_status_checks', parameters: { required_status_checks: contexts } }]
        : []),
      ...(approvals === undefined
        ? []
        : [{ type: 'pull_request', parameters: { required_approving_review_count: approvals } }]),
      ...(queue ? [{ type: 'merge_queue', parameters: {} }] : []),
    ]
  }

  #runs(sha = '') {
    if (this.dialect !== 'github') return []
    return [...(this.#checks.get(sha) ?? [])].map(([name, state]) => ({
      ...{ name, status: state === 'pending' ? 'in_progress' : 'completed', html_url: `https://ci.example/${name}` },
      conclusion: state === 'pending' ? null : state === 'green' ? 'success' : 'failure',
    }))
  }

  #statuses(sha = '') {
    if (this.dialect !== 'gitea') return []
    const words = { green: 'success', red: 'failure', pending: 'pending' }
    return [...(this.#checks.get(sha) ?? [])].map(([context, state]) => ({ context, status: words[state] }))
  }

  #reviews(number: number) {
    const words: Record<string, string> = { CHANGES_REQUESTED: 'REQUEST_CHANGES' }
    return (this.pulls.get(number)?.reviews ?? []).map(({ user, state, stale = false }) => ({
      ...{ user: { login: user }, state: this.dialect === 'gitea' ? (words[state] ?? state) : state },
      ...(this.dialect === 'gitea' && { stale, dismissed: false }),
    }))
  }

  #list(query: URLSearchParams) {
    const head = query.get('head')?.split(':')[1]
    const state = query.get('state') ?? 'open'
    return [...this.pulls.values()]
      .filter((pull) => (!head || pull.head === head) && (state === 'all' || state === pull.state))
      .map((pull) => this.#wire(pull))
  }

  #wire(pull: Pull) {
    const sha = this.tip(pull.head)
    const pair = this.#pairOf(pull)
    const isKnown = pull.looked.has(pair)
    pull.looked.add(pair)
    // Gitea closes the pull request of a branch that is deleted.
    if (sha === '' && this.dialect === 'gitea') pull.state = 'closed'
    const merges = this.#mergedTree(pull) !== undefined
    const isMerged = pull.mergeCommit !== undefined
    return {
      ...{ number: pull.number, node_id: `PR_${pull.number}`, title: pull.title, body: pull.body, draft: pull.draft },
      ...{ html_url: `${this.url}/acme/shop/pulls/${pull.number}`, state: pull.state, merged: isMerged },
      ...{ merge_commit_sha: pull.mergeCommit ?? null, labels: pull.labels.map((name) => ({ name })) },
      ...{ head: { ref: pull.head, sha }, base: { ref: pull.base, sha: this.tip(pull.base) } },
      ...(this.dialect === 'github'
        ? { mergeable_state: !isKnown ? 'unknown' : !merges ? 'dirty' : this.#lacks(pull) ? 'blocked' : 'clean' }
        : { mergeable: isKnown && merges && !pull.draft }),
    }
  }

  #pairOf({ head, base }: Pull): string {
    return `${this.tip(head)} ${this.tip(base)}`
  }

  #create(body: Record<string, unknown>): Response {
    const [head, base] = [String(body.head), String(body.base)]
    const existing = [...this.pulls.values()].find((pull) => pull.head === head && pull.state === 'open')
    if (existing && this.dialect === 'github') {
      const message = `A pull request already exists for acme:${head}.`
      return Response.json({ message: 'Validation Failed', errors: [{ message }] }, { status: 422 })
    }
    if (existing) return said(409, `pull request already exists for these targets [id: ${existing.number + 90}]`)
    if (this.tip(head) === '' || this.tip(base) === '') return said(this.dialect === 'github' ? 422 : 404, 'not found')
    const title = String(body.title)
    const pull: Pull = {
      ...{ number: this.pulls.size + 1, title, body: String(body.body), head, base, state: 'open' },
      draft: body.draft === true || title.startsWith('WIP: '),
      ...{ labels: [], reviews: [], looked: new Set<string>() },
    }
    this.pulls.set(pull.number, pull)
    return Response.json(this.#wire(pull), { status: 201 })
  }

  #edit(number: number, { state }: Record<string, unknown>): Response {
    const pull = this.pulls.get(number)
    if (!pull) return said(404, 'Not found')
    if (pull.mergeCommit) return said(this.dialect === 'github' ? 422 : 412, 'it is merged')
    if (state === 'open' || state === 'closed') pull.state = state
    return Response.json(this.#wire(pull), { status: this.dialect === 'github' ? 200 : 201 })
  }

  #label(number: number, { labels }: Record<string, unknown>): Response {
    const pull = this.pulls.get(number)
    if (pull && Array.isArray(labels)) pull.labels.push(...labels.map(String))
    return Response.json([])
  }

  #askMerge(number: number, body: Record<string, unknown>, fault?: Fault): Response {
    const pull = this.pulls.get(number)
    const isGitHub = this.dialect === 'github'
    if (!pull) return said(404, 'Not found')
    if (pull.mergeCommit) return said(405, isGitHub ? 'Pull Request is not mergeable' : 'The PR is already merged')
    if (pull.state === 'closed')
      return said(isGitHub ? 405 : 404, isGitHub ? 'Pull Request is not mergeable' : 'Not found')
    const problem = this.#unready(pull) ?? this.#lacks(pull)
    if (problem) return said(405, problem)
    const pinned = String(isGitHub ? body.sha : body.head_commit_id)
    if (pinned !== this.tip(pull.head)) {
      return said(409, isGitHub ? 'Head branch was modified. Review and try the merge again.' : 'head out of date')
    }
    const [title, text] = isGitHub
      ? [body.commit_title, body.commit_message]
      : [body.MergeTitleField, body.MergeMessageField]
    const method = String(isGitHub ? body.merge_method : body.Do)
    return this.#merge(pull, method, { message: `${title}\n\n${text}`, isOther: fault === 'other-tree' })
  }

  /** Gitea tries to merge what it took for mergeable before the base moved, and refuses without end what it knows to conflict. */
  #unready(pull: Pull): string | undefined {
    const isKnown = pull.looked.has(this.#pairOf(pull))
    if (this.dialect === 'github') {
      if (!isKnown) return 'Pull Request has not been checked for mergeability'
      return pull.draft ? 'Pull Request is still a draft' : undefined
    }
    if (pull.draft) return 'Work in progress PRs cannot be merged'
    const wasLookedAt = [...pull.looked].some((pair) => pair.startsWith(this.tip(pull.head)))
    const isStuck = isKnown && (this.#mergedTree(pull) === undefined || this.#isOnBase(pull))
    return wasLookedAt && !isStuck ? undefined : 'Please try again later'
  }

  #isOnBase({ head, base }: Pull): boolean {
    return tryGit(this.repository, 'merge-base', '--is-ancestor', this.tip(head), this.tip(base)).exitCode === 0
  }

  /** Requirements of the base's rules that the pull request does not meet. */
  #lacks(pull: Pull): string | undefined {
    const { requiredChecks = [], approvals = 0 } = this.rules
    const checks = this.#checks.get(this.tip(pull.head))
    const open = requiredChecks.find((required) => {
      const found = [...(checks ?? [])].filter(([name]) => this.#requires(required, name))
      return found.length === 0 || found.some(([, state]) => state !== 'green')
    })
    if (open !== undefined) {
      return this.dialect === 'github'
        ? `Required status check "${open}" is expected.`
        : 'Not all required status checks successful'
    }
    const approved = pull.reviews.filter(({ state }) => state === 'APPROVED').length
    if (approved >= approvals) return undefined
    return this.dialect === 'github'
      ? `At least ${approvals} approving review is required`
      : 'Does not have enough approvals'
  }

  /** A check that Gitea requires is a pattern, whose `*` stands for slashes as well. */
  #requires(required: string, name: string): boolean {
    if (this.dialect === 'github') return required === name
    return new Bun.Glob(required.replaceAll('/', ':')).match(name.replaceAll('/', ':'))
  }

  #mergedTree(pull: Pull): string | undefined {
    const words = ['merge-tree', '--write-tree', `refs/heads/${pull.base}`, `refs/heads/${pull.head}`]
    const { exitCode, stdout } = tryGit(this.repository, ...words)
    return exitCode === 0 ? stdout.split('\n')[0] : undefined
  }

  #merge(pull: Pull, method: string, { message = pull.title, isOther = false } = {}): Response {
    const [base, head] = [this.tip(pull.base), this.tip(pull.head)]
    const isGitHub = this.dialect === 'github'
    if (method === 'fast-forward-only') {
      if (git(this.repository, 'merge-base', base, head) !== base) return this.#failed(pull)
      return this.#finish(pull, base, head)
    }
    const tree = isOther ? git(this.repository, 'rev-parse', `${base}^{tree}`) : this.#mergedTree(pull)
    if (tree === undefined && isGitHub) return said(405, 'Pull Request is not mergeable')
    // Gitea calls only a merge commit that conflicts a conflict; a squash that does is an error within it.
    if (tree === undefined) return this.#failed(pull, method)
    const parents = method === 'merge' ? ['-p', base, '-p', head] : ['-p', base]
    return this.#finish(pull, base, git(this.repository, 'commit-tree', tree, ...parents, '-m', message))
  }

  /** Gitea looks at it again after that. */
  #failed(pull: Pull, method?: string): Response {
    pull.looked.clear()
    return method === 'merge' ? Response.json({}, { status: 409 }) : said(500, '')
  }

  #finish(pull: Pull, base: string, commit: string): Response {
    git(this.repository, 'update-ref', `refs/heads/${pull.base}`, commit, base)
    pull.state = 'closed'
    pull.mergeCommit = commit
    if (this.dialect === 'gitea') return new Response(null, { status: 200 })
    return Response.json({ sha: commit, merged: true, message: 'Pull Request successfully merged' })
  }

  #graphql({ query, variables }: Record<string, unknown>): Response {
    const { id, sha } = Object(variables)
    const pull = this.pulls.get(Number(String(id).replace('PR_', '')))
    if (!pull) return Response.json({ errors: [{ message: 'Could not resolve to a node' }] })
    if (!String(query).startsWith('mutation')) {
      return Response.json({ data: { node: { isInMergeQueue: pull.queued !== undefined } } })
    }
    if (pull.queued !== undefined)
      return Response.json({ errors: [{ message: 'Pull request is already in the queue' }] })
    if (sha !== this.tip(pull.head)) return Response.json({ errors: [{ message: 'Expected head oid does not match' }] })
    pull.queued = String(sha)
    return Response.json({ data: { enqueuePullRequest: { mergeQueueEntry: { id: 'Q_1' } } } })
  }
}

const said = (status: number, message: string): Response => Response.json({ message }, { status })
