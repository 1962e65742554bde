import type { ScriptedTown } from '../../support/city.ts'
import { openWork } from '../world.ts'

/** A city in which beads are closed and sessions are notified. */
export async function openWaits(town?: ScriptedTown) {
  const work = await openWork(town && { town })
  const { store, beadRepository, host, sessionRepository } = work
  return {
    ...work,
    task: async (title: string) => (await work.add({ title })).id,
    /** Closes a bead. */
    finish: (id: string) => store.write((tx) => void beadRepository.close(tx, id)),
    /** Messages that wait for the program of a session. */
    queued: () => work.nudges().filter(({ state }) => state === 'queued'),
    /** The program of a session can take a message. */
    finishTurn: (id: string) => host.finishTurn(sessionRepository.get(id).hostKey ?? ''),
  }
}
