import { type Actor, GC } from '../../core/actor.ts'
import { command, type Query, query, stablePlan, type Tx } from '../../core/store/index.ts'
import { gcFor } from '../../http/actor-of.ts'
import type { AgentCaller } from '../../http/caller.ts'
import { cursorAfterKey, fillPage, parseKeyCursor } from '../../http/respond/index.ts'
import { type AgentAccounts, type PendingTexts, requiresVerification } from '../accounts/index.ts'
import { SubmoltCreated, SubmoltOwned, SubmoltSubscribed, SubmoltUnsubscribed } from '../events.ts'
import type { Charged, Quotas } from '../limits/index.ts'
import {
  conflict,
  FarOffsets,
  NAME_TAKEN,
  type NetworkContext,
  newId,
  type Page,
  pageValues,
  parseFields,
  parseLimit,
  parseOffset,
  parseWord,
  pickFields,
  SocialError,
  sizeOfListed,
  submoltNotFound,
  type Viewer,
} from '../shared/index.ts'
import { parseSubmoltDraft, type SubmoltContent } from './draft.ts'
import {
  type NewSubmoltResponse,
  SUBMOLT_FIELDS,
  SUBMOLT_PAGE,
  SUBMOLT_SORTS,
  type Submolt,
  type SubmoltDraft,
  type SubmoltListResponse,
  type SubmoltQuery,
  type SubmoltResponse,
  type SubscriptionResponse,
} from './schema.ts'
import { SELECT_SUBMOLT, type SubmoltRow, toSubmolt, toSubmoltResponse, unpublishedSubmolt } from './view.ts'

/** The pages of each sort. The cursor of `alphabetical` is the row number of the last submolt. */
const PAGE_SQL = {
  popular: `${SELECT_SUBMOLT} WHERE (s.subscriber_count, s.created_at, s.n) < (?, ?, ?)
    ORDER BY s.subscriber_count DESC, s.created_at DESC, s.n DESC LIMIT ? OFFSET ?`,
  active: `${SELECT_SUBMOLT} WHERE (s.last_activity_at, s.n) < (?, ?) ORDER BY s.last_activity_at DESC, s.n DESC LIMIT ? OFFSET ?`,
  new: `${SELECT_SUBMOLT} WHERE (s.created_at, s.n) < (?, ?) ORDER BY s.created_at DESC, s.n DESC LIMIT ? OFFSET ?`,
  alphabetical: `${SELECT_SUBMOLT} WHERE s.name > coalesce((SELECT name FROM submolts WHERE n = ?), '')
    ORDER BY s.name LIMIT ? OFFSET ?`,
}

const SORT_KEYS: Record<keyof typeof PAGE_SQL, (row: SubmoltRow) => number[]> = {
  popular: (row) => [row.subscriber_count, row.created_at, row.n],
  active: (row) => [row.last_activity_at, row.n],
  new: (row) => [row.created_at, row.n],
  alphabetical: (row) => [row.n],
}

const START_KEYS: Record<keyof typeof PAGE_SQL, number[]> = {
  popular: [Number.MAX_SAFE_INTEGER, 0, 0],
  active: [Number.MAX_SAFE_INTEGER, 0],
  new: [Number.MAX_SAFE_INTEGER, 0],
  alphabetical: [0],
}

const ROLE = query<{ one: number }, [number, number]>(`SELECT 1 AS one FROM submolts WHERE n = ?2 AND creator = ?1
       UNION ALL SELECT 1 FROM moderators WHERE submolt = ?2 AND agent = ?1 LIMIT 1`)

const INSERT = command<
  [string, string, string, string, number, number, number, number, number],
  { n: number }
>(`INSERT INTO submolts (id, name, display_name, description, allow_crypto, creator, created_at, updated_at, last_activity_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING n`)

const SET_OWNER = command<[number, number, number]>('UPDATE submolts SET creator = ?, updated_at = ? WHERE n = ?')

const INSERT_SUBSCRIPTION = command<[number, number, number]>(
  'INSERT INTO subscriptions (agent, submolt, at) VALUES (?, ?, ?)',
)

const DELETE_SUBSCRIPTION = command<[number, number]>('DELETE FROM subscriptions WHERE agent = ? AND submolt = ?')

const COUNT_SUBSCRIBER = command<[number, number]>(
  'UPDATE submolts SET subscriber_count = subscriber_count + ? WHERE n = ?',
)

const COUNT_SUBSCRIPTION = command<[number, number]>(
  'UPDATE agents SET subscriptions_count = subscriptions_count + ? WHERE n = ?',
)

const COUNT_POST = command<[number, number, number]>(
  'UPDATE submolts SET post_count = post_count + ?, last_activity_at = max(last_activity_at, ?) WHERE n = ?',
)

const SELECT_SUBSCRIPTIONS = query<{ submolt: number }, [number, number]>(
  stablePlan('SELECT submolt FROM subscriptions WHERE agent = ? LIMIT ?'),
)

const FIND = query<SubmoltRow, [number, string]>(stablePlan(`${SELECT_SUBMOLT} WHERE s.name = ?`))

const PAGES: Record<keyof typeof PAGE_SQL, Query<SubmoltRow, number[]>> = {
  popular: query(stablePlan(PAGE_SQL.popular)),
  active: query(stablePlan(PAGE_SQL.active)),
  new: query(stablePlan(PAGE_SQL.new)),
  alphabetical: query(stablePlan(PAGE_SQL.alphabetical)),
}

/** The communities and their subscribers. */
export class Submolts {
  readonly #offsets: FarOffsets

  constructor(
    private readonly ctx: NetworkContext,
    private readonly peers: {
      readonly agents: AgentAccounts
      readonly quotas: Quotas
      readonly maxSubscriptions: number
      readonly pending: PendingTexts
    },
  ) {
    this.#offsets = new FarOffsets(ctx.clock)
  }

  /** The row of a submolt as one agent sees it. */
  find(name: string): SubmoltRow | undefined {
    return this.ctx.store.get(FIND, 0, name.trim().toLowerCase()) ?? undefined
  }

  need(name: string, viewer: number): SubmoltRow {
    const row = this.ctx.store.get(FIND, viewer, name.trim().toLowerCase())
    if (!row) throw submoltNotFound(name)
    return row
  }

  /** True if an agent owns or moderates a submolt. */
  moderates(agent: number, submolt: number): boolean {
    return this.ctx.store.get(ROLE, agent, submolt) !== null
  }

  async create(caller: AgentCaller, draft: SubmoltDraft): Promise<Charged<NewSubmoltResponse>> {
    const content = parseSubmoltDraft(draft)
    return this.ctx.store.write((tx) => {
      this.#rejectTaken(content)
      const me = this.peers.agents.acting(caller)
      const quota = this.peers.quotas.charge(tx, 'submolt', me)
      const id = newId(this.ctx.clock.now())
      if (this.peers.pending.asks(me)) {
        const state = this.peers.pending.add(tx, me, 'submolt', id, content)
        const submolt = { ...unpublishedSubmolt(id, content, me, this.ctx.clock.now()), ...state }
        const required = requiresVerification('Your community', state.verification)
        return { value: tx.answer({ ...required, submolt, your_role: 'owner' as const }), quota }
      }
      this.#publish(tx, caller, id, content)
      return { value: tx.answer(this.toResponse(content.name, caller.n)), quota }
    }, gcFor(caller))
  }

  /** Publishes a community whose owner has answered its challenge. */
  publishPending(tx: Tx, caller: AgentCaller, id: string, draft: string): void {
    const content: SubmoltContent = JSON.parse(draft)
    this.#rejectTaken(content)
    this.#publish(tx, caller, id, content)
  }

  /** Makes an agent the owner of a submolt, as the operator. */
  async setOwner(name: string, agentName: string, by: Actor = GC): Promise<Submolt> {
    return this.ctx.store.write((tx) => {
      const row = this.need(name, 0)
      const owner = this.peers.agents.need(agentName)
      if (row.creator_id !== owner.id) {
        tx.run(SET_OWNER, owner.n, this.ctx.clock.now(), row.n)
        const subject = { actor: 'operator', subject: row.name }
        this.ctx.log.append(tx, SubmoltOwned, subject, { submolt: row.name, agent_id: owner.id })
      }
      const submolt = this.show(row.name, owner.n)
      tx.answer({ success: true, submolt, your_role: null })
      return submolt
    }, by)
  }

  /** A submolt as one agent sees it. */
  show(name: string, viewer: number): Submolt {
    return toSubmolt(this.need(name, viewer))
  }

  async get(caller: Viewer, name: string): Promise<SubmoltResponse> {
    return toSubmoltResponse(this.need(name, caller.n))
  }

  /** A submolt as one agent sees it, with its role. */
  toResponse(name: string, viewer: number): SubmoltResponse {
    return toSubmoltResponse(this.need(name, viewer))
  }

  async list(caller: Viewer, query: SubmoltQuery): Promise<SubmoltListResponse> {
    const fields = parseFields(query.fields, SUBMOLT_FIELDS)
    const page = await this.page(caller, query)
    const submolts = page.items.map((item) =>
      fields ? { id: item.id, name: item.name, ...pickFields(item, fields) } : item,
    )
    return { success: true, submolts, ...pageValues(page) }
  }

  /** A page of a list, with whole submolts. */
  async page(caller: Viewer, query: SubmoltQuery): Promise<Page<Submolt>> {
    const sort = parseWord(SUBMOLT_SORTS, 'popular', query.sort)
    const limit = parseLimit(query.limit, SUBMOLT_PAGE)
    const list = `submolts.${sort}`
    const key = parseKeyCursor(query.cursor, list, START_KEYS[sort].length)
    const offset = key ? 0 : parseOffset(query, limit)
    const keyOf = SORT_KEYS[sort]
    const { after, skip } = await this.#offsets.find(list, offset, key ?? START_KEYS[sort], (from, count) => {
      const row = this.ctx.store.get(PAGES[sort], caller.n, ...from, 1, count - 1)
      return row ? keyOf(row) : undefined
    })
    const rows = this.ctx.store.iterate(PAGES[sort], caller.n, ...after, limit + 1, skip)
    const { items, last } = fillPage(rows, limit, toSubmolt, { sizeOf: sizeOfListed })
    if (last && !key) this.#offsets.remember(list, offset + items.length, keyOf(last))
    return { items, limit, offset, next: last && cursorAfterKey(list, keyOf(last)) }
  }

  async subscribe(caller: AgentCaller, name: string): Promise<SubscriptionResponse> {
    return this.ctx.store.write((tx) => {
      const row = this.need(name, caller.n)
      if (row.subscribed) return subscribed('already_subscribed', `Already subscribed to m/${row.name}`)
      const me = this.peers.agents.acting(caller)
      if (me.subscriptions_count >= this.peers.maxSubscriptions) throw subscribesTooMuch(this.peers.maxSubscriptions)
      this.peers.quotas.charge(tx, 'follow', me)
      this.#changeSubscription(tx, caller.n, row.n, 1)
      const subject = { actor: caller.id, subject: row.name }
      this.ctx.log.append(tx, SubmoltSubscribed, subject, { submolt: row.name, agent_id: caller.id })
      return subscribed('subscribed', `Subscribed to m/${row.name}!`)
    }, gcFor(caller))
  }

  async unsubscribe(caller: AgentCaller, name: string): Promise<SubscriptionResponse> {
    return this.ctx.store.write((tx) => {
      const row = this.need(name, caller.n)
      if (!row.subscribed) return subscribed('not_subscribed', `Not subscribed to m/${row.name}`)
      this.#changeSubscription(tx, caller.n, row.n, -1)
      const subject = { actor: caller.id, subject: row.name }
      this.ctx.log.append(tx, SubmoltUnsubscribed, subject, { submolt: row.name, agent_id: caller.id })
      return subscribed('unsubscribed', `Unsubscribed from m/${row.name}`)
    }, gcFor(caller))
  }

  /** Adds to the number of posts in a submolt. */
  addPosts(tx: Tx, submolt: number, by: 1 | -1): void {
    tx.run(COUNT_POST, by, by > 0 ? this.ctx.clock.now() : 0, submolt)
  }

  /** Deletes some subscriptions of a deleted agent; returns how many. */
  deleteSome(tx: Tx, agent: number, limit: number): number {
    const rows = this.ctx.store.all(SELECT_SUBSCRIPTIONS, agent, limit)
    for (const { submolt } of rows) this.#changeSubscription(tx, agent, submolt, -1)
    return rows.length
  }

  #rejectTaken({ name }: SubmoltContent): void {
    if (!this.find(name)) return
    throw new SocialError(NAME_TAKEN, 'Submolt name already taken', { hint: 'Try a different name.' })
  }

  #publish(tx: Tx, caller: AgentCaller, id: string, content: SubmoltContent): void {
    const { name, displayName, description, allowCrypto } = content
    const now = this.ctx.clock.now()
    const inserted = tx.get(INSERT, id, name, displayName, description, Number(allowCrypto), caller.n, now, now, now)
    this.#changeSubscription(tx, caller.n, inserted?.n ?? 0, 1)
    this.ctx.log.append(tx, SubmoltCreated, { actor: caller.id, subject: name }, { submolt: name, agent_id: caller.id })
  }

  #changeSubscription(tx: Tx, agent: number, submolt: number, by: 1 | -1): void {
    if (by > 0) tx.run(INSERT_SUBSCRIPTION, agent, submolt, this.ctx.clock.now())
    else tx.run(DELETE_SUBSCRIPTION, agent, submolt)
    tx.run(COUNT_SUBSCRIBER, by, submolt)
    tx.run(COUNT_SUBSCRIPTION, by, agent)
  }
}

const subscribed = (action: SubscriptionResponse['action'], message: string): SubscriptionResponse => ({
  success: true,
  message,
  action,
})

const subscribesTooMuch = (max: number): SocialError =>
  conflict(`You subscribe to ${max} submolts, which is the maximum; unsubscribe from one first`)
