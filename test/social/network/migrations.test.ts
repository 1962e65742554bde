import { expect, test } from 'bun:test'
import { command, query } from '../../../src/core/store/index.ts'
import { Store } from '../../../src/core/store/store.ts'
import { socialMigrations } from '../../../src/social/network/migrations.ts'
import { tempFolder } from '../../support/folder.ts'
import { type Json, openNetwork } from '../network.ts'

/** The migrations of the first network that kept who suspended an agent only in the words of the reason. */
const BEFORE = 11

test('a network from before suspenders were stored keeps its suspensions, claims and limits', async () => {
  const folder = tempFolder()
  const store = Store.open(folder.at('social.db'), socialMigrations.slice(0, BEFORE))
  const insert = command<
    [string, string]
  >(`INSERT INTO agents (id, name, handle, likeness, display_name, description, metadata, suspended_at, suspended_for,
       created_at, updated_at, last_active_at)
     VALUES (?1, ?1, ?1, ?1, ?1, '', '{}', 1, ?2, 0, 0, 0)`)
  await store.write((tx) => {
    tx.run(insert, 'ada', 'suspended by its owner')
    tx.run(insert, 'bob', 'spam')
    tx.run(command("INSERT INTO agent_claims (agent, token, code, created_at) VALUES (1, 't', 'c', 0)"))
    for (const turn of [0, 1]) tx.run(command<[number]>("INSERT INTO charges VALUES ('1', 'post', 5, ?)"), turn)
  })
  await store.close()
  await using network = await openNetwork({ folder })
  const by = (name: string) => network.suspensions.suspenderOf(network.services.agents.need(name))
  expect([by('ada'), by('bob')]).toEqual(['owner', 'operator'])
  const claims = network.store.all(query<unknown>('SELECT taken FROM agent_claims'))
  expect([claims, network.store.all(query<unknown>('SELECT * FROM charges'))]).toEqual([[{ taken: 0 }], []])
  await network.suspensions.reinstate('bob')
  expect([by('ada'), by('bob')]).toEqual(['owner', undefined])
  expect(network.recorded()).toEqual(['agent.reinstated'])
})

/** The migrations of the last network whose searches had no weights. */
const UNWEIGHED = 15

test('a network from before matches had weights can be searched by its scores and titles', async () => {
  const folder = tempFolder()
  const store = Store.open(folder.at('social.db'), socialMigrations.slice(0, UNWEIGHED))
  const insert = command<
    [string, string, number, number | null]
  >(`INSERT INTO posts (id, submolt, author, title, content, score, hot, rising, created_at, updated_at, deleted_at)
     VALUES (?1, 1, 1, ?2, ?2, ?3, 0, 0, 0, 0, ?4)`)
  await store.write((tx) => {
    tx.run(insert, 'low', 'a low wombat', 0, null)
    tx.run(insert, 'high', 'a high wombat', 3, null)
    tx.run(insert, 'gone', '', 5, 1)
    tx.run(
      command(`INSERT INTO comments (id, post, parent, author, content, depth, score, created_at, updated_at)
         VALUES ('said', 1, 0, 1, 'wombat', 0, 2, 0, 0)`),
    )
    const vote = command<[number, number, number]>('INSERT INTO votes VALUES (?, ?, ?, 1, 0)')
    for (const agent of [11, 12, 13]) tx.run(vote, agent, 0, 2)
    for (const agent of [11, 12]) tx.run(vote, agent, 1, 1)
  })
  await store.close()
  await using network = await openNetwork({ folder })
  expect(await network.recount()).toEqual([])
  const key = await network.agent('ada')
  const { body } = await network.api('GET', '/search?q=wombat', key)
  const results = (body.results as Json[]).map(({ id, score }) => [id, score])
  expect(results).toEqual([
    ['high', 3],
    ['low', 0],
    ['said', 2],
  ])
})
