import type { City } from '../city/city.ts'
import type { Caller } from '../http/caller.ts'
import type { AccessPolicy } from '../http/needs.ts'
import { NO_KNOWN_SECRETS, type SecretFilter } from '../http/secret-filter.ts'

/** Access policy of sessions: the configuration of their city, and the owners of its resources. */
export const accessPolicy = (find: (city: string) => City | undefined): AccessPolicy => ({
  isStrict: (city) => find(city)?.config.current.strict ?? true,
  owns(caller, ownable, name) {
    const city = find(caller.city)
    if (!city) return false
    if (ownable === 'run') return city.runs.isOwn(caller, name)
    if (caller.kind === 'process') return false
    if (ownable === 'change') return city.changes.isOf(caller.session, name)
    return ownable === 'session' ? city.credentials.isOwn(caller, name) : city.mail.isFor(name, caller.session)
  },
})

interface RunningCities {
  find(city: string): City | undefined
  all(): readonly City[]
}

const striking = (cities: readonly City[], text: string): string =>
  cities.reduce((rest, { config }) => config.secrets.strike(rest), text)

/**
 * Filter of responses for everyone but the operator and people without tokens: secrets that their city declares, or any
 * city for people who read all.
 */
export function secretFilter(caller: Caller, { find, all }: RunningCities): SecretFilter | undefined {
  if (caller.kind === 'human' || caller.kind === 'operator') return undefined
  if (caller.kind === 'person') return { strike: (text) => striking(all(), text) }
  return ('city' in caller ? find(caller.city)?.config.secrets : undefined) ?? NO_KNOWN_SECRETS
}
