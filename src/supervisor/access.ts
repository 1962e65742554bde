import type { City } from '../city/city.ts'
import type { AccessPolicy } from '../http/needs.ts'

/** What decides over the access of sessions: the configuration of their city, and what belongs to whom in it. */
export const accessPolicy = (find: (city: string) => City | undefined): AccessPolicy => ({
  isStrict: (city) => find(city)?.config.current.strict ?? true,
  owns(caller, ownable, { id, session }) {
    const city = find(caller.city)
    const name = id ?? session
    if (!city || name === undefined) return false
    return ownable === 'session' ? city.sessions.credentials.isOwn(caller, name) : city.mail.isFor(name, caller.session)
  },
})
