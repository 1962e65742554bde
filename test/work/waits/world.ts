import { AppError } from '../../../src/core/errors.ts'
import { Waits } from '../../../src/work/waits/waits.ts'
import { TestClock } from '../../support/clock.ts'
import { type TempFolder, tempFolder } from '../../support/folder.ts'
import { openMail } from '../mail/world.ts'

type NudgeEnd = Parameters<ConstructorParameters<typeof Waits>[0]['sessions']['onNudged']>[0]
type Woken = Parameters<ConstructorParameters<typeof Waits>[0]['sessions']['onWake']>[0]

/** A city with sessions in its books, as far as its waits go. */
export function openWaits(folder: TempFolder = tempFolder(), clock = new TestClock()) {
  const world = openMail(folder, clock)
  const { book, store, deadlines, reactions, beads } = world
  const said: { session: string; text: string; name: string }[] = []
  const roused: string[] = []
  const ends: NudgeEnd[] = []
  const wakes: Woken[] = []
  const resets: Woken[] = []
  const waits = new Waits({
    ...{ city: 'mill', store, clock, deadlines, reactions, beads },
    sessions: {
      find: (id) => book.find(id),
      resolve(token) {
        const row = book.find(token) ?? book.liveByName('alias', token)[0]
        if (row) return row
        throw new AppError('session-not-found', `not_found: session not found: "${token}"`)
      },
      titleOf: (id) => book.titleOf(id),
      rouse: (tx, id) => tx.after(() => roused.push(id)),
      nudge: (tx, session, text, name) => tx.after(() => said.push({ session, text, name })),
      withdraw: (tx, name) => tx.after(() => said.splice(0, said.length, ...said.filter((one) => one.name !== name))),
      onNudged: (hear) => void ends.push(hear),
      onWake: (hear) => void wakes.push(hear),
      onReset: (hear) => void resets.push(hear),
    },
    report: (message) => world.faults.push(message),
  })
  reactions.start()
  waits.start()
  return Object.assign(world, {
    waits,
    said,
    roused,
    /** Tells how a reminder ended. */
    ended: (name: string, how: 'delivered' | 'failed' | 'abandoned') =>
      store.write((tx) => {
        for (const hear of ends) hear(tx, name, how, 'it could not be typed')
      }),
    woken: (id: string) =>
      store.write((tx) => {
        for (const hear of wakes) hear(tx, id)
      }),
    reset: (id: string) =>
      store.write((tx) => {
        for (const hear of resets) hear(tx, id)
      }),
    close: (id: string) => store.write((tx) => void beads.close(tx, id)),
    task: async (title: string) => (await world.add({ title })).id,
  })
}
