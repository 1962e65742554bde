import { expect, test } from 'bun:test'
import { LogWatcher } from '../../../src/agents/lifecycle/exit/log-watcher.ts'
import { ClaudeParser, claudeLogs } from '../../../src/programs/claude/log.ts'
import { runSync } from '../../../src/programs/entries/steps.ts'
import { at, claude } from '../../programs/samples.ts'

const SINCE = Date.parse(at(0))

/** A log with these records, as it is read. */
function reading(path: string, ...records: object[]) {
  const parser = new ClaudeParser({ sidechains: path.includes('agent-') })
  const values = records.map((value, offset) => ({ offset, size: 1, value: { ...value } }))
  return { log: claudeLogs.handle(path, 'k', false), snapshot: runSync(parser.parse(values)) }
}

test('a usage limit that a sub-agent reports is read from its own log, and once', () => {
  const watcher = new LogWatcher()
  const limit = {
    ...claude.says('s1', '', "You've hit your session limit · resets in 2h", 2),
    ...{ isSidechain: true, isApiErrorMessage: true },
  }
  const main = reading('/logs/k.jsonl', claude.says('a1', '', 'Good', 1))
  const side = reading('/logs/k/subagents/agent-a7.jsonl', limit)
  expect(watcher.read('s', 'claude', main, SINCE)).toBeUndefined()
  expect(watcher.read('s', 'claude', side, SINCE)).toMatchObject({ is: 'limited' })
  expect(watcher.read('s', 'claude', main, SINCE)).toBeUndefined()
  expect(watcher.read('s', 'claude', side, SINCE)).toBeUndefined()
})
