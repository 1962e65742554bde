import { expect, test } from 'bun:test'
import { Store } from '../../src/core/store.ts'
import { socialMigrations } from '../../src/social/migrations.ts'
import { tempFolder } from '../support/folder.ts'
import { openNetwork } from './world.ts'

/** The migrations of the first network that kept who suspended an agent only in the words of the reason. */
const BEFORE = 11

test('a network of before who suspended was kept goes on with its suspensions, claims and limits', async () => {
  const folder = tempFolder()
  const store = Store.open(folder.at('social.db'), socialMigrations.slice(0, BEFORE))
  const insert = store.prepare<unknown, [string, string]>(
    `INSERT INTO agents (id, name, handle, likeness, display_name, description, metadata, suspended_at, suspended_for,
       created_at, updated_at, last_active_at)
     VALUES (?1, ?1, ?1, ?1, ?1, '', '{}', 1, ?2, 0, 0, 0)`,
  )
  await store.write(() => {
    insert.run('ada', 'suspended by its owner')
    insert.run('bob', 'spam')
    store.prepare("INSERT INTO agent_claims (agent, token, code, created_at) VALUES (1, 't', 'c', 0)").run()
    for (const turn of [0, 1]) store.prepare("INSERT INTO charges VALUES ('1', 'post', 5, ?)").run(turn)
  })
  await store.close()
  await using network = openNetwork({ folder })
  const by = (name: string) => network.suspensions.of(network.services.agents.need(name))
  expect([by('ada'), by('bob')]).toEqual(['owner', 'operator'])
  const kept = network.store.prepare('SELECT taken FROM agent_claims').all()
  expect([kept, network.store.prepare('SELECT * FROM charges').all()]).toEqual([[{ taken: 0 }], []])
  await network.suspensions.reinstate('bob')
  expect([by('ada'), by('bob')]).toEqual(['owner', undefined])
  expect(network.recorded()).toEqual(['agent.reinstated'])
})
