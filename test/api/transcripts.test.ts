import { describe, expect, test } from 'bun:test'
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { append, claude, write } from '../programs/samples.ts'
import { OperationCoverage } from '../support/coverage.ts'
import { eventually } from '../support/until.ts'
import type { TestCity } from '../support/world.ts'
import { errorOf, startSession, towns } from './town.ts'

const coverage = new OperationCoverage(({ tag }) => tag === 'transcripts')
const openTown = towns(coverage)

const PARROT = `#!/bin/sh
umask 077; printf %s "$GC_TOKEN" > "$GC_HOME/token.$GC_SESSION_ID"
printf '\\033[2J\\033[Hthe deploy goes on\\n> '
exec sleep 600
`

/** A city in which the log of a session that \`clerk\` ran says what Claude Code would say, and \`parrot\` has a screen only. */
async function openTalkingCity() {
  const town = await openTown(`
[providers.scribe]
base = "builtin:claude"
command = "./parrot"
prompt_mode = "none"
ready_prompt_prefix = "> "
env = { HOME = "./scribes" }
[[agent]]
name = "clerk"
provider = "scribe"
[[agent]]
name = "polly"
start_command = "./parrot"
[[named_session]]
name = "lead"
dir = "web"
template = "polly"
[[named_session]]
name = "lead"
dir = "api"
template = "polly"
[[rigs]]
name = "web"
path = "."
[[rigs]]
name = "api"
path = "."
`)
  const { city } = town
  const program = join(city.path, 'parrot')
  writeFileSync(program, PARROT)
  chmodSync(program, 0o755)
  const patched = await city.call('PATCH ~/provider/scribe', { body: { env: { HOME: join(city.path, 'scribes') } } })
  expect(patched.status).toBe(200)
  return town
}

describe('a search of transcripts', () => {
  test('finds what was said, to tools as well, newest first, by pages', async () => {
    await using town = await openTalkingCity()
    const { city } = town
    const clerk = await startSession(city, 'clerk', { alias: 'bob' })
    const log = join(city.path, 'scribes', '.claude', 'projects', city.path.replace(/[/.]/g, '-'), 'k.jsonl')
    append(
      write(log, ''),
      claude.user('u1', null, 'Look at the\nDeploy of Friday, please', 1),
      claude.calls('a1', 'u1', 't1', 'Bash', { command: 'kubectl rollout status deploy/web' }, 2),
      claude.answers('u2', 'a1', 't1', `${'x'.repeat(600)} friday's DEPLOY is healthy ${'y'.repeat(600)}`, 3),
      claude.says('a2', 'u2', [{ type: 'thinking', thinking: 'the deploy of friday' }], 4),
      claude.says('a3', 'a2', 'All is well', 5),
    )
    const polly = await startSession(city, 'polly')
    const find = async (query: string) => (await city.call(`GET ~/transcripts/search?${query}`)).body
    const head = await city.head()
    const found = await find('q=deploy')
    const bob = { session: clerk.id, session_name: 'bob', template: 'clerk' }
    expect(found.items).toEqual([
      {
        session: polly.id,
        session_name: expect.any(String),
        template: 'polly',
        role: 'output',
        timestamp: expect.any(String),
        excerpt: 'the deploy goes on',
      },
      {
        ...{ ...bob, entry: 'u2', role: 'tool', timestamp: '2026-04-04T09:00:03.000Z' },
        excerpt: expect.stringMatching(/^…x+ friday's DEPLOY is healthy y+…$/),
      },
      {
        ...{ ...bob, entry: 'a1', role: 'assistant', timestamp: '2026-04-04T09:00:02.000Z' },
        excerpt: 'kubectl rollout status deploy/web',
      },
      { ...bob, entry: 'u1', role: 'user', timestamp: '2026-04-04T09:00:01.000Z', excerpt: 'Deploy of Friday, please' },
    ])
    expect(found).toMatchObject({ searched: 2 })
    expect(found.next_cursor).toBeUndefined()

    const entries: (string | undefined)[] = []
    let cursor: string | undefined
    do {
      const page = await find(`q=FRIDAY+deploy&limit=1${cursor ? `&cursor=${cursor}` : ''}`)
      expect(page.items.length).toBeLessThanOrEqual(1)
      entries.push(...page.items.map(({ entry }: { entry?: string }) => entry))
      cursor = page.next_cursor
    } while (cursor)
    expect(entries).toEqual(['u2', 'u1'])

    expect((await find('q=deploy&session=bob&limit=2')).items).toHaveLength(2)
    expect((await find('q=deploy&since=1h')).items.map(({ session }: { session: string }) => session)).toEqual([
      polly.id,
    ])
    expect(await find('q=nowhere')).toEqual({ items: [], searched: 2 })
    expect(await find('q=--')).toEqual({ items: [], searched: 0 })
    expect(await find('')).toEqual({ items: [], searched: 0 })
    const sessions = [polly.id, clerk.id]
    const isOfThem = ({ subject, session_id }: { subject?: unknown; session_id?: unknown }) =>
      [subject, session_id].some((id) => sessions.includes(`${id}`))
    expect((await city.recorded(head)).filter((event) => !isOfThem(event))).toEqual([])

    await city.call(`POST ~/session/${clerk.id}/close`)
    expect((await find('q=well')).items).toMatchObject([{ ...bob, entry: 'a3', excerpt: 'All is well' }])
    const asked = await city.call('GET ~/transcripts/search?q=well', { token: polly.token })
    expect(asked.body.items).toHaveLength(1)
  })

  test('names the sub-agent that said it', async () => {
    await using town = await openTalkingCity()
    const { city } = town
    const clerk = await startSession(city, 'clerk')
    const logs = join(city.path, 'scribes', '.claude', 'projects', city.path.replace(/[/.]/g, '-'))
    const lines = (...records: object[]) => `${records.map((record) => JSON.stringify(record)).join('\n')}\n`
    write(join(logs, 'k.jsonl'), lines(claude.user('u1', null, 'Look', 1), claude.says('a1', 'u1', 'Looking', 2)))
    const said = [claude.user('s0', null, 'Search', 3), claude.says('s1', 's0', 'A subtle fault', 4)]
    const records = said.map((record) => ({ ...record, isSidechain: true, agentId: 'a1b2c3' }))
    write(join(logs, 'k', 'subagents', 'agent-a1b2c3.jsonl'), lines(...records))
    const find = async () => (await city.call('GET ~/transcripts/search?q=subtle')).body.items
    const found = await eventually('the log of the sub-agent', 10_000, find, ({ length }) => length > 0)
    expect(found).toMatchObject([{ session: clerk.id, sub_agent: 'a1b2c3', excerpt: 'A subtle fault' }])
  })

  test.each([1_000, 100_000])('passes over an entry with %i levels of JSON, as transcripts do', async (levels) => {
    await using town = await openTalkingCity()
    const { city } = town
    const clerk = await startSession(city, 'clerk')
    const log = join(city.path, 'scribes', '.claude', 'projects', city.path.replace(/[/.]/g, '-'), 'k.jsonl')
    const deep = '['.repeat(levels) + ']'.repeat(levels)
    const lines = [
      claude.user('u1', null, 'Look', 1),
      claude.calls('a1', 'u1', 't1', 'Bash', { command: 'DEEP' }, 2),
      claude.answers('r1', 'a1', 't1', 'DEEP', 3),
      claude.says('a2', 'u1', 'All is well', 4),
    ]
    write(log, `${lines.map((line) => JSON.stringify(line).replaceAll('"DEEP"', deep)).join('\n')}\n`)
    for (const format of ['conversation', 'raw', 'structured']) {
      const { status, body } = await city.call(`GET ~/session/${clerk.id}/transcript?format=${format}`)
      expect([format, status, JSON.stringify(body).includes('All is well')]).toEqual([format, 200, true])
    }
    expect((await city.call('GET ~/agent/clerk/output')).status).toBe(200)
    expect((await city.call('GET ~/transcripts/search?q=well')).body.items).toMatchObject([{ entry: 'a2' }])
  })

  test('is rejected for a session that is not there or not one, a bad cursor and a bad duration', async () => {
    await using town = await openTalkingCity()
    const { city } = town
    const at = 'GET ~/transcripts/search?q=a'
    expect(await errorOf(city, `${at}&session=ghost`)).toStartWith('404 session-not-found: ')
    expect(await errorOf(city, `${at}&session=lead`)).toStartWith('409 session-conflict: ambiguous: ')
    expect(await errorOf(city, `${at}&cursor=junk`)).toStartWith('400 invalid-cursor: ')
    const since = await city.call(`${at}&since=yesterday`)
    expect(since).toMatchObject({ status: 422, body: { errors: [{ location: 'query.since' }] } })
  })

  test('has every field and error of its operation in these tests', () => {
    expect(coverage.uncovered()).toEqual([])
    expect(coverage.emptyFields()).toEqual([])
  })
})

describe('a structured transcript from the screen', () => {
  const structured = async (city: TestCity, id: string) =>
    (await city.call(`GET ~/session/${id}/transcript?format=structured`)).body.history

  test('says that it is degraded, and why, and is degraded while its session is suspended', async () => {
    await using town = await openTalkingCity()
    const { city } = town
    const { id } = await startSession(city, 'polly')
    const head = await city.head()
    expect(await structured(city, id)).toMatchObject({
      continuity: { status: 'degraded' },
      tail_state: { degraded: true, degraded_reason: expect.stringContaining('no log') },
      diagnostics: [{ code: 'transcript_unavailable', count: 1, message: expect.stringContaining('no log') }],
    })
    expect(await city.recorded(head)).toEqual([])
    expect((await city.call(`POST ~/session/${id}/suspend`)).status).toBe(200)
    await city.event(head, ({ type, subject }) => type === 'session.suspended' && subject !== undefined)
    expect(await structured(city, id)).toMatchObject({
      continuity: { status: 'degraded' },
      tail_state: { degraded: true, degraded_reason: expect.stringContaining('suspended') },
    })
  })
})
