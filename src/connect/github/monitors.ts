import { eq } from 'drizzle-orm'
import type { CityConfig } from '../../config/city/index.ts'
import type { Config } from '../../config/compose/index.ts'
import type { PullRequestMonitorConfig } from '../../config/settings/index.ts'
import { gcPart } from '../../core/actor.ts'
import type { CityContext } from '../../core/city-context.ts'
import { toTimestamp } from '../../core/clock.ts'
import type { Deadline } from '../../core/deadlines.ts'
import { errorMessage } from '../../core/errors.ts'
import { isObject } from '../../core/json.ts'
import type { Tx } from '../../core/store/index.ts'
import { PullRequestChanged } from '../events.ts'
import { ask, type ForgeRequest, TooSoon } from '../forge-api/index.ts'
import { fetchOpenPullRequests } from './open-pull-requests.ts'
import { PullRequestRepairs, type RepairsOptions } from './repairs.ts'
import { type CursorRow, pullRequestCursors } from './table.ts'

interface MonitorsOptions extends RepairsOptions {
  config: Pick<Config, 'onChange'> & { readonly current: Pick<CityConfig, 'monitors'> }
  env: Readonly<Record<string, string | undefined>>
}

const MONITOR = gcPart('github')

/** Number of pages of changes that are read together: a thousand changes between two looks. */
const MAX_PAGES = 10
const MAX_REST_MS = 3_600_000

/** Looks for changes of pull requests at GitHub, and records each as an event. A repository begins with what changes next. */
export class PullRequestMonitors {
  readonly #next = new Map<string, Deadline>()
  readonly #failures = new Map<string, number>()
  readonly #repairs: PullRequestRepairs
  /** Monitors that have no token, and people know. */
  readonly #withoutToken = new Set<string>()
  #stop = () => {}
  #isRunning = false
  #looking: Promise<unknown> = Promise.resolve()

  constructor(
    private readonly context: CityContext,
    private readonly options: MonitorsOptions,
  ) {
    this.#repairs = new PullRequestRepairs(context, options)
  }

  start(): void {
    this.#isRunning = true
    this.#stop = this.options.config.onChange(() => this.#plan())
    this.#plan()
  }

  async stop(): Promise<void> {
    this.#isRunning = false
    this.#stop()
    for (const deadline of this.#next.values()) deadline.cancel()
    this.#next.clear()
    await this.#looking
  }

  /** Resolves when no look is under way. */
  async whenIdle(): Promise<void> {
    await this.#looking
  }

  /** Each monitor that has no look ahead of it looks now; those that are gone look no more. */
  #plan(): void {
    const { monitors } = this.options.config.current
    for (const [name, deadline] of this.#next) {
      if (monitors.some((monitor) => monitor.name === name)) continue
      deadline.cancel()
      this.#next.delete(name)
    }
    for (const { name } of monitors) if (!this.#next.has(name)) this.#lookAfter(name, 0)
  }

  #lookAfter(name: string, ms: number): void {
    if (!this.#isRunning) return
    const look = () => {
      this.#looking = this.#looking.then(() => this.#look(name))
      return this.#looking
    }
    this.#next.set(name, this.context.deadlines.after(ms, look))
  }

  async #look(name: string): Promise<void> {
    const monitor = this.options.config.current.monitors.find((each) => each.name === name)
    if (!monitor || !this.#isRunning) return void this.#next.delete(name)
    try {
      await this.#read(monitor)
      if (monitor.repair || monitor.notify.length > 0) await this.#followReadiness(monitor)
      this.#failures.delete(name)
      this.#lookAfter(name, monitor.pollInterval)
    } catch (error) {
      this.#lookAfter(name, Math.max(monitor.pollInterval, this.#restAfter(name, monitor, error)))
    }
  }

  /** Pause before the next request to GitHub: the requested time, else longer with every failure. */
  #restAfter(name: string, { pollInterval }: PullRequestMonitorConfig, error: unknown): number {
    if (error instanceof TooSoon) return Math.min(error.wait, MAX_REST_MS)
    const failures = (this.#failures.get(name) ?? 0) + 1
    this.#failures.set(name, failures)
    if (failures === 1)
      this.context.report(`the pull requests of monitor ${name} cannot be read: ${errorMessage(error)}`)
    return Math.min(pollInterval * 2 ** Math.min(failures, 10), MAX_REST_MS)
  }

  async #read(monitor: PullRequestMonitorConfig): Promise<void> {
    const { store, clock } = this.context
    const cursor = this.#cursorOf(monitor)
    const ask = { token: this.#tokenOf(monitor), now: clock.now() }
    const first = await fetchPage(monitor, 1, { ...ask, etag: cursor?.etag ?? '' })
    if (!first) return
    let { items } = first
    for (let page = 2; cursor && page <= MAX_PAGES && items.length === PAGE_SIZE * (page - 1); page++) {
      if ((items.at(-1)?.updatedAt ?? 0) < cursor.updatedAt) break
      items = [...items, ...((await fetchPage(monitor, page, { ...ask, etag: '' }))?.items ?? [])]
    }
    await store.write((tx) => this.#record(tx, monitor, cursor, first.etag, items), MONITOR)
  }

  /** GitHub shows checks and conflicts only with a token. */
  async #followReadiness(monitor: PullRequestMonitorConfig): Promise<void> {
    const { clock, report } = this.context
    const { name, tokenEnv = 'GH_TOKEN' } = monitor
    const token = this.#tokenOf(monitor)
    if (token !== undefined) {
      await this.#repairs.follow(monitor, await fetchOpenPullRequests(monitor, { token, now: clock.now() }))
    } else if (!this.#withoutToken.has(name)) {
      this.#withoutToken.add(name)
      report(`monitor ${name} needs a token to see what fails: set ${tokenEnv} and start \`gc serve\` again`)
    }
  }

  #tokenOf({ tokenEnv }: PullRequestMonitorConfig): string | undefined {
    const { env } = this.options
    return (tokenEnv === undefined ? (env.GH_TOKEN ?? env.GITHUB_TOKEN) : env[tokenEnv]) || undefined
  }

  #cursorOf(monitor: PullRequestMonitorConfig): CursorRow | undefined {
    const row = this.context.store.read((orm) =>
      orm.select().from(pullRequestCursors).where(eq(pullRequestCursors.monitor, monitor.name)).get(),
    )
    return row?.source === addressOf(monitor) ? row : undefined
  }

  /** Records news, oldest first, together with the position in one write. */
  #record(
    tx: Tx,
    monitor: PullRequestMonitorConfig,
    cursor: CursorRow | undefined,
    etag: string,
    items: readonly PullRequest[],
  ): void {
    const newest = Math.max(cursor?.updatedAt ?? 0, ...items.map(({ updatedAt }) => updatedAt))
    const atNewest = items.filter(({ updatedAt }) => updatedAt === newest).map(({ number }) => number)
    const before = cursor?.updatedAt === newest ? cursor.seen : []
    if (cursor)
      for (const each of items.filter((item) => isNew(item, cursor)).toReversed())
        this.#append(tx, monitor, cursor, each)
    const row = { source: addressOf(monitor), etag, updatedAt: newest, seen: [...new Set([...before, ...atNewest])] }
    tx.orm
      .insert(pullRequestCursors)
      .values({ monitor: monitor.name, ...row })
      .onConflictDoUpdate({ target: pullRequestCursors.monitor, set: row })
      .run()
  }

  #append(tx: Tx, monitor: PullRequestMonitorConfig, cursor: CursorRow, each: PullRequest): void {
    const { name, rig, owner, repo, baseBranches } = monitor
    if (baseBranches.length > 0 && !baseBranches.includes(each.base)) return
    const { number, title, url, author, draft, base, head, headSha, updatedAt } = each
    this.context.log.append(
      tx,
      PullRequestChanged,
      { subject: `${owner}/${repo}#${number}` },
      {
        ...{ monitor: name, repo: `${owner}/${repo}`, number, change: changeOf(each, cursor) },
        ...(rig !== undefined && { rig }),
        ...{ title, url, author, draft, base, head, head_sha: headSha, updated_at: toTimestamp(updatedAt) },
      },
    )
  }
}

const isNew = ({ updatedAt, number }: PullRequest, cursor: CursorRow): boolean =>
  updatedAt > cursor.updatedAt || (updatedAt === cursor.updatedAt && !cursor.seen.includes(number))

/** Changes since the last check. */
function changeOf({ createdAt, closedAt, mergedAt }: PullRequest, { updatedAt }: CursorRow) {
  if (mergedAt !== null && mergedAt >= updatedAt) return 'merged'
  if (closedAt !== null && closedAt >= updatedAt) return 'closed'
  return createdAt >= updatedAt ? 'opened' : 'updated'
}

/** A pull request as GitHub lists it; moments are milliseconds, null for what did not happen. */
interface PullRequest {
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
interface Page {
  readonly etag: string
  readonly items: readonly PullRequest[]
}

const PAGE_SIZE = 100
const MAX_TITLE = 500

/** The address of the pull requests of a repository. */
const addressOf = ({ baseUrl, owner, repo }: PullRequestMonitorConfig): string =>
  `${baseUrl}/repos/${owner}/${repo}/pulls`

/** Reads a page; undefined when it is still the one of that etag. */
async function fetchPage(
  monitor: PullRequestMonitorConfig,
  page: number,
  question: ForgeRequest,
): Promise<Page | undefined> {
  const query = `state=all&sort=updated&direction=desc&per_page=${PAGE_SIZE}&page=${page}`
  const answer = await ask(`${addressOf(monitor)}?${query}`, question)
  if (!answer) return undefined
  const { etag, value } = answer
  if (!Array.isArray(value)) throw new Error(`${addressOf(monitor)} is not a list of pull requests`)
  return { etag, items: value.flatMap(toPullRequest) }
}

/** Skips fields that differ from GitHub's documentation. */
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
