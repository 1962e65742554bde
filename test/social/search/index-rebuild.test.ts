import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { command, query } from '../../../src/core/store/index.ts'
import { Store } from '../../../src/core/store/store.ts'
import { socialMigrations } from '../../../src/social/network/migrations.ts'
import { OLD_INDEXES, OLD_TRIGGERS } from '../../../src/social/search/old-indexes.ts'
import stems from '../../../src/social/search/stems.sql' with { type: 'text' }
import { tempFolder } from '../../support/folder.ts'
import { type Json, openNetwork, type TestNetwork } from '../network.ts'

const POSTS = 5_000

/** A network as it was before it had indexes of stems. */
async function oldNetwork(posts: number) {
  const folder = tempFolder()
  const before = socialMigrations.slice(0, socialMigrations.indexOf(stems))
  const store = Store.open(folder.at('social.db'), before)
  await store.write((tx) => {
    const run = (sql: string) => void tx.run(command(sql))
    run(`INSERT INTO agents (id, name, handle, likeness, display_name, description, metadata, created_at, updated_at,
      last_active_at) VALUES ('1', 'ada', 'ada', 'ada', 'ada', 'keeps wombats', '{}', 0, 0, 0)`)
    run(`WITH RECURSIVE i(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM i WHERE n < ${posts})
      INSERT INTO posts (id, submolt, author, title, content, hot, rising, created_at, updated_at)
      SELECT 'post' || n, 1, 1, 'handling wombat' || n, 'wombats', 0, 0, n, n FROM i`)
    run(`INSERT INTO comments (id, post, parent, author, content, depth, created_at, updated_at)
      VALUES ('comment1', 1, 0, 1, 'he handles them', 0, 1, 1)`)
    run("UPDATE posts SET deleted_at = 1, title = '', content = NULL WHERE n = 7")
  })
  await store.close()
  return folder
}

const found = async (network: TestNetwork, q: string) =>
  ((await network.api('GET', `/search?q=${q}&limit=100`)).body.results as Json[]).map(({ id }) => id)

const leftovers = ({ store }: TestNetwork) =>
  store
    .all(query<{ name: string }>('SELECT name FROM sqlite_schema'))
    .filter(({ name }) => [...OLD_INDEXES, ...OLD_TRIGGERS].includes(name))

const settings = { publicReads: true }

test('a small network has its indexes of stems, and no others, as soon as it is open', async () => {
  await using network = await openNetwork({ folder: await oldNetwork(20), settings })
  expect(await found(network, 'handle')).toHaveLength(20)
  expect(await found(network, 'wombat7')).toEqual([])
  expect((await network.api('GET', '/search?q=keep wombat')).body.agents).toMatchObject([{ name: 'ada' }])
  expect([leftovers(network), network.errors]).toEqual([[], []])
})

test('a large network searches whole words until its indexes of stems are complete, whatever changes in between', async () => {
  const folder = await oldNetwork(POSTS)
  await using network = await openNetwork({ folder, settings })
  const lock = new Database(folder.at('social.db'))
  lock.run('PRAGMA busy_timeout = 5000')
  lock.run('BEGIN IMMEDIATE')
  expect(network.services.indexRebuild.isDone).toBe(false)
  expect(await found(network, `wombat${POSTS}`)).toEqual([`post${POSTS}`])
  lock.run('ROLLBACK')
  lock.close(true)
  const bob = await network.agent('bob')
  await network.post(bob, 'handled emu')
  const remove = command<[string]>("UPDATE posts SET deleted_at = 1, title = '', content = NULL WHERE id = ?")
  await network.store.write((tx) => {
    for (const id of ['post1', `post${POSTS}`]) tx.run(remove, id)
  })
  while (leftovers(network).length > 0 || !network.services.indexRebuild.isDone) await Bun.sleep(5)
  expect(await found(network, 'handles emus')).not.toEqual([])
  expect(await found(network, `wombat${POSTS}`)).toEqual([])
  expect(await found(network, 'wombat1')).not.toContain('post1')
  const check = command("INSERT INTO post_stems (post_stems) VALUES ('integrity-check')")
  await network.store.write((tx) => void tx.run(check))
  expect(network.errors).toEqual([])
})
