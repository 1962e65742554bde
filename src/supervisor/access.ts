import type { City } from '../city/city.ts'
import type { AccessPolicy } from '../http/needs.ts'

/** What decides over the access of sessions: the configuration of their city, and what belongs to whom in it. */
export const accessPolicy = (find: (city: string) => City | undefined): AccessPolicy => ({
  isStrict: (city) => find(city)?.config.current.strict ?? true,
  owns(caller, ownable, name) {
    const city = find(caller.city)
    if (!city) return false
    if (ownable === 'run') return city.runs.isOwn(caller, name)
    if (caller.kind === 'process') return false
    return ownable === 'session' ? city.sessions.credentials.isOwn(caller, name) : city.mail.isFor(name, caller.session)
  },
})
