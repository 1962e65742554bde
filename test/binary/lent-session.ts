import { declare, startSession } from '../api/town.ts'
import type { TestCity, World } from '../support/world.ts'

/** A suspended session, lent to a program that gc does not run. */
export interface LentSession {
  city: TestCity
  session: string
  token: string
}

/** Lends the only session of a new city. */
export async function lentSession(world: World, name: string): Promise<LentSession> {
  const city = await world.city(name)
  await declare(city, 'mayor', {}, { max_active_sessions: 2 })
  const { id } = await startSession(city, 'mayor', { alias: 'away' })
  const seq = await city.head()
  await city.call(`POST ~/session/${id}/suspend`)
  await city.event(seq, ({ type }) => type === 'session.suspended')
  return { city, session: id, token: await lend(city, id) }
}

/** Lends a session, again: the token before ends. */
export const lend = async (city: TestCity, id: string): Promise<string> =>
  (await city.call(`POST ~/session/${id}/lend`)).body.token
