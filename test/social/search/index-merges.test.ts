import { expect, test } from 'bun:test'
import { command, query } from '../../../src/core/store/index.ts'
import { partsSql } from '../../../src/social/search/index-merges.ts'
import { STEMS } from '../../../src/social/search/indexes.ts'
import { type Json, openNetwork, type TestNetwork } from '../network.ts'

const partsOf = ({ store }: TestNetwork, index: string): number => store.all(query<unknown>(partsSql(index))).length

/** Writes posts, each with a word of its own, in so many writes. */
async function write({ store }: TestNetwork, from: number, to: number, writes = to - from + 1): Promise<void> {
  const insert = command<
    [number]
  >(`INSERT INTO posts (id, submolt, author, title, content, hot, rising, created_at, updated_at)
     VALUES ('post' || ?1, 1, 1, 'wombat' || ?1 || 'x', 'digs', 0, 0, ?1, ?1)`)
  const size = Math.ceil((to - from + 1) / writes)
  for (let first = from; first <= to; first += size) {
    await store.write((tx) => {
      for (let n = first; n < first + size; n++) tx.run(insert, n)
    })
  }
}

test('indexes that many writes left in parts are merged, and find the same', async () => {
  await using network = await openNetwork()
  const key = await network.agent('ada')
  await write(network, 1, 100)
  await network.store.write((tx) => void tx.run(command("UPDATE posts SET deleted_at = 1 WHERE id = 'post7'")))
  const found = async (q: string) => (await network.api('GET', `/search?type=posts&q=${q}&limit=100`, key)).body.results
  const before = await found('digs')
  expect([(before as Json[]).length, partsOf(network, STEMS.posts) > 1]).toEqual([99, true])
  await network.services.indexMerges.run()
  expect(Object.values(STEMS).map((index) => partsOf(network, index) <= 1)).toEqual([true, true, true, true, true])
  expect(await found('digs')).toEqual(before)
  expect(await found('wombat7x')).toEqual([])
  const check = command("INSERT INTO post_stems (post_stems) VALUES ('integrity-check')")
  await network.store.write((tx) => void tx.run(check))
  expect(network.errors).toEqual([])
})

test('a few new parts are merged among themselves, and nothing is written when there are none', async () => {
  await using network = await openNetwork()
  await network.agent('ada')
  await write(network, 1, 3_000, 1)
  await network.services.indexMerges.run()
  await write(network, 3_001, 3_020)
  expect(partsOf(network, STEMS.posts)).toBeGreaterThan(3)
  await network.clock.advance(60_000)
  await network.services.indexMerges.stop()
  expect(partsOf(network, STEMS.posts)).toBeLessThan(4)
  const changes = () => network.store.get(query<{ n: number }>('SELECT total_changes() AS n'))?.n
  const before = changes()
  await network.services.indexMerges.run()
  expect([changes(), network.errors]).toEqual([before, []])
})
