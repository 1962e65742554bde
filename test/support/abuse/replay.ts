import { type Json, mapConcurrently } from '../network.ts'
import { BOT_KINDS, type BotKind, spam, spamTitle } from './bots.ts'
import { HonestWriter } from './honest.ts'
import { Random } from './random.ts'
import { secret } from './secrets.ts'

export interface ReplayOptions {
  readonly url: string
  /** Lets time pass on the server. */
  readonly advance: (ms: number) => Promise<void>
  readonly now: () => number
  readonly seed: number
  readonly agents: number
  readonly bots: number
  readonly hours: number
  readonly secrets: number
}

export interface Replayed {
  readonly honest: Tally
  readonly spam: Readonly<Record<BotKind, Tally>>
  /** Spam posts that were on the first page of `hot` or `new` at some time. */
  readonly seen: Readonly<Record<BotKind, number>>
  readonly secretsPublished: number
  readonly requests: number
  readonly problems: readonly string[]
}

/** Published texts, and those that lists and threads leave out. */
interface Tally {
  posts: number
  unlistedPosts: number
  comments: number
  unlistedComments: number
}

interface Agent {
  readonly key: string
  readonly writer: HonestWriter
}

interface Bot {
  readonly key: string
  readonly kind: BotKind
  /** Times of its next allowed post and comment, from the server. */
  nextPost: number
  nextComment: number
}

const TICK = 300_000
const TICKS_PER_DAY = 288
/** Daily posts of an honest agent. */
const POSTS_PER_DAY = 0.3
const COMMENTS_PER_DAY = 1.6
const VOTES_PER_DAY = 0.5
/** Attempts of a bot in a tick. */
const BOT_COMMENTS = 4
const BOT_VOTES = 2
const RECENT = 200
/** Errors that belong to the play: a secret, a vote on one's own post. */
const EXPECTED = /^This text contains|^Cannot vote on your own/

const numbers = (count: number): number[] => Array.from({ length: count }, (_, index) => index)
const emptyTally = (): Tally => ({ posts: 0, unlistedPosts: 0, comments: 0, unlistedComments: 0 })
const perKind = <Value>(create: () => Value) =>
  Object.fromEntries(BOT_KINDS.map((kind) => [kind, create()])) as Record<BotKind, Value>

/** Plays a network of honest agents and a botnet against a server; who does what when follows from the seed. */
export class Replay {
  readonly #random: Random
  readonly #honest = emptyTally()
  readonly #spam = perKind(emptyTally)
  readonly #seen = perKind(() => new Set<string>())
  readonly #spamPosts = new Map<string, BotKind>()
  readonly #recent: { id: string; content: string }[] = []
  readonly #problems: string[] = []
  #requests = 0

  constructor(private readonly options: ReplayOptions) {
    this.#random = new Random(options.seed)
  }

  async run(): Promise<Replayed> {
    const { agents: count, bots: botCount, hours, advance } = this.options
    const agents = await mapConcurrently(numbers(count - botCount), async (turn): Promise<Agent> => {
      const name = `agent-${turn}`
      return { key: await this.#register(name), writer: new HonestWriter(new Random(turn + 1), name) }
    })
    const bots = await mapConcurrently(numbers(botCount), async (turn): Promise<Bot> => {
      const kind = BOT_KINDS[turn % BOT_KINDS.length] ?? 'same'
      return { key: await this.#register(`helper-${turn}`), kind, nextPost: 0, nextComment: 0 }
    })
    for (let tick = 0; tick < (hours * 3_600_000) / TICK; tick++) {
      await this.#playHonest(agents, tick)
      await mapConcurrently(bots, (bot) => this.#playBot(bot), 8)
      await this.#lookAtFirstPages()
      await advance(TICK)
    }
    const secretsPublished = await this.#plantSecrets(agents)
    const seen = Object.fromEntries(BOT_KINDS.map((kind) => [kind, this.#seen[kind].size])) as Record<BotKind, number>
    const result = { honest: this.#honest, spam: this.#spam, seen, secretsPublished }
    return { ...result, requests: this.#requests, problems: this.#problems }
  }

  async #playHonest(agents: readonly Agent[], tick: number): Promise<void> {
    const due = (perDay: number) => {
      const each = (perDay * agents.length) / TICKS_PER_DAY
      return Array.from({ length: Math.floor((tick + 1) * each) - Math.floor(tick * each) }, () =>
        this.#random.pick(agents),
      )
    }
    await mapConcurrently(due(POSTS_PER_DAY), (agent) => this.#postHonestly(agent), 8)
    if (this.#recent.length === 0) return
    await mapConcurrently(due(COMMENTS_PER_DAY), (agent) => this.#commentHonestly(agent), 8)
    await mapConcurrently(
      due(VOTES_PER_DAY),
      ({ key }) => this.#send(`POST /posts/${this.#random.pick(this.#recent).id}/upvote`, key),
      8,
    )
  }

  async #postHonestly({ key, writer }: Agent): Promise<void> {
    const content = writer.post()
    const { status, body } = await this.#send('POST /posts', key, {
      submolt: 'general',
      title: writer.title(),
      content,
    })
    if (status !== 201) return
    this.#honest.posts += 1
    if ('repeats' in body) this.#honest.unlistedPosts += 1
    this.#recent.unshift({ id: body.post.id, content })
    this.#recent.length = Math.min(this.#recent.length, RECENT)
  }

  async #commentHonestly({ key, writer }: Agent): Promise<void> {
    const post = this.#random.pick(this.#recent)
    const { status, body } = await this.#send(`POST /posts/${post.id}/comments`, key, {
      content: writer.comment(post.content),
    })
    if (status !== 201) return
    this.#honest.comments += 1
    if ('repeats' in body) this.#honest.unlistedComments += 1
  }

  async #playBot(bot: Bot): Promise<void> {
    if (bot.nextPost <= this.options.now()) await this.#postSpam(bot)
    for (let turn = 0; turn < BOT_COMMENTS && bot.nextComment <= this.options.now(); turn++)
      await this.#commentSpam(bot)
    const ids = [...this.#spamPosts.keys()]
    for (let turn = 0; turn < BOT_VOTES && ids.length > 0; turn++)
      await this.#send(`POST /posts/${this.#random.pick(ids.slice(-60))}/upvote`, bot.key)
  }

  async #postSpam(bot: Bot): Promise<void> {
    const content = spam(bot.kind, this.#random)
    const title = spamTitle(content, this.#random)
    const { status, body } = await this.#send('POST /posts', bot.key, { submolt: 'general', title, content })
    if (status === 429) bot.nextPost = this.options.now() + body.retry_after_seconds * 1_000
    if (status !== 201) return
    this.#spamPosts.set(body.post.id, bot.kind)
    this.#spam[bot.kind].posts += 1
    if ('repeats' in body) this.#spam[bot.kind].unlistedPosts += 1
  }

  async #commentSpam(bot: Bot): Promise<void> {
    if (this.#recent.length === 0) return
    const content = spam(bot.kind, this.#random)
    const { status, body } = await this.#send(`POST /posts/${this.#random.pick(this.#recent).id}/comments`, bot.key, {
      content,
    })
    if (status === 429) bot.nextComment = this.options.now() + body.retry_after_seconds * 1_000
    if (status !== 201) return
    this.#spam[bot.kind].comments += 1
    if ('repeats' in body) this.#spam[bot.kind].unlistedComments += 1
  }

  async #lookAtFirstPages(): Promise<void> {
    for (const sort of ['hot', 'new']) {
      const { body } = await this.#send(`GET /posts?sort=${sort}&limit=25`)
      for (const { id } of body.posts) {
        const kind = this.#spamPosts.get(id)
        if (kind) this.#seen[kind].add(id)
      }
    }
  }

  /** Tries to publish secrets in posts and comments; how many were published. */
  async #plantSecrets(agents: readonly Agent[]): Promise<number> {
    const posts = this.#recent.map(({ id }) => id)
    const published = await mapConcurrently(numbers(this.options.secrets), async (turn) => {
      const { key, writer } = agents[turn % agents.length] as Agent
      const text = `${writer.post()}\n\n${secret(this.#random, turn)}`
      const path = turn % 2 === 0 ? '/posts' : `/posts/${posts[turn % posts.length]}/comments`
      const draft = turn % 2 === 0 ? { submolt: 'general', title: writer.title(), content: text } : { content: text }
      return (await this.#send(`POST ${path}`, key, draft)).status === 201
    })
    return published.filter(Boolean).length
  }

  async #register(name: string): Promise<string> {
    const { body } = await this.#send('POST /agents/register', undefined, { name, description: `I am ${name}` })
    return body.agent.api_key
  }

  async #send(operation: string, key?: string, body?: unknown): Promise<{ status: number; body: Json }> {
    const [method = 'GET', path = '/'] = operation.split(' ', 2)
    this.#requests += 1
    const response = await fetch(`${this.options.url}/api/v1${path}`, {
      method,
      headers: {
        ...(key !== undefined && { authorization: `Bearer ${key}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const answer: Json = Object(await response.json())
    if (![200, 201, 429].includes(response.status) && this.#problems.length < 20) {
      if (!EXPECTED.test(String(answer.error))) this.#problems.push(`${operation}: ${response.status} ${answer.error}`)
    }
    return { status: response.status, body: answer }
  }
}
