import { describe, expect, test } from 'bun:test'
import { isMessage, toMessage } from '../../../src/agents/conversations/formats/messages.ts'
import { isTurn, toTurn } from '../../../src/agents/conversations/formats/turns.ts'
import { runSync } from '../../../src/programs/entries/steps.ts'
import { GeminiParser } from '../../../src/programs/gemini/log.ts'
import { statusOf } from '../../../src/programs/log-status.ts'
import { firstPrompt } from '../../../src/programs/logs/head.ts'
import { JsonLog } from '../../../src/programs/logs/json-log.ts'
import { JsonlLog } from '../../../src/programs/logs/jsonl-log.ts'
import type { LogSnapshot } from '../../../src/programs/logs/log-reader.ts'
import { tempFolder } from '../../support/folder.ts'
import { append, at, jsonl, write } from '../samples.ts'

const user = { id: 'u1', timestamp: at(1), type: 'user', content: [{ text: 'Look.' }] }
const call = { id: 'c1', name: 'run_shell_command', args: { command: 'ls' }, status: 'executing', timestamp: at(2) }
const result = [{ functionResponse: { id: 'c1', name: 'run_shell_command', response: { output: 'a\nb' } } }]
const tokens = { input: 1000, output: 20, cached: 400, thoughts: 30, tool: 0, total: 1050 }
const working = { id: 'g1', timestamp: at(2), type: 'gemini', content: '', toolCalls: [call], model: 'gemini-3-pro' }
const worked = { ...working, toolCalls: [{ ...call, status: 'success', result }], tokens }
const done = { id: 'g2', timestamp: at(3), type: 'gemini', content: 'Two files.', model: 'gemini-3-pro', tokens }
const head = { sessionId: 'gem-1', projectHash: 'h', startTime: at(0), lastUpdated: at(3) }
const BOUNDS = { windowBytes: 1e6, keepBytes: 1e6 }
const turnTexts = (log: { snapshot: LogSnapshot }) =>
  log.snapshot.entries
    .filter(isTurn)
    .map(toTurn)
    .map(({ text }) => text)

describe('a chat with Gemini', () => {
  test('is read from one document that is rewritten at every turn', async () => {
    using folder = tempFolder()
    const path = write(folder.at('session-1.json'), JSON.stringify({ ...head, messages: [user, working] }))
    const log = new JsonLog(path, new GeminiParser())
    expect(await log.refresh()).toBe(true)
    expect(statusOf(log.snapshot)).toMatchObject({ activity: 'in-turn', model: 'gemini-3-pro' })
    expect(log.snapshot.entries.at(-1)?.partial).toBe(true)
    write(path, JSON.stringify({ ...head, messages: [user, worked, done] }).slice(0, 150))
    expect(await log.refresh()).toBe(false)
    write(path, JSON.stringify({ ...head, messages: [user, worked, done] }))
    expect(await log.refresh()).toBe(true)
    expect(turnTexts(log)).toEqual(['Look.', '[run_shell_command]\n[result] a\nb', 'Two files.'])
    expect(statusOf(log.snapshot).activity).toBe('idle')
    expect(log.snapshot.key).toBe('gem-1')
    expect(await log.refresh()).toBe(false)
  })

  test('is read line by line, with later lines replacing earlier ones and rewinds removing some', async () => {
    using folder = tempFolder()
    const path = write(folder.at('session-1.jsonl'), jsonl(head, user, working))
    const log = new JsonlLog(path, () => new GeminiParser(), BOUNDS)
    await log.refresh()
    append(path, worked, done, { $set: { lastUpdated: at(4) } })
    await log.refresh()
    expect(turnTexts(log)).toEqual(['Look.', '[run_shell_command]\n[result] a\nb', 'Two files.'])
    append(path, { $rewindTo: 'g2' })
    await log.refresh()
    expect(turnTexts(log)).toEqual(['Look.', '[run_shell_command]\n[result] a\nb'])
  })

  test('leaves out what the program adds before the first prompt', async () => {
    using folder = tempFolder()
    const own = { ...user, id: 'u0', content: [{ text: '<session_context>\nThis is the Gemini CLI.' }] }
    const path = write(folder.at('session-3.jsonl'), jsonl(head, { $set: { messages: [own] } }, user, done))
    const log = new JsonlLog(path, () => new GeminiParser(), BOUNDS)
    await log.refresh()
    expect(turnTexts(log)).toEqual(['Look.', 'Two files.'])
    expect(log.snapshot.entries.filter(isMessage)).toHaveLength(2)
    expect(firstPrompt(path, new GeminiParser())).toBe('Look.')
  })

  test('has the usage of a response, with cached and reasoning tokens apart', () => {
    const view = runSync(new GeminiParser().parse([user, worked].map((value, offset) => ({ offset, size: 1, value }))))
    expect(view.entries[1]?.usage?.tokens).toEqual({
      input: 600,
      output: 50,
      cacheRead: 400,
      cacheWrite: 0,
      reasoning: 30,
    })
    const [, message] = view.entries.filter(isMessage).map((entry) => toMessage(entry, 'gemini', false))
    expect(message?.blocks).toMatchObject([
      { type: 'tool_use', input: { kind: 'command', command: 'ls' } },
      { type: 'tool_result', content: 'a\nb', structured: { kind: 'bash' } },
    ])
  })
})
