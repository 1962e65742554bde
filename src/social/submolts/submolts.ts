import type { Statement } from 'bun:sqlite'
import type { Clock } from '../../core/clock.ts'
import type { EventLog } from '../../core/events/log.ts'
import { type SaveResponse, withoutReplay } from '../../core/replays/replays.ts'
import { stablePlan } from '../../core/stable-plan.ts'
import type { Store, Tx } from '../../core/store.ts'
import type { AgentCaller } from '../../http/caller.ts'
import { cursorAfterKey, keyOf } from '../../http/cursor.ts'
import type { Agents } from '../agents/agents.ts'
import { NAME_TAKEN } from '../errors.ts'
import type { Made, Quotas } from '../limits/quotas.ts'
import { offsetOf, pageFacts, sizeOf, wordOf } from '../page.ts'
import { noSubmolt, SocialError, unusable } from '../refusal.ts'
import { clean, cleanLine, moment, newId } from '../text.ts'
import { SubmoltCreated, SubmoltSubscribed, SubmoltUnsubscribed } from './events.ts'
import { submoltName } from './names.ts'
import {
  SUBMOLT_PAGE,
  SUBMOLT_SORTS,
  type Submolt,
  type SubmoltAnswer,
  type SubmoltDraft,
  type SubmoltPage,
  type SubmoltQuery,
  type Subscribed,
} from './schema.ts'

interface SubmoltRow {
  n: number
  id: string
  name: string
  display_name: string
  description: string
  allow_crypto: number
  creator_id: string | null
  creator_name: string | null
  subscriber_count: number
  post_count: number
  created_at: number
  updated_at: number
  last_activity_at: number
  subscribed: number
  role: 'owner' | null
}

/** The caller comes first in every statement that shows submolts to somebody. */
const SHOWN = `SELECT s.*, c.id AS creator_id, c.name AS creator_name, u.agent IS NOT NULL AS subscribed,
  iif(s.creator = ?1, 'owner', NULL) AS role
  FROM submolts s LEFT JOIN agents c ON c.n = s.creator LEFT JOIN subscriptions u ON u.agent = ?1 AND u.submolt = s.n`

/** Pages of each sort, from its index. The cursor of names is the row of the last. */
const PAGES = {
  popular: `${SHOWN} WHERE (s.subscriber_count, s.created_at, s.n) < (?, ?, ?)
    ORDER BY s.subscriber_count DESC, s.created_at DESC, s.n DESC LIMIT ? OFFSET ?`,
  new: `${SHOWN} WHERE (s.created_at, s.n) < (?, ?) ORDER BY s.created_at DESC, s.n DESC LIMIT ? OFFSET ?`,
  alphabetical: `${SHOWN} WHERE s.name > coalesce((SELECT name FROM submolts WHERE n = ?), '')
    ORDER BY s.name LIMIT ? OFFSET ?`,
}

const KEYS: Record<keyof typeof PAGES, (row: SubmoltRow) => number[]> = {
  popular: (row) => [row.subscriber_count, row.created_at, row.n],
  new: (row) => [row.created_at, row.n],
  alphabetical: (row) => [row.n],
}

const FIRST: Record<keyof typeof PAGES, number[]> = {
  popular: [Number.MAX_SAFE_INTEGER, 0, 0],
  new: [Number.MAX_SAFE_INTEGER, 0],
  alphabetical: [0],
}

const MOST_DISPLAY = 50
const MOST_DESCRIPTION = 1_000

/** The communities, and who subscribes to them. */
export class Submolts {
  readonly #pages: Record<keyof typeof PAGES, Statement<SubmoltRow, number[]>>
  readonly #one: Statement<SubmoltRow, [number, string]>
  readonly #insert: Statement<{ n: number }, [string, string, string, string, number, number, number, number, number]>
  readonly #join: Statement<unknown, [number, number, number]>
  readonly #leave: Statement<unknown, [number, number]>
  readonly #subscribers: Statement<unknown, [number, number]>
  readonly #subscriptions: Statement<unknown, [number, number]>
  readonly #posts: Statement<unknown, [number, number, number]>
  readonly #some: Statement<{ submolt: number }, [number, number]>

  constructor(
    private readonly store: Store,
    private readonly log: EventLog,
    private readonly clock: Clock,
    private readonly agents: Agents,
    private readonly quotas: Quotas,
    private readonly most: number,
  ) {
    this.#pages = {
      popular: store.prepare(stablePlan(PAGES.popular)),
      new: store.prepare(stablePlan(PAGES.new)),
      alphabetical: store.prepare(stablePlan(PAGES.alphabetical)),
    }
    this.#one = store.prepare(stablePlan(`${SHOWN} WHERE s.name = ?`))
    this.#insert = store.prepare(
      `INSERT INTO submolts (id, name, display_name, description, allow_crypto, creator, created_at, updated_at, last_activity_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING n`,
    )
    this.#join = store.prepare('INSERT INTO subscriptions (agent, submolt, at) VALUES (?, ?, ?)')
    this.#leave = store.prepare('DELETE FROM subscriptions WHERE agent = ? AND submolt = ?')
    this.#subscribers = store.prepare('UPDATE submolts SET subscriber_count = subscriber_count + ? WHERE n = ?')
    this.#subscriptions = store.prepare('UPDATE agents SET subscriptions_count = subscriptions_count + ? WHERE n = ?')
    this.#posts = store.prepare(
      'UPDATE submolts SET post_count = post_count + ?, last_activity_at = max(last_activity_at, ?) WHERE n = ?',
    )
    this.#some = store.prepare(stablePlan('SELECT submolt FROM subscriptions WHERE agent = ? LIMIT ?'))
  }

  /** The row of a submolt as one agent sees it. */
  need(name: string, viewer: number): SubmoltRow {
    const row = this.#one.get(viewer, name.trim().toLowerCase())
    if (!row) throw noSubmolt(name)
    return row
  }

  async create(
    caller: AgentCaller,
    draft: SubmoltDraft,
    once: SaveResponse = withoutReplay,
  ): Promise<Made<SubmoltAnswer>> {
    const name = submoltName(draft.name)
    const display = cleanLine(draft.display_name ?? draft.displayName ?? '') || name
    if (display.length > MOST_DISPLAY) throw unusable(`Display name must be ${MOST_DISPLAY} characters or less`)
    const description = clean(draft.description ?? '')
    if (description.length > MOST_DESCRIPTION)
      throw unusable(`Description must be ${MOST_DESCRIPTION} characters or less`)
    return this.store.write((tx) => {
      if (this.#one.get(caller.n, name)) {
        throw new SocialError(NAME_TAKEN, 'Submolt name already taken', { hint: 'Try a different name.' })
      }
      const me = this.agents.acting(caller)
      const quota = this.quotas.charge(tx, 'submolt', me)
      const now = this.clock.now()
      const crypto = draft.allow_crypto ? 1 : 0
      const made = this.#insert.get(newId(now), name, display, description, crypto, caller.n, now, now, now)
      this.#count(caller.n, made?.n ?? 0, 1)
      this.log.append(tx, SubmoltCreated, { actor: caller.id, subject: name }, { submolt: name, agent_id: caller.id })
      return { value: once(tx, answer(this.need(name, caller.n))), quota }
    })
  }

  /** A submolt as one agent sees it. */
  show(name: string, viewer: number): Submolt {
    return toSubmolt(this.need(name, viewer))
  }

  async get(caller: AgentCaller, name: string): Promise<SubmoltAnswer> {
    return answer(this.need(name, caller.n))
  }

  async list(caller: AgentCaller, query: SubmoltQuery): Promise<SubmoltPage> {
    const sort = wordOf(SUBMOLT_SORTS, 'popular', query.sort)
    const limit = sizeOf(query.limit, SUBMOLT_PAGE)
    const key = keyOf(query.cursor, `submolts.${sort}`, FIRST[sort].length)
    const offset = key ? 0 : offsetOf(query.offset)
    const rows = this.#pages[sort].all(caller.n, ...(key ?? FIRST[sort]), limit + 1, offset)
    const last = rows.length > limit ? rows[limit - 1] : undefined
    const next = last && cursorAfterKey(`submolts.${sort}`, KEYS[sort](last))
    const items = rows.slice(0, limit).map(toSubmolt)
    return { success: true, submolts: items, data: items, ...pageFacts({ items, limit, offset, next }) }
  }

  async subscribe(caller: AgentCaller, name: string): Promise<Subscribed> {
    return this.store.write((tx) => {
      const row = this.need(name, caller.n)
      if (row.subscribed) return told('already_subscribed', `Already subscribed to m/${row.name}`)
      const me = this.agents.acting(caller)
      if (me.subscriptions_count >= this.most) throw tooMany(this.most)
      this.quotas.charge(tx, 'follow', me)
      this.#count(caller.n, row.n, 1)
      const facts = { actor: caller.id, subject: row.name }
      this.log.append(tx, SubmoltSubscribed, facts, { submolt: row.name, agent_id: caller.id })
      return told('subscribed', `Subscribed to m/${row.name}!`)
    })
  }

  async unsubscribe(caller: AgentCaller, name: string): Promise<Subscribed> {
    return this.store.write((tx) => {
      const row = this.need(name, caller.n)
      if (!row.subscribed) return told('not_subscribed', `Not subscribed to m/${row.name}`)
      this.#count(caller.n, row.n, -1)
      const facts = { actor: caller.id, subject: row.name }
      this.log.append(tx, SubmoltUnsubscribed, facts, { submolt: row.name, agent_id: caller.id })
      return told('unsubscribed', `Unsubscribed from m/${row.name}`)
    })
  }

  /** Counts a post that came or went. */
  posted(tx: Tx, submolt: number, by: 1 | -1): void {
    void tx
    this.#posts.run(by, by > 0 ? this.clock.now() : 0, submolt)
  }

  /** Ends some subscriptions of an agent that left; how many. */
  removeSome(tx: Tx, agent: number, most: number): number {
    void tx
    const some = this.#some.all(agent, most)
    for (const { submolt } of some) this.#count(agent, submolt, -1)
    return some.length
  }

  #count(agent: number, submolt: number, by: 1 | -1): void {
    if (by > 0) this.#join.run(agent, submolt, this.clock.now())
    else this.#leave.run(agent, submolt)
    this.#subscribers.run(by, submolt)
    this.#subscriptions.run(by, agent)
  }
}

const told = (action: Subscribed['action'], message: string): Subscribed => ({ success: true, message, action })

const answer = (row: SubmoltRow): SubmoltAnswer => ({ success: true, submolt: toSubmolt(row), your_role: row.role })

function toSubmolt(row: SubmoltRow): Submolt {
  return {
    ...{ id: row.id, name: row.name, display_name: row.display_name, displayName: row.display_name },
    description: row.description,
    ...{ subscriber_count: row.subscriber_count, subscriberCount: row.subscriber_count },
    ...{ post_count: row.post_count, postCount: row.post_count },
    ...{ creator_id: row.creator_id, creator_name: row.creator_name, created_by: null },
    ...{ avatar_url: null, iconUrl: null, banner_url: null, bannerUrl: null, banner_color: null, theme_color: null },
    allow_crypto: row.allow_crypto === 1,
    ...{ is_nsfw: false as const, is_private: false as const },
    ...{ is_subscribed: row.subscribed === 1, isSubscribed: row.subscribed === 1 },
    ...{ your_role: row.role, yourRole: row.role },
    ...{ created_at: moment(row.created_at), createdAt: moment(row.created_at) },
    updated_at: moment(row.updated_at),
    last_activity_at: moment(row.last_activity_at),
    featured_at: null,
  }
}

const tooMany = (most: number): SocialError =>
  new SocialError('conflict-wrong-state', `You subscribe to ${most} submolts, which is the most; leave one first`)
