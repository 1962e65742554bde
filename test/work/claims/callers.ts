import { human, openWork, type Work } from '../world.ts'

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

/** Running sessions without an alias, as they call. */
export async function crowd({ sessions, reconciler, sessionRepository, caller }: Work, size: number) {
  const body = { kind: 'agent', name: 'press/hand' } as const
  await Promise.all(Array.from({ length: size }, () => sessions.creating.create(human, body)))
  await reconciler.settle()
  return sessionRepository.live().flatMap(({ id, alias }) => (alias === null ? [caller(id)] : []))
}
