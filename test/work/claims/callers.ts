import type { SessionCaller } from '../../../src/http/caller.ts'
import { openWork, type Work } from '../world.ts'

/** A city in which the sessions ada and bob run, as they call. */
export async function openClaims() {
  const work = await openWork()
  const [ada, bob] = [await work.session('ada'), await work.session('bob')]
  work.recorded()
  return { ...work, ada: work.caller(ada.id), bob: work.caller(bob.id) }
}

export const routed = (work: Work, title: string, more = {}) =>
  work.add({ title, metadata: { 'gc.routed_to': 'press/hand' }, ...more })

/** A session whose process we do not see, as it calls. */
export const remote = async (work: Work, alias: string) => work.caller((await work.lentSession(alias)).id)

/** Running sessions, as they call. */
export const crowd = (work: Work, size: number): Promise<SessionCaller[]> =>
  Promise.all(Array.from({ length: size }, async (_, n) => work.caller((await work.session(`s${n}`)).id)))
