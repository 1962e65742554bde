import { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { isTurn, toTurn } from '../../../src/agents/conversations/formats/turns.ts'
import { statusOf } from '../../../src/programs/log-status.ts'
import { JsonLog } from '../../../src/programs/logs/json-log.ts'
import type { LogSnapshot } from '../../../src/programs/logs/log-reader.ts'
import { firstPrompt, OpenCodeLog, OpenCodeParser, sessionsIn } from '../../../src/programs/opencode/log.ts'
import { tempFolder } from '../../support/folder.ts'
import { write } from '../samples.ts'

const turnTexts = (log: { snapshot: LogSnapshot }) =>
  log.snapshot.entries
    .filter(isTurn)
    .map(toTurn)
    .map(({ text }) => text)

/** A database as OpenCode keeps it, as far as conversations go. */
function openCodeDatabase(path: string) {
  const db = new Database(path)
  db.run('PRAGMA journal_mode = WAL')
  db.run(`CREATE TABLE session (id TEXT PRIMARY KEY, parent_id TEXT, directory TEXT, time_created INTEGER);
    CREATE TABLE message (id TEXT PRIMARY KEY, session_id TEXT, time_created INTEGER, time_updated INTEGER, data TEXT);
    CREATE TABLE part (id TEXT PRIMARY KEY, message_id TEXT, session_id TEXT, time_created INTEGER, time_updated INTEGER, data TEXT);`)
  let now = 1000
  return {
    db,
    session: (id: string, directory: string) =>
      db.run('INSERT INTO session VALUES (?, NULL, ?, ?)', [id, directory, ++now]),
    message: (id: string, data: object) =>
      db.run('INSERT OR REPLACE INTO message VALUES (?, ?, ?, ?, ?)', [
        ...[id, 'ses_1', Number(id.slice(1)), ++now, JSON.stringify(data)],
      ]),
    part: (id: string, message: string, data: object) =>
      db.run('INSERT OR REPLACE INTO part VALUES (?, ?, ?, ?, ?, ?)', [
        ...[id, message, 'ses_1', now, ++now, JSON.stringify(data)],
      ]),
  }
}

const user = { role: 'user', time: { created: 5 } }
const answer = { role: 'assistant', modelID: 'claude-sonnet-4-6', providerID: 'anthropic', time: { created: 6 } }
const tokens = { input: 10, output: 5, reasoning: 1, cache: { read: 90, write: 0 } }
const over = { ...answer, tokens, cost: 0.25, finish: 'stop', time: { created: 6, completed: 9 } }
const tool = (status: string, more: object = {}) => ({
  ...{ type: 'tool', tool: 'bash', callID: 'c1', state: { status, input: { command: 'ls' }, ...more } },
})

describe('a conversation with OpenCode', () => {
  test('is followed in the database while OpenCode writes it', async () => {
    using folder = tempFolder()
    const { db, session, message, part } = openCodeDatabase(folder.at('opencode.db'))
    session('ses_1', '/w')
    message('m1', user)
    part('p1', 'm1', { type: 'text', text: 'List them.' })
    const log = new OpenCodeLog(folder.at('opencode.db'), 'ses_1')
    expect(await log.refresh()).toBe(true)
    expect(statusOf(log.snapshot)).toEqual({ activity: 'in-turn' })
    message('m2', answer)
    part('p2', 'm2', tool('running'))
    expect(await log.refresh()).toBe(true)
    expect(log.snapshot.entries.map(({ partial }) => partial)).toEqual([false, true])
    part('p2', 'm2', tool('completed', { output: 'a b\n', metadata: { exit: 0 } }))
    part('p3', 'm2', { type: 'text', text: 'Two.' })
    message('m2', over)
    expect(await log.refresh()).toBe(true)
    expect(turnTexts(log)).toEqual(['List them.', '[bash]\n[result] a b\n\nTwo.'])
    expect(statusOf(log.snapshot)).toMatchObject({ activity: 'idle', model: 'claude-sonnet-4-6', contextPct: 0 })
    expect(log.snapshot.entries[1]?.usage).toMatchObject({
      id: 'm2',
      cost: 0.25,
      tokens: { input: 10, output: 6, cacheRead: 90 },
    })
    expect(log.snapshot.entries[1]?.raw).toMatchObject({
      info: { id: 'm2', sessionID: 'ses_1' },
      parts: [{ id: 'p2' }, {}],
    })
    expect(await log.refresh()).toBe(false)
    db.run("DELETE FROM message WHERE id = 'm2'")
    expect(await log.refresh()).toBe(true)
    expect([turnTexts(log), log.generation]).toEqual([['List them.'], 1])
    log.close()
    db.close(true)
  })

  test('is read from a database that no one has open, without creating files beside it', async () => {
    using folder = tempFolder()
    const { db, session, message, part } = openCodeDatabase(folder.at('opencode.db'))
    session('ses_1', '/w')
    message('m1', user)
    part('p1', 'm1', { type: 'text', text: '[mill] clerk • now' })
    db.run('PRAGMA wal_checkpoint(TRUNCATE)')
    db.run('PRAGMA journal_mode = DELETE')
    db.close(true)
    expect(sessionsIn(folder.at('opencode.db'), '/w', 0).map(({ id }) => id)).toEqual(['ses_1'])
    expect(sessionsIn(folder.at('opencode.db'), '/elsewhere', 0)).toEqual([])
    expect(firstPrompt(folder.at('opencode.db'), 'ses_1')).toBe('[mill] clerk • now')
    const log = new OpenCodeLog(folder.at('opencode.db'), 'ses_1')
    await log.refresh()
    expect(turnTexts(log)).toEqual(['[mill] clerk • now'])
    log.close()
    expect(readdirSync(folder.path)).toEqual(['opencode.db'])
  })

  test('that does not exist is empty, and a file that is not a database is left alone', async () => {
    using folder = tempFolder()
    const log = new OpenCodeLog(folder.at('opencode.db'), 'ses_1')
    expect(await log.refresh()).toBe(false)
    write(folder.at('opencode.db'), 'not a database')
    expect(await log.refresh()).toBe(false)
    expect(log.snapshot.entries).toEqual([])
  })

  test('is read in the form in which OpenCode exports it', async () => {
    using folder = tempFolder()
    const parts = [{ id: 'p1', type: 'text', text: 'Hello' }]
    const exported = {
      info: { id: 'ses_1' },
      messages: [
        { info: { id: 'm1', ...user }, parts },
        { info: { id: 'm2', ...over }, parts },
      ],
    }
    const log = new JsonLog(write(folder.at('e.json'), JSON.stringify(exported)), new OpenCodeParser('ses_1'))
    await log.refresh()
    expect(log.snapshot.entries.map(({ id, role }) => [id, role])).toEqual([
      ['m1', 'user'],
      ['m2', 'assistant'],
    ])
  })
})
