import { fdatasyncSync } from 'node:fs'
import { Type } from '@sinclair/typebox'
import { systemClock } from '../../../src/core/clock.ts'
import { Deadlines } from '../../../src/core/deadlines.ts'
import actors from '../../../src/core/events/actors.sql' with { type: 'text' }
import emitted from '../../../src/core/events/emitted.sql' with { type: 'text' }
import { defineEvent } from '../../../src/core/events/event.ts'
import sql from '../../../src/core/events/log.sql' with { type: 'text' }
import { EventLog } from '../../../src/core/events/log.ts'
import { Reactions } from '../../../src/core/events/reactions.ts'
import { command } from '../../../src/core/store/index.ts'
import { Store, type StoreOptions } from '../../../src/core/store/store.ts'

const note = (type: string) => defineEvent(type, Type.Unknown(), 'Something was noted.')

const DONE = 'CREATE TABLE done (seq INTEGER NOT NULL, consumer TEXT NOT NULL)'

/** A log of notes with two consumers; the second one reacts to what the first one records. */
export function reacting(path: string, report: (message: string) => void, options: StoreOptions = {}) {
  const deadlines = new Deadlines()
  const store = Store.open(path, [sql, emitted, actors, DONE], options)
  const log = new EventLog(store, systemClock, deadlines)
  const reactions = new Reactions(store, log, deadlines, report)
  const insert = command<[number, string]>('INSERT INTO done (seq, consumer) VALUES (?, ?)')
  reactions.on('reader', ['note.written'], (tx, { seq }) => {
    tx.run(insert, seq, 'reader')
    log.append(tx, note('note.read'), { actor: 'reader', subject: String(seq) }, {})
  })
  reactions.on('keeper', ['note.read'], (tx, { seq }) => void tx.run(insert, seq, 'keeper'))
  return { store, log, reactions, deadlines }
}

/** Kills itself once a commit is on disk and before it is published. */
const dyingAfter = (commits: number): StoreOptions['sync'] => {
  let left = commits
  return async (file) => {
    fdatasyncSync(file)
    if (--left === 0) process.kill(process.pid, 'SIGKILL')
    await undefined
  }
}

if (import.meta.main) {
  const [, , path = '', commits = '0'] = process.argv
  const options = Number(commits) > 0 ? { sync: dyingAfter(Number(commits)) } : {}
  const { store, log, reactions } = reacting(path, (message) => process.stderr.write(`${message}\n`), options)
  reactions.start()
  for (;;) await store.write((tx) => log.append(tx, note('note.written'), { actor: 'ann' }, { text: 'hello' }))
}
