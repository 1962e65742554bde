import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { isRepeatable } from '../../src/http/idempotency.ts'
import { networkRoutes } from '../../src/social/routes.ts'
import { allRoutes } from '../../src/supervisor/all-routes.ts'
import { type Json, NetworkClient } from '../support/network.ts'
import { type TestCity, World } from '../support/world.ts'
import { declare, startSession } from './town.ts'

const RESOURCES = new Set(['Bead', 'BeadComment', 'Comment', 'Message', 'Post', 'SessionResponse', 'WaitView'])

/** True if there is a resource in an answer, or a list of them. */
function hasResource(schema: unknown, depth = 0): boolean {
  const { $id, properties, items } = Object(schema)
  if (RESOURCES.has($id)) return true
  return depth < 3 && [...Object.values(Object(properties)), items].some((inner) => hasResource(inner, depth + 1))
}

/** The longest answers in a database, by what is kept of them. */
function keptIn(file: string): Record<string, number> {
  using database = new Database(file, { readonly: true })
  const rows = database.query<{ kind: string; length: number }, []>(
    'SELECT kind, max(length(body)) AS length FROM replays GROUP BY kind',
  )
  return Object.fromEntries(rows.all().map(({ kind, length }) => [kind, length]))
}

const TEXT = 'x'.repeat(40_000)

/** The answer to a change, which is sent again in `world.call` and answered alike. */
async function done(city: TestCity, operation: string, body?: object, token?: string): Promise<Json> {
  const answer = await city.call(operation, { ...(body && { body }), ...(token !== undefined && { token }) })
  expect([operation, answer.body.code]).toEqual([operation, undefined])
  return answer.body
}

test('every answer with a resource in it can be read again', () => {
  const network = networkRoutes(Object({}), Object({}), Object({}), Object({}))
  const routes = [...allRoutes(Object({ gc: {} })), ...network].filter(isRepeatable)
  const large = routes.filter(({ spec: { ok } }) => Object.values({ ok, ...ok }).some((each) => hasResource(each)))
  expect(large.length).toBeGreaterThan(15)
  const kept = large.filter(({ spec: { repeat } }) => typeof repeat !== 'object' || !('read' in repeat))
  // Its effect is in a program, and its answer has no text of any length.
  expect(kept.map(({ spec }) => spec.id)).toEqual(['post-v0-city-by-city-name-session-by-id-permission-mode'])
})

test('a repeated change in a city gets its large answer, of which only the ids are kept', async () => {
  await using world = await World.open()
  const city = await world.city()
  await declare(city, 'clerk')
  const clerk = await startSession(city, 'clerk')
  const { id } = await done(city, 'POST ~/beads', { title: 'a', description: TEXT })
  await done(city, 'POST ~/beads/bulk', { beads: [{ title: 'b', description: TEXT }, { title: 'c' }] })
  await done(city, `POST ~/bead/${id}/comments`, { text: TEXT })
  const mail = await done(city, 'POST ~/mail', { to: 'human', subject: 'e', body: TEXT })
  await done(city, `POST ~/mail/${mail.id}/reply`, { body: TEXT })
  await done(city, `PATCH ~/mail/${mail.id}`, { read: true })
  await done(city, `POST ~/bead/${id}/assign`, { assignee: clerk.id })
  const next = await done(city, 'POST ~/claims/next', undefined, clerk.token)
  expect(next.bead).toMatchObject({ id, description: TEXT })
  const { answer, resource } = keptIn(join(city.path, '.gc', 'city.db'))
  expect(answer).toBeLessThan(16 * 1024)
  expect(resource).toBeLessThan(1024)
}, 30_000)

test('a repeated change on the network gets its large answer, also while no one else sees the text', async () => {
  await using network = await NetworkClient.open('verification = true\n')
  const { key } = await network.register('ada')
  const draft = { submolt: 'general', title: 'a', content: TEXT }
  const { post } = await network.request('POST /posts', { key, body: draft })
  expect(post.content).toBe(TEXT)
  expect(keptIn(join(network.world.home, 'social.db')).resource).toBeLessThan(1024)
}, 30_000)
