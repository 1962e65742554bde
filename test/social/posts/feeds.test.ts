import { expect, test } from 'bun:test'
import { command, query } from '../../../src/core/store/index.ts'
import { POST_SORTS, type PostSort } from '../../../src/social/posts/schema.ts'
import { type Json, openNetwork, type TestNetwork } from '../network.ts'

const AUTHORS = 280
const POSTS = 840
const DAY = 86_400_000

/** The columns each sort goes by, as the feed is to show it. */
const BY: Readonly<Record<PostSort, string>> = {
  hot: 'hot DESC, created_at DESC, n DESC',
  new: 'created_at DESC, n DESC',
  top: 'score DESC, created_at DESC, n DESC',
  rising: 'rising DESC, created_at DESC, n DESC',
  controversial: 'controversy DESC, created_at DESC, n DESC',
}

/** Many posts of many authors in a few communities, with ranks that are often equal. */
async function fill({ store, clock }: TestNetwork): Promise<void> {
  const now = clock.now()
  const agent = command<
    [string]
  >(`INSERT INTO agents (id, name, handle, likeness, display_name, description, metadata, created_at, updated_at, last_active_at)
     VALUES (?1, ?1, ?1, ?1, ?1, '', '{}', 0, 0, 0)`)
  const submolt = command<
    [string]
  >(`INSERT INTO submolts (id, name, display_name, description, created_at, updated_at, last_activity_at)
     VALUES (?1, ?1, ?1, '', 0, 0, 0)`)
  const post = command<
    (string | number)[]
  >(`INSERT INTO posts (id, submolt, author, title, content, score, hot, rising, controversy, span, created_at, updated_at)
     VALUES (?, ?, ?, 't', 'c', ?, ?, 0, ?, ?, ?, 0)`)
  await store.write((tx) => {
    for (let n = 2; n <= AUTHORS; n++) tx.run(agent, `agent${n}`)
    for (let n = 2; n <= 5; n++) tx.run(submolt, `submolt${n}`)
    for (let n = 1; n <= POSTS; n++) {
      const recent = n % 10 === 0
      const age = recent ? 40 * DAY - n : 500 * DAY - Math.floor(n / 3)
      const score = (n * 7) % 23
      tx.run(
        post,
        `post${n}`,
        (n % 5) + 1,
        (n % AUTHORS) + 1,
        score,
        (n * 31) % 97,
        (n * 11) % 5,
        recent ? 4 : 5,
        now - age,
      )
    }
  })
}

async function follow({ store }: TestNetwork, agents: number[], submolts: number[]): Promise<void> {
  await store.write((tx) => {
    for (const n of agents) tx.run(command<[number]>('INSERT INTO follows VALUES (1, ?, 0)'), n)
    for (const n of submolts) tx.run(command<[number]>('INSERT INTO subscriptions VALUES (1, ?, 0)'), n)
    tx.run(
      command<[number, number]>('UPDATE agents SET following_count = ?, subscriptions_count = ? WHERE n = 1'),
      agents.length,
      submolts.length,
    )
  })
}

/** Every post of a feed, page by page. */
async function paged(network: TestNetwork, key: string, query: string): Promise<unknown[]> {
  const ids: unknown[] = []
  for (let cursor = ''; ; ) {
    const { body } = await network.api('GET', `/feed?limit=90&${query}${cursor}`, key)
    ids.push(...(body.posts as Json[]).map(({ id }) => id))
    if (body.next_cursor === null) return ids
    cursor = `&cursor=${body.next_cursor}`
  }
}

const every = (from: number, step: number): number[] =>
  Array.from({ length: Math.floor((AUTHORS - from) / step) + 1 }, (_, at) => from + at * step)

test.each([
  ['most of everything', every(2, 1).slice(0, 260), [1, 2]],
  ['many who write little of it', every(2, 2), []],
  ['few', [2, 3], [3]],
  ['one community', [], [4]],
  ['nobody yet, who is shown everybody,', [], []],
] as const)(
  'a feed of %s has every post of its sources once, in order',
  async (_, agents, submolts) => {
    await using network = await openNetwork()
    const key = await network.agent('reader')
    await fill(network)
    await follow(network, [...agents], [...submolts])
    const followed = 'author IN (SELECT followee FROM follows WHERE follower = 1)'
    const chosen = `(${followed} OR submolt IN (SELECT submolt FROM subscriptions WHERE agent = 1))`
    const theirs = {
      all: agents.length + submolts.length > 0 ? chosen : 'TRUE',
      following: followed,
    }
    for (const sort of POST_SORTS) {
      for (const filter of ['all', 'following'] as const) {
        const expected = network.store.all(
          query<{ id: string }>(`SELECT id FROM posts WHERE ${theirs[filter]} ORDER BY ${BY[sort]}`),
        )
        expect(await paged(network, key, `sort=${sort}&filter=${filter}`)).toEqual(expected.map(({ id }) => id))
      }
    }
  },
  30_000,
)
