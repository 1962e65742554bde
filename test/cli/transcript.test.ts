import { afterAll, beforeAll, expect, test } from 'bun:test'
import { dirname, join } from 'node:path'
import { parseAmount } from '../../cli/budget/budget.ts'
import type { SessionResponse } from '../../src/work/schema.ts'
import { openRecordingCity } from '../agents/conversations/recording-city.ts'
import { append, claude, write } from '../programs/samples.ts'

let town: Awaited<ReturnType<typeof openRecordingCity>>
let session: SessionResponse
let log: string
beforeAll(async () => {
  town = await openRecordingCity()
  await town.json(['agent', 'add', 'clerk', '--provider', 'scribe'])
  session = await town.start('bob')
  log = town.log('k', claude.user('u1', null, 'Good day', 1), claude.says('a1', 'u1', 'And to you\u001b[31m', 2))
  await town.until<SessionResponse>(`/session/${session.id}`, ({ model }) => model !== undefined)
}, 20_000)
afterAll(() => town[Symbol.asyncDispose]())

test('a transcript is printed turn by turn, without control sequences', async () => {
  const { out } = await town.gc(['session', 'transcript', 'bob'])
  expect(out).toMatch(/^\d\d:\d\d:\d\d {2}user\nGood day\n\n\d\d:\d\d:\d\d {2}assistant\nAnd to you\n\n$/)
  expect((await town.gc(['session', 'logs', 'bob', '--tail', '1'])).out).not.toContain('Good day')
})

test('entries are printed as one line of JSON each', async () => {
  const { out } = await town.gc(['session', 'transcript', 'bob', '--format', 'raw'])
  const uuids = out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).uuid)
  expect(uuids).toEqual(['u1', 'a1'])
  const structured = await town.gc(['session', 'transcript', 'bob', '--format', 'structured', '--tail', '1'])
  expect(JSON.parse(structured.out)).toMatchObject({ id: 'a1', role: 'assistant' })
  const whole = await town.json<{ history: object }>(['session', 'transcript', 'bob', '--format', 'structured'])
  expect(whole.history).toMatchObject({ gc_session_id: session.id })
})

test('search lists the texts of sessions below their session', async () => {
  const { out } = await town.gc(['session', 'search', 'DAY', 'good'])
  expect(out).toMatch(new RegExp(`^${session.id} bob \\(clerk\\)\n  \\d{4}-\\d\\d-\\d\\d [\\d:]{8}  user: Good day\n$`))
  const found = await town.json<{ items: object[] }>(['session', 'search', 'you', '--session', 'bob'])
  expect(found).toMatchObject({ items: [{ session: session.id, entry: 'a1', role: 'assistant' }], searched: 1 })
  expect((await town.gc(['session', 'search', 'you', '--since', '1h'])).out).toBe(
    'Nothing was found in 1 conversation.\n',
  )
  const typo = await town.gc(['session', 'search', 'you', '--session', 'bobb'])
  expect(typo).toMatchObject({ status: 1, err: expect.stringContaining('did you mean bob?') })
  expect((await town.gc(['session', 'search'])).status).toBe(2)
})

test('prints the input of a tool with the tool, when logged and when followed', async () => {
  append(log, claude.calls('a2', 'a1', 't1', 'Bash', { command: 'npm test\n--workspaces' }, 3))
  append(log, claude.answers('u2', 'a2', 't1', '3 pass', 4))
  const shown = /assistant\n\[Bash\] npm test ⏎ --workspaces\n\n.*\n\[result\] 3 pass\n/
  const ended = new AbortController()
  let more = false
  const { out } = await town.gc(['session', 'logs', 'bob', '--follow'], {
    signal: ended.signal,
    onOutput: (text) => {
      if (!more && text.includes('3 pass')) {
        more = true
        append(log, claude.calls('a3', 'u2', 't2', 'Read', { file_path: '/etc/hosts' }, 5))
      }
      if (text.includes('/etc/hosts')) ended.abort()
    },
  })
  expect(out).toMatch(shown)
  expect(out).toContain('[Read] /etc/hosts')
  expect(out.split('npm test')).toHaveLength(2)
  expect((await town.gc(['session', 'logs', 'bob'])).out).toMatch(shown)
}, 15_000)

test('the tools of sub-agents are printed with what they were given, and JSON has all of it', async () => {
  const long = `echo ${'x'.repeat(2_000)}`
  const side = (record: object) => ({ ...record, isSidechain: true, agentId: 'a1b2c3' })
  append(
    write(join(dirname(log), 'k', 'subagents', 'agent-a1b2c3.jsonl'), ''),
    side(claude.user('s0', null, 'Search', 10)),
    side(claude.calls('s1', 's0', 't9', 'Bash', { command: long, description: 'Say\u001b[2J x' }, 11)),
  )
  const args = ['session', 'logs', 'bob', '--sub-agents']
  let out = ''
  for (const end = performance.now() + 10_000; !out.includes('[Bash] echo') && performance.now() < end; )
    out = (await town.gc(args)).out
  const [, line = ''] = /assistant \(sub-agent a1b2c3\)\n(.*)\n/.exec(out) ?? []
  expect(line).toBe(`[Bash] ${long.slice(0, 499)}…`)
  expect(out).not.toContain('\u001b[2J')
  const { structured_messages: own, sub_agents: subs } = await town.json<{
    structured_messages: object[]
    sub_agents: { agent_id: string; structured_messages: object[] }[]
  }>(args)
  expect(own.length).toBeGreaterThan(0)
  expect(subs).toMatchObject([
    { agent_id: 'a1b2c3', structured_messages: [{}, { blocks: [{ input: { command: long } }] }] },
  ])
}, 15_000)

test('new entries are printed until the session is closed', async () => {
  let more = false
  const onOutput = (out: string) => {
    if (more || !out.includes('And to you')) return
    more = true
    append(log, claude.user('u3', 'a3', 'One more thing', 6))
  }
  const ended = new AbortController()
  const result = town.gc(['session', 'transcript', 'bob', '--follow'], {
    signal: ended.signal,
    onOutput: (out) => {
      onOutput(out)
      if (out.includes('One more thing')) void town.gc(['session', 'close', 'bob'])
    },
  })
  const { status, out } = await result
  expect(status).toBe(0)
  expect(out.indexOf('One more thing')).toBeGreaterThan(out.indexOf('And to you'))
}, 15_000)

test('watching or following a closed session prints its transcript once and ends', async () => {
  for (const args of [
    ['session', 'watch', session.id],
    ['session', 'logs', session.id, '--follow'],
  ]) {
    const { status, out } = await town.gc(args)
    expect([status, out.split('One more thing').length]).toEqual([0, 2])
  }
  expect((await town.gc(['session', 'watch', session.id])).err).toStartWith(`gc: session ${session.id} is closed`)
}, 15_000)

test('readiness of agent programs is shown', async () => {
  const { out } = await town.gc(['readiness', 'pi'])
  expect(out).toMatch(/^NAME +PROGRAM +STATUS +TO DO\npi +Pi Coding Agent +not installed/)
})

test('budget amounts are parsed in dollars and tokens', () => {
  expect(['5usd', '$2.50', '500k', '2M', '1000tokens'].map(parseAmount)).toEqual([
    { value: 5, unit: 'usd' },
    { value: 2.5, unit: 'usd' },
    { value: 500_000, unit: 'tokens' },
    { value: 2_000_000, unit: 'tokens' },
    { value: 1000, unit: 'tokens' },
  ])
  expect(() => parseAmount('lots')).toThrow('5usd, 2M or 500k')
  expect(() => parseAmount('5')).toThrow('It needs a unit: 5usd for dollars, 5tokens for tokens.')
})
