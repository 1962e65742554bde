import { Type } from '@sinclair/typebox'
import { Deadlines } from '../../../src/core/deadlines.ts'
import actors from '../../../src/core/events/actors.sql' with { type: 'text' }
import emitted from '../../../src/core/events/emitted.sql' with { type: 'text' }
import { defineEvent } from '../../../src/core/events/event.ts'
import sql from '../../../src/core/events/log.sql' with { type: 'text' }
import { EventLog } from '../../../src/core/events/log.ts'
import { Reactions } from '../../../src/core/events/reactions.ts'
import { Store, type StoreOptions } from '../../../src/core/store/store.ts'
import { TestClock } from '../../support/clock.ts'
import { tempFolder } from '../../support/folder.ts'

export const NoteWritten = defineEvent('note.written', Type.Object({ text: Type.String() }), 'A note was written.')
export const NoteRead = defineEvent('note.read', Type.Object({}), 'A note was read.')

/** An event of any type with any payload. */
export const note = (type: string) => defineEvent(type, Type.Unknown(), 'Something was noted.')

const MIGRATIONS = [sql, emitted, actors, 'CREATE TABLE done (seq INTEGER NOT NULL, consumer TEXT NOT NULL)']

/** An event log in its own folder; `reopen` closes and reopens it, as a restart would. */
export function eventWorld(options: StoreOptions = {}) {
  const folder = tempFolder()
  const clock = new TestClock()
  const deadlines = new Deadlines(clock, clock)
  const reports: string[] = []
  const build = () => {
    const store = Store.open(folder.at('a.db'), MIGRATIONS, options)
    const log = new EventLog(store, clock, deadlines)
    const reactions = new Reactions(store, log, deadlines, (message) => reports.push(message))
    return { store, log, reactions }
  }
  const world = {
    folder,
    clock,
    deadlines,
    reports,
    ...build(),
    /** Records one event of the type and resolves with its number. */
    record: (type = 'note.written', actor = 'ann', payload: unknown = { text: 'hello' }): Promise<number> =>
      world.store.write((tx) => world.log.append(tx, note(type), { actor }, payload)),
    /** Records this many events in shared commits. */
    fill: async (count: number, type = 'note.written'): Promise<void> => {
      for (let left = count; left > 0; left -= 1000) {
        await world.store.write((tx) => {
          for (let n = 0; n < Math.min(left, 1000); n++) {
            world.log.append(tx, note(type), { actor: 'ann' }, { text: 'hello' })
          }
        })
      }
    },
    reopen: async (): Promise<void> => {
      await world.reactions.stop()
      await world.store.close()
      Object.assign(world, build())
    },
    [Symbol.asyncDispose]: async (): Promise<void> => {
      await world.reactions.stop()
      await world.store.close()
      deadlines.close()
      folder[Symbol.dispose]()
    },
  }
  return world
}
