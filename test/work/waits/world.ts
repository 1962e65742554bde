import { AppError } from '../../../src/core/errors.ts'
import type { NudgeListener, SessionListener } from '../../../src/work/waits/sessions.ts'
import { Waits } from '../../../src/work/waits/waits.ts'
import { TestClock } from '../../support/clock.ts'
import { type TempFolder, tempFolder } from '../../support/folder.ts'
import { openMail } from '../mail/world.ts'

/** The waits of a city named mill, with stored sessions. */
export function openWaits(folder: TempFolder = tempFolder(), clock = new TestClock()) {
  const world = openMail(folder, clock)
  const { sessionRepository, store, deadlines, reactions, repository } = world
  const waitNudges: { session: string; text: string; name: string }[] = []
  const wokenSessions: string[] = []
  const ends: NudgeListener[] = []
  const wakes: SessionListener[] = []
  const resets: SessionListener[] = []
  const waits = new Waits({
    ...{ city: 'mill', store, clock, deadlines, reactions, beads: repository },
    sessions: {
      find: (id) => sessionRepository.find(id),
      resolve(token) {
        const row = sessionRepository.find(token) ?? sessionRepository.liveByName('alias', token)[0]
        if (row) return row
        throw new AppError('session-not-found', `not_found: session not found: "${token}"`)
      },
      titleOf: (id) => sessionRepository.titleOf(id),
      wake: (tx, id) => tx.after(() => wokenSessions.push(id)),
      nudge: (tx, session, text, name) => tx.after(() => waitNudges.push({ session, text, name })),
      withdraw: (tx, name) =>
        tx.after(() => waitNudges.splice(0, waitNudges.length, ...waitNudges.filter((nudge) => nudge.name !== name))),
      onNudgeEnded: (listener) => void ends.push(listener),
      onWake: (listener) => void wakes.push(listener),
      onReset: (listener) => void resets.push(listener),
    },
    report: (message) => world.errors.push(message),
  })
  reactions.start()
  waits.start()
  return Object.assign(world, {
    waits,
    waitNudges,
    wokenSessions,
    /** Ends a nudge. */
    ended: (name: string, how: 'delivered' | 'failed' | 'abandoned') =>
      store.write((tx) => {
        for (const listener of ends) listener(tx, name, how, 'it could not be typed')
      }),
    woken: (id: string) =>
      store.write((tx) => {
        for (const listener of wakes) listener(tx, id)
      }),
    reset: (id: string) =>
      store.write((tx) => {
        for (const listener of resets) listener(tx, id)
      }),
    close: (id: string) => store.write((tx) => void repository.close(tx, id)),
    task: async (title: string) => (await world.add({ title })).id,
  })
}
