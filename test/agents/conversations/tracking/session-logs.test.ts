import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import type { AgentOutput } from '../../../../src/agents/conversations/schema.ts'
import type { SessionResponse } from '../../../../src/work/schema.ts'
import { append, claude, write } from '../../../programs/samples.ts'
import { framesOf, openRecordingCity } from '../recording-city.ts'

let town: Awaited<ReturnType<typeof openRecordingCity>>
beforeAll(async () => {
  town = await openRecordingCity()
  await town.json(['agent', 'add', 'clerk', '--provider', 'scribe', '--max', '5'])
}, 20_000)
afterAll(async () => {
  expect(town.reports).toEqual([])
  await town[Symbol.asyncDispose]()
})

let session: SessionResponse
let log: string
let at = 0
const key = () => `key-${at}`
const shown = (fits: (session: SessionResponse) => boolean) => town.until(`/session/${session.id}`, fits)

/** Sessions are closed between tests, so that each is alone in its folder. */
beforeEach(async () => {
  if (session) await town.gc(['session', 'close', session.id])
  session = await town.start(`bob${++at}`)
  log = town.log(key(), claude.user('u1', null, 'Good day', 1), claude.says('a1', 'u1', 'And to you', 2))
  await shown(({ model }) => model === 'claude-opus-4-8')
})

const turns = (body: { turns?: { text: string }[] }) => body.turns?.map(({ text }) => text)

describe('a session whose program writes a log', () => {
  test('shows its activity, model and context, as they change', async () => {
    const full = { activity: 'idle', model: 'claude-opus-4-8', context_pct: 10, context_window: 1_000_000 }
    expect(await shown(() => true)).toMatchObject(full)
    append(log, claude.user('u2', 'a1', 'Work', 3))
    expect(await shown(({ activity }) => activity === 'in-turn')).toMatchObject({ ...full, activity: 'in-turn' })
    const agent = await town.until<{ activity?: string }>(`/agent/clerk`, ({ activity }) => activity === 'in-turn')
    expect(agent).toMatchObject({ model: 'claude-opus-4-8', context_pct: 10 })
  })

  test('is shown as a conversation, in raw form, and structured', async () => {
    const path = `/session/${session.id}/transcript`
    expect((await town.get<object>(path)).body).toMatchObject({
      ...{ id: session.id, template: 'clerk', provider: 'scribe', format: 'conversation' },
      turns: [
        { role: 'user', text: 'Good day' },
        { role: 'assistant', text: 'And to you' },
      ],
    })
    const raw = await town.get<{ messages: { uuid: string }[] }>(`${path}?format=raw`)
    expect(raw.body.messages.map(({ uuid }) => uuid)).toEqual(['u1', 'a1'])
    expect((await town.get<object>(`${path}?format=structured`)).body).toMatchObject({
      history: {
        provider_session_id: 'c0ffee',
        continuity: { status: 'continuous' },
        tail_state: { activity: 'idle' },
      },
      structured_messages: [{ role: 'user' }, { role: 'assistant', usage: { output_tokens: 50 } }],
    })
  })

  test('is paged by compactions, and by entries', async () => {
    append(log, claude.compacts('b1', 'a1', 3), claude.user('u2', 'b1', 'Go on', 4), claude.says('a2', 'u2', 'Yes', 5))
    const path = `/session/${session.id}/transcript`
    const { body } = await town.get<{ turns: { text: string }[]; pagination: object }>(`${path}?tail=1`)
    expect(turns(body)).toEqual(['Conversation compacted', 'Go on', 'Yes'])
    expect(body.pagination).toEqual({
      ...{ has_older_messages: true, total_message_count: 5, returned_message_count: 3 },
      ...{ truncated_before_message: 'b1', total_compactions: 1 },
    })
    expect(turns((await town.get<{ turns: { text: string }[] }>(`${path}?before=b1`)).body)).toEqual([
      'Good day',
      'And to you',
    ])
    expect((await town.get(`${path}?before=gone`)).status).toBe(409)
    const output = await town.get<AgentOutput>('/agent/clerk/output')
    expect(turns(output.body)).toEqual(['Conversation compacted', 'Go on', 'Yes'])
    expect(turns((await town.get<AgentOutput>('/agent/clerk/output?tail=0')).body)).toHaveLength(5)
  })

  test('keeps its log after its program has ended, by the program’s conversation id', async () => {
    await town.gc(['session', 'suspend', session.id])
    const { body } = await town.get<{ turns: { text: string }[] }>(`/session/${session.id}/transcript`)
    expect(turns(body)).toEqual(['Good day', 'And to you'])
    expect((await town.get<SessionResponse>(`/session/${session.id}`)).body.model).toBeUndefined()
    const bead = await town.get<{ metadata: Record<string, string> }>(`/bead/${session.id}`)
    expect(bead.body.metadata.session_key).toBe(key())
  })

  test('lists the agents that its agent started', async () => {
    const own = log.replace(/\.jsonl$/, '/subagents/agent-a7.jsonl')
    const side = { isSidechain: true, agentId: 'a7', parentToolUseID: 'toolu_9' }
    append(write(own, ''), claude.user('s1', null, 'Look', 1, side), { ...claude.says('s2', 's1', 'Seen', 2), ...side })
    const path = `/session/${session.id}/agents`
    expect((await town.get<object>(path)).body).toEqual({ agents: [{ agent_id: 'a7', parent_tool_use_id: 'toolu_9' }] })
    const { body } = await town.get<{ messages: object[]; status: string }>(`${path}/a7`)
    expect([body.messages.length, body.status]).toEqual([2, 'completed'])
    expect((await town.get(`${path}/a8`)).status).toBe(404)
  })
})

describe('a stream of a session’s output', () => {
  const open = async (query = '') => framesOf(await fetch(`${town.base}/session/${session.id}/stream${query}`))

  test('streams the newest turns, then each new turn, and the activity', async () => {
    const stream = await open()
    expect(turns(await stream.next('turn'))).toEqual(['Good day', 'And to you'])
    expect(await stream.next('activity')).toEqual({ activity: 'idle' })
    append(log, claude.user('u2', 'a1', 'More', 3))
    expect(turns(await stream.next('turn'))).toEqual(['More'])
    expect(await stream.next('activity')).toEqual({ activity: 'in-turn' })
    await town.gc(['session', 'close', session.id])
    expect(await stream.next('activity')).toEqual({ activity: 'idle' })
    await stream.whole
  })

  test('in raw form starts with an empty frame, then has the entries as they are', async () => {
    const stream = await open('?format=raw')
    expect(await stream.next('message')).toMatchObject({ messages: [] })
    expect(await stream.next('message')).toMatchObject({ messages: [{ uuid: 'u1' }, { uuid: 'a1' }] })
    append(log, claude.user('u2', 'a1', 'More', 3))
    expect(await stream.next('message')).toMatchObject({ messages: [{ uuid: 'u2' }] })
  })

  test('in structured form resumes from a token without a gap', async () => {
    const first = await open('?format=structured')
    const snapshot = await first.next('structured')
    expect(snapshot).toMatchObject({ operation: 'snapshot', structured_messages: [{ id: 'u1' }, { id: 'a1' }] })
    const token = (snapshot.history as { cursor: { resume_token: string } }).cursor.resume_token
    append(log, claude.user('u2', 'a1', 'More', 3))
    expect(await first.next('structured')).toMatchObject({ operation: 'upsert', structured_messages: [{ id: 'u2' }] })
    const resumed = await open(`?format=structured&after_cursor=${token}`)
    expect(await resumed.next('structured')).toMatchObject({ operation: 'upsert', structured_messages: [{ id: 'u2' }] })
    const lost = await open('?format=structured&after_cursor=st1.x')
    expect(await lost.next('structured')).toMatchObject({ operation: 'reset', reset_reason: 'resume_invalid' })
  })

  test('of an agent’s output has each turn as it is written', async () => {
    const stream = framesOf(await fetch(`${town.base}/agent/clerk/output/stream`))
    expect(await stream.next('turn')).toMatchObject({ agent: 'clerk', format: 'conversation' })
    append(log, claude.user('u2', 'a1', 'More', 3))
    expect(turns(await stream.next('turn'))).toEqual(['More'])
  })
})

describe('the owner of a log', () => {
  test('is not guessed between two sessions in one folder, unless their first prompts tell', async () => {
    const other = await town.start(`eve${at}`)
    const line = (name: string) => claude.user('u1', null, `[town] ${name} • 2026-04-04T09:00:00\nGo.`, 1)
    town.log('unknown', claude.user('u1', null, 'Who is it for?', 1))
    const path = `/session/${other.id}/transcript`
    expect((await town.get<{ format: string }>(path)).body.format).toBe('text')
    town.log('hers', line(`eve${at}`))
    town.log('nobodys', line('zoe'))
    const transcript = await town.until<{ format: string; turns: { text: string }[] }>(
      path,
      ({ format }) => format === 'conversation',
    )
    expect(turns(transcript)?.[0]).toContain(`[town] eve${at}`)
    await town.gc(['session', 'close', other.id])
  })

  test('has a degraded conversation while it is suspended', async () => {
    const path = `/session/${session.id}/transcript?format=structured`
    await town.gc(['session', 'suspend', session.id])
    expect((await town.get<object>(path)).body).toMatchObject({
      history: {
        continuity: { status: 'degraded' },
        tail_state: { degraded: true, degraded_reason: expect.stringContaining('suspended') },
      },
    })
  })

  test('is found as soon as the log appears, which replaces the screen', async () => {
    await town.gc(['session', 'close', session.id])
    session = await town.start(`late${at}`)
    const stream = framesOf(await fetch(`${town.base}/session/${session.id}/stream?format=structured`))
    expect(await stream.next('structured')).toMatchObject({
      operation: 'snapshot',
      history: { continuity: { status: 'degraded' } },
    })
    town.log('late', claude.user('u1', null, 'Here I am', 1))
    expect(await stream.next('structured')).toMatchObject({
      ...{ operation: 'reset', reset_reason: 'stream_changed', structured_messages: [{ id: 'u1' }] },
    })
  })
})
