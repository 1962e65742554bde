import { expect, test } from 'bun:test'
import { command, query } from '../../../src/core/store/index.ts'
import { newestSql } from '../../../src/social/search/indexes.ts'
import { LongReads } from '../../../src/social/search/long-reads.ts'
import { type Json, openNetwork } from '../network.ts'

/** Comments by word: everywhere, rarely, early, late, in a burst, once, never. */
const WORDS: Readonly<Record<string, (n: number) => boolean>> = {
  everywhere: () => true,
  rarely: (n) => n % 97 === 0,
  early: (n) => n < 700,
  late: (n) => n > 2_900,
  burst: (n) => n > 1_000 && n < 1_600,
  once: (n) => n === 5,
  first: (n) => n === 1,
  never: () => false,
}

test('the newest matches are found wherever they are stored', async () => {
  await using network = await openNetwork()
  const { store } = network
  const insert = command<[string, string]>(
    'INSERT INTO comments (id, post, parent, author, content, depth, created_at, updated_at) VALUES (?1, 1, 0, 1, ?2, 0, 0, 0)',
  )
  const wordsIn = (n: number) => Object.keys(WORDS).filter((word) => WORDS[word]?.(n))
  await store.write((tx) => {
    for (let n = 1; n <= 3_000; n++) tx.run(insert, `comment${n}`, wordsIn(n).join(' '))
  })
  const newest = query<{ n: number }, [string, number, number, number]>(newestSql('comment_stems'))
  const all = Array.from({ length: 3_000 }, (_, at) => 3_000 - at)
  const expected = [
    ...Object.keys(WORDS),
    ...Object.keys(WORDS).map((word) => `${word} rarely`),
    'early everywhere burst',
  ]
  for (const words of expected) {
    const expected = all.filter((n) => words.split(' ').every((word) => WORDS[word]?.(n)))
    for (const most of [1, 10, 300, 5_000]) {
      expect(store.all(newest, words, 0, 10_000, most).map(({ n }) => n)).toEqual(expected.slice(0, most))
    }
  }
})

test('in a large network a search of one community is made in a thread, and finds what was just written', async () => {
  await using network = await openNetwork()
  const key = await network.agent('ada')
  await network.api('POST', '/submolts', key, { name: 'marsupials', display_name: 'Marsupials' })
  await network.post(key, 'the first post')
  await network.store.write((tx) => {
    tx.run(command('UPDATE posts SET n = n + 50000'))
  })
  const wombat = await network.post(key, 'a wombat', { submolt: 'marsupials' })
  await network.post(key, 'a wombat elsewhere')
  const find = async () => {
    const { body } = await network.api('GET', '/search?q=wombat&submolt=marsupials&type=posts', key)
    return (body.results as Json[]).map(({ id }) => id)
  }
  expect(await find()).toEqual([wombat.id])
  await network.api('DELETE', `/posts/${wombat.id}`, key)
  expect(await find()).toEqual([])
})

test('limits the searches that wait for a thread; others get a time to retry', async () => {
  await using network = await openNetwork()
  const reads = new LongReads(network.store.path)
  const [accepted, refused] = [[] as Promise<number[]>[], [] as Promise<unknown>[]]
  for (let n = 0; n < 256; n++) accepted.push(reads.numbers('SELECT ? AS n', [n]))
  for (let n = 0; n < 3; n++) refused.push(reads.numbers('SELECT 1 AS n', []).catch((error: unknown) => error))
  for (const error of await Promise.all(refused)) {
    expect(error).toMatchObject({ status: 429, message: 'Too many searches wait already' })
  }
  expect((await Promise.all(accepted)).flat()).toEqual(Array.from({ length: 256 }, (_, n) => n))
  expect(await reads.numbers('SELECT 7 AS n', [])).toEqual([7])
  await reads.stop()
})

test('pages of any size list the same matches once: titled posts, comments, and those whose texts are not compared', async () => {
  await using network = await openNetwork()
  const key = await network.agent('ada')
  await network.post(key, 'a wombat')
  const post = command<[string, string]>(
    `INSERT INTO posts (id, submolt, author, title, score, hot, rising, controversy, span, created_at, updated_at)
     VALUES (?1, 1, 1, ?2, 0, 0, 0, 0, 0, 0, 0)`,
  )
  const comment = command<[string, string, number]>(
    `INSERT INTO comments (id, post, parent, author, content, depth, score, created_at, updated_at)
     VALUES (?1, 1, 0, 1, ?2, 0, ?3, 0, 0)`,
  )
  await network.store.write((tx) => {
    for (let n = 1; n <= 39; n++) tx.run(post, `post${n}`, `a wombat ${n}`)
    for (let n = 1; n <= 300; n++) tx.run(comment, `comment${n}`, n % 3 ? 'wombat' : 'wombat marsupial', n % 7 ? 0 : 1)
  })
  const pagesOf = async (words: string, limit: number): Promise<string[]> => {
    const found: string[] = []
    for (let cursor: unknown = ''; cursor !== null; ) {
      const { body } = await network.api('GET', `/search?q=${words}&limit=${limit}&cursor=${cursor}`, key)
      for (const { id, similarity } of body.results as Json[]) found.push(`${id} ${similarity}`)
      cursor = body.next_cursor
    }
    return found
  }
  for (const words of ['wombat', 'wombat marsupial']) {
    const large = await pagesOf(words, 100)
    expect(new Set(large).size).toBe(340)
    expect(await pagesOf(words, 17)).toEqual(large)
  }
  const [titled, both] = [await pagesOf('wombat', 25), await pagesOf('wombat marsupial', 25)]
  expect(titled.findIndex((each) => each.startsWith('comment'))).toBe(30)
  expect(titled[30]).toStartWith('comment287 ')
  expect(both[0]).toStartWith('comment294 ')
})

test('a word counts in capitals, beside an underscore and at the end of a text, but not inside another word', async () => {
  await using network = await openNetwork()
  const key = await network.agent('ada')
  for (const title of ['Wombats_dig', 'two WOMBATS', 'superwombat', 'a wombat, a burrow', 'wombat']) {
    await network.post(key, title)
  }
  const { body } = await network.api('GET', '/search?q=wombat', key)
  const titles = (body.results as Json[]).map(({ title }) => title)
  expect(titles).toEqual(['wombat', 'a wombat, a burrow', 'two WOMBATS', 'Wombats_dig'])
})

test('a search uses the current score, and does not find what was deleted', async () => {
  await using network = await openNetwork()
  const [ada, bob] = [await network.agent('ada'), await network.agent('bob')]
  const first = await network.post(ada, 'first wombat')
  const second = await network.post(ada, 'second wombat')
  const comment = await network.comment(ada, first.id, 'a wombat')
  const titles = async () => {
    const { body } = await network.api('GET', '/search?q=wombat&limit=2', bob)
    const results = body.results as Json[]
    return results.map(({ title, content, score }) => `${title ?? content} ${score}`)
  }
  expect(await titles()).toEqual(['second wombat 0', 'first wombat 0'])
  await network.api('POST', `/posts/${first.id}/upvote`, bob)
  await network.api('POST', `/comments/${comment.id}/upvote`, bob)
  expect(await titles()).toEqual(['first wombat 1', 'second wombat 0'])
  await network.api('POST', `/posts/${first.id}/upvote`, bob)
  await network.api('POST', `/posts/${second.id}/upvote`, bob)
  expect(await titles()).toEqual(['second wombat 1', 'first wombat 0'])
  expect(await network.recount()).toEqual([])
  await network.api('DELETE', `/posts/${first.id}`, ada)
  expect(await titles()).toEqual(['second wombat 1'])
  await network.api('DELETE', `/posts/${second.id}`, ada)
  expect(await titles()).toEqual([])
  expect(await network.recount()).toEqual([])
})

test('a recount finds a weight that differs from the score', async () => {
  await using network = await openNetwork()
  const post = await network.post(await network.agent('ada'))
  await network.store.write((tx) => void tx.run(command('INSERT INTO post_weights VALUES (1, 7)')))
  expect(await network.recount()).toEqual([{ counter: 'posts.weight', id: String(post.id), stored: 7, counted: 0 }])
})
