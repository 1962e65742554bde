import type { CityClient } from '../../src/client/client.ts'
import { countOf } from '../../src/client/text.ts'
import { bad, type CheckResult, ok } from './result.ts'

const NAME = 'unconfined'
/** How many sessions a sentence names. */
const NAMED = 5

/** The running sessions that nothing confines in a city that confines others. */
export async function checkUnconfined(city: CityClient | undefined): Promise<CheckResult> {
  if (!city) return ok(NAME, 'not known of a city that does not run')
  const { items } = await city.call('GET ~/unconfined-sessions')
  if (items.length === 0) return ok(NAME, 'no session runs unconfined beside confined ones')
  const named = items.slice(0, NAMED).map(({ session_name }) => session_name)
  const more = items.length > NAMED ? ` and ${items.length - NAMED} more` : ''
  const message = `${countOf(items.length, 'session')} may do what you may: ${named.join(', ')}${more}`
  return bad('warning', NAME, message, 'set confine = "default" on their agents, or leave them so on purpose')
}
