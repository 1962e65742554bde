import { expect, test } from 'bun:test'
import { type Json, mapConcurrently, NetworkClient, type RegisteredAgent } from '../support/network.ts'
import { SEED } from '../support/seed.ts'
import { dice } from './town.ts'

const ROUNDS = Number(process.env.GC_KILLS ?? 12)
const WRITERS = 64
const LIMITS = ['general', 'post', 'comment', 'vote', 'follow', 'submolt'].map((kind) => `${kind} = "100000/1m"`)

/** What one writer was acknowledged, and its last requests without a response. */
class Writer {
  readonly posts: string[] = []
  readonly comments: string[] = []
  /** The vote on each post and the agents it follows: as last acknowledged, and as last requested. */
  readonly votes = new Map<string, { acknowledged: number; requested: number }>()
  readonly follows = new Map<string, { acknowledged: boolean; requested: boolean }>()

  constructor(
    readonly agent: RegisteredAgent,
    private readonly network: NetworkClient,
    private readonly random: () => number,
  ) {}

  #one<Of>(from: readonly Of[]): Of {
    return from[Math.floor(this.random() * from.length)] as Of
  }

  /** Writes until the server is gone. */
  async run(posts: readonly string[], others: readonly RegisteredAgent[]): Promise<void> {
    for (;;) {
      try {
        await this.#write(posts, others)
      } catch (error) {
        if (error instanceof UnexpectedResponse) throw error
        return
      }
    }
  }

  async #write(posts: readonly string[], others: readonly RegisteredAgent[]): Promise<void> {
    const what = this.random()
    const post = this.#one(posts)
    if (what < 0.4) return this.#vote(post)
    if (what < 0.6)
      return void this.comments.push((await this.#ask(`POST /posts/${post}/comments`, COMMENT)).comment.id)
    if (what < 0.8) return void this.posts.push((await this.#ask('POST /posts', POSTED)).post.id)
    return this.#follow(this.#one(others).name)
  }

  async #vote(post: string): Promise<void> {
    const requested = this.#one([1, 0, -1])
    this.votes.set(post, { acknowledged: this.votes.get(post)?.acknowledged ?? 0, requested })
    await this.#ask(`PUT /posts/${post}/vote`, { value: requested })
    this.votes.set(post, { acknowledged: requested, requested })
  }

  async #follow(name: string): Promise<void> {
    const requested = this.random() < 0.6
    this.follows.set(name, { acknowledged: this.follows.get(name)?.acknowledged ?? false, requested })
    await this.#ask(`${requested ? 'POST' : 'DELETE'} /agents/${name}/follow`)
    this.follows.set(name, { acknowledged: requested, requested })
  }

  async #ask(operation: string, body?: unknown): Promise<Json> {
    const { status, body: response } = await this.network.send(operation, { key: this.agent.key, body })
    if (status >= 300) throw new UnexpectedResponse(`${operation}: ${status} ${JSON.stringify(response)}`)
    return response
  }

  /** What differs from the acknowledgements; requests without a response may have been carried out or not. */
  async lost(): Promise<string[]> {
    const { network } = this
    const { key, name } = this.agent
    const wrong: string[] = []
    for (const id of this.posts) if ((await network.send(`GET /posts/${id}`, { key })).status !== 200) wrong.push(id)
    for (const id of this.comments)
      if ((await network.send(`GET /comments/${id}`, { key })).status !== 200) wrong.push(id)
    for (const [post, vote] of this.votes) {
      const cast = (await network.request(`GET /posts/${post}`, { key })).post.user_vote ?? 0
      if (cast !== vote.acknowledged && cast !== vote.requested)
        wrong.push(`${name} on ${post}: ${cast}, ${JSON.stringify(vote)}`)
      this.votes.set(post, { acknowledged: cast, requested: cast })
    }
    for (const [other, follow] of this.follows) {
      const follows = (await network.request(`GET /agents/profile?name=${other}`, { key })).is_following
      if (follows !== follow.acknowledged && follows !== follow.requested) wrong.push(`${name} → ${other}: ${follows}`)
      this.follows.set(other, { acknowledged: follows, requested: follows })
    }
    this.posts.length = 0
    this.comments.length = 0
    return wrong
  }
}

/** An unexpected response: a kill causes no response at all. */
class UnexpectedResponse extends Error {}

const COMMENT = { content: 'written while it was up' }
const POSTED = { submolt: 'general', title: 'Posted', content: 'while it lived' }

test(`${ROUNDS} kills under ${WRITERS} writers lose no acknowledged write, and every counter matches its rows (seed ${SEED})`, async () => {
  const random = dice(SEED)
  await using network = await NetworkClient.open(`[limits]\nrepeats = false\n${LIMITS.join('\n')}\n`)
  const author = await network.register('author')
  const agents = await mapConcurrently(
    Array.from({ length: WRITERS }, (_, at) => `writer-${at}`),
    (name) => network.register(name),
  )
  const posts = await mapConcurrently([...Array(20).keys()], async (at) => {
    const body = { submolt: 'general', title: `Of all, ${at}`, content: 'x' }
    return String((await network.request('POST /posts', { key: author.key, body })).post.id)
  })
  const writers = agents.map((agent) => new Writer(agent, network, random))
  let acknowledged = 0
  for (let round = 0; round < ROUNDS; round++) {
    const running = writers.map((writer) =>
      writer.run(
        posts,
        agents.filter((one) => one !== writer.agent),
      ),
    )
    await Bun.sleep(100 + random() * 500)
    await network.world.kill()
    await Promise.all(running)
    acknowledged += writers.reduce((sum, { posts, comments }) => sum + posts.length + comments.length, 0)
    await network.world.start()
    const lost = (await mapConcurrently(writers, (writer) => writer.lost())).flat()
    expect({ round, lost, miscounts: await network.miscounts() }).toEqual({ round, lost: [], miscounts: [] })
  }
  expect(acknowledged).toBeGreaterThan(ROUNDS)
  process.stdout.write(`${ROUNDS} kills: ${acknowledged} posts and comments acknowledged, beside votes and follows\n`)
}, 600_000)
