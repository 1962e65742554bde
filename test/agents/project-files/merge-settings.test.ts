import { describe, expect, test } from 'bun:test'
import { mergeSettings } from '../../../src/agents/project-files/merge-settings.ts'
import type { Settings } from '../../../src/programs/parts/project.ts'

const merged = (path: string, base: Settings, ...parts: Settings[]) =>
  mergeSettings(
    path,
    base,
    parts.map((settings) => ({ settings, from: 'a pack' })),
  )
const GEMINI = '.gemini/settings.json'
const guarded = (command: string) => `[ -z "$GC_SESSION_ID" ] || {\n${command}\n}`

describe('settings that packs and people share', () => {
  test('have the keys of both, and of a key in both the later value', () => {
    expect(merged(GEMINI, { theme: 'dark', model: 'a' }, { model: 'b' }, { extra: [1] })).toEqual({
      ...{ theme: 'dark', model: 'b', extra: [1] },
    })
  })

  test('have the hooks of both; one with the matcher of another takes its place, the same one is there once', () => {
    const entry = (matcher: string, name: string) => ({ matcher, hooks: [{ type: 'prompt', name }] })
    const base = { hooks: { Stop: [entry('a', 'old'), entry('b', 'mine')], Kept: [entry('x', 'mine')] } }
    const part = { hooks: { Stop: [entry('a', 'new'), entry('c', 'new')], Fresh: [entry('', 'new')] } }
    const hooks = {
      Stop: [entry('a', 'new'), entry('b', 'mine'), entry('c', 'new')],
      Kept: [entry('x', 'mine')],
      Fresh: [entry('', 'new')],
    }
    expect(merged(GEMINI, base, part)).toEqual({ hooks })
    expect(merged(GEMINI, base, part, part)).toEqual({ hooks })
  })

  test('have hooks without a matcher side by side', () => {
    const hooks = (name: string) => ({ hooks: { Stop: [{ hooks: [{ name }] }] } })
    expect(merged(GEMINI, hooks('a'), hooks('b'), hooks('b'))).toEqual({
      hooks: { Stop: [{ hooks: [{ name: 'a' }] }, { hooks: [{ name: 'b' }] }] },
    })
  })

  test('have commands of packs that do nothing outside of a session, in groups for Claude', () => {
    const bare = { hooks: { Stop: [{ command: 'say done' }] } }
    const wrapped = { type: 'command', command: guarded('say done') }
    expect(merged('.claude/settings.json', {}, bare)).toEqual({ hooks: { Stop: [{ hooks: [wrapped] }] } })
    expect(merged('.cursor/hooks.json', {}, bare)).toEqual({ hooks: { Stop: [{ command: guarded('say done') }] } })
    const once = merged('.claude/settings.json', {}, bare)
    expect(merged('.claude/settings.json', once, bare, once)).toEqual(once)
  })

  test('keep the MCP server of a person beside those of packs', () => {
    const base = { mcpServers: { shared: { command: 'mine' } } }
    const part = { mcpServers: { shared: { command: 'theirs' }, own: { command: 'theirs' } } }
    expect(merged('.mcp.json', base, part)).toEqual({
      mcpServers: { shared: { command: 'mine' }, own: { command: 'theirs' } },
    })
  })
})

test('a guarded command does nothing outside of a session and keeps its status inside', () => {
  const run = (command: string, env: Record<string, string>) =>
    Bun.spawnSync(['sh', '-c', guarded(command)], { env }).exitCode
  expect(run('exit 3', {})).toBe(0)
  expect(run('exit 3', { GC_SESSION_ID: 'x' })).toBe(3)
  expect(run('true # a note', { GC_SESSION_ID: 'x' })).toBe(0)
})
