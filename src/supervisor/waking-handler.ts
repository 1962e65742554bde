import type { RequestHandler } from '../http/app.ts'
import { hasHost, pathOf } from '../http/authority.ts'
import { checkRequest, type GuardSettings } from '../http/guard.ts'
import { decodeSegment } from '../http/paths.ts'
import { RequestFacts } from '../http/request-guard.ts'
import type { Cities } from './cities.ts'

const CITY = /^\/v0\/city\/([^/]+)(\/hook\/)?/

/**
 * Opens the city that a request names, if it rests, before `next` answers. A request that the guard rejects opens nothing;
 * hooks have no guard, since they prove by their own signatures who sends them.
 */
export const wakesCities = (
  cities: Pick<Cities, 'hasResting' | 'wake'>,
  guard: GuardSettings | undefined,
  next: RequestHandler,
): RequestHandler => ({
  fetch(request, server) {
    const waking = cities.hasResting && hasHost(request) ? wake(cities, guard, request) : undefined
    return waking ? waking.then(() => next.fetch(request, server)) : next.fetch(request, server)
  },
  stop: () => next.stop(),
})

function wake(
  cities: Pick<Cities, 'wake'>,
  guard: GuardSettings | undefined,
  request: Request,
): Promise<void> | undefined {
  const [, city, hook] = CITY.exec(pathOf(request.url)) ?? []
  if (city === undefined) return undefined
  if (guard && hook === undefined && !isAllowed(request, guard)) return undefined
  return cities.wake(decodeSegment(city))
}

function isAllowed({ method, headers }: Request, guard: GuardSettings): boolean {
  try {
    checkRequest(new RequestFacts(method, headers), guard)
    return true
  } catch {
    return false
  }
}
