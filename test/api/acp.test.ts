import { describe, expect, test } from 'bun:test'
import { AGENT } from '../host/acp/agent-host.ts'
import type { TestCity } from '../support/world.ts'
import { startSession, towns } from './town.ts'

const openTown = towns()

/** ACP agents that follow instructions. */
const POLLY = `
[[agent]]
name = "polly"
session = "acp"
start_command = '''umask 077; printf %s "$GC_TOKEN" > "$GC_HOME/token.$GC_SESSION_ID"; exec ${AGENT.join(' ')}'''
`

async function withPolly() {
  const town = await openTown(POLLY)
  const { city } = town
  const { id, token } = await startSession(city, 'polly')
  const read = async (format: string) => (await city.call(`GET ~/session/${id}/transcript?format=${format}`)).body
  /** Sends a prompt and waits until its turn is over. */
  const say = async (message: string) => {
    const over = await turns(city, id)
    const { body } = await city.call(`POST ~/session/${id}/submit`, { body: { message } })
    await city.outcome(body)
    while ((await turns(city, id)) === over) await Bun.sleep(10)
  }
  return { ...town, id, token, read, say }
}

const turns = async (city: TestCity, id: string): Promise<number> => {
  const { body } = await city.call(`GET ~/session/${id}/transcript?format=raw`)
  return (body.messages ?? []).filter(({ type }: { type?: string }) => type === 'done').length
}

const pendingItem = async (city: TestCity) => {
  for (let tries = 0; tries < 1000; tries++) {
    const { body } = await city.call('GET ~/pending')
    if (body.total > 0) return body.items[0]
    await Bun.sleep(10)
  }
  throw new Error('it never asked')
}

describe('the transcript of an ACP agent', () => {
  test('is available as a conversation', async () => {
    await using polly = await withPolly()
    await polly.say('say good day')
    const { format, turns } = await polly.read('conversation')
    expect(format).toBe('conversation')
    expect(turns.map(({ role, text }: { role: string; text: string }) => [role, text])).toEqual([
      ['user', 'say good day'],
      ['assistant', 'good day '],
    ])
  })

  test('is available as raw messages', async () => {
    await using polly = await withPolly()
    await polly.say('plan the day')
    const { messages } = await polly.read('raw')
    const kinds = messages.map(({ type, sessionUpdate }: Record<string, string>) => sessionUpdate ?? type)
    expect(kinds).toEqual(['ready', 'turn', 'plan', 'done'])
    expect(messages[2]).toEqual({
      sessionUpdate: 'plan',
      entries: [{ content: 'the day', priority: 'high', status: 'pending' }],
    })
  })

  test.each([1_000, 100_000])('leaves out a message with %i levels of JSON, and nothing else', async (levels) => {
    await using polly = await withPolly()
    await polly.say(`deep ${levels}`)
    await polly.say('say good day')
    for (const format of ['conversation', 'raw', 'structured']) {
      expect(JSON.stringify(await polly.read(format))).toContain('good day')
    }
    const { messages } = await polly.read('raw')
    expect(messages.filter(({ sessionUpdate }: { sessionUpdate?: string }) => sessionUpdate === 'tool_call')).toEqual(
      [],
    )
    expect((await polly.city.call(`GET ~/session/${polly.id}`)).body).toMatchObject({ state: 'active', running: true })
  })

  test('is available in structured form: thoughts, plans, tool calls, permission requests and decisions, errors', async () => {
    await using polly = await withPolly()
    await polly.say('think hard')
    await polly.say('plan the day')
    await polly.say('read /etc/passwd')
    const { body } = await polly.city.call(`POST ~/session/${polly.id}/submit`, { body: { message: 'ask it' } })
    await polly.city.outcome(body)
    await pendingItem(polly.city)
    const before = await polly.read('structured')
    expect(before.history.tail_state).toMatchObject({ activity: 'in_turn', open_tool_call_ids: ['it'] })
    await polly.city.call(`POST ~/session/${polly.id}/respond`, { body: { action: 'approve' } })
    while ((await turns(polly.city, polly.id)) < 4) await Bun.sleep(10)
    const { body: transcript } = await polly.city.call(
      `GET ~/session/${polly.id}/transcript?format=structured&include_thinking=true`,
    )
    expect(transcript.history).toMatchObject({ continuity: { status: 'continuous' }, tail_state: { activity: 'idle' } })
    const blocks = transcript.structured_messages.flatMap((message: { role: string; blocks: object[] }) =>
      message.blocks.map((block) => ({ role: message.role, ...block })),
    )
    expect(blocks).toMatchObject([
      { role: 'user', type: 'text', text: 'think hard' },
      { role: 'assistant', type: 'thinking', thinking: 'hard' },
      { role: 'user', text: 'plan the day' },
      { type: 'tool_use', input: { kind: 'plan', steps: [{ step: 'the day', status: 'pending' }] } },
      { role: 'user', text: 'read /etc/passwd' },
      { role: 'assistant', type: 'text', text: expect.stringContaining('outside the folder') },
      { role: 'user', text: 'ask it' },
      { type: 'tool_use', id: 'it', name: 'bash', input: { kind: 'command', command: 'make it' } },
      { type: 'tool_result', tool_call_id: 'it', structured: { kind: 'bash', stdout: 'made it' } },
      { type: 'interaction', interaction: { state: 'answered', kind: 'approval', action: 'yes' } },
      { type: 'text', text: 'it: yes. ' },
    ])
    expect(transcript.structured_messages.every(({ status }: { status: string }) => status === 'final')).toBe(true)
    const errors = transcript.structured_messages.filter(({ role }: { role: string }) => role === 'system')
    expect(errors).toMatchObject([{ system_event: { kind: 'error', message: expect.stringContaining('/etc/passwd') } }])
  })

  test('is streamed while the agent works', async () => {
    await using polly = await withPolly()
    const base = `/v0/city/${polly.city.name}/session/${polly.id}/stream`
    const texts: string[] = []
    let said: Promise<void> | undefined
    for await (const { event, data } of polly.world.follow(base)) {
      if (event === 'turn') texts.push(...data.turns.map(({ text }: { text: string }) => text))
      if (event === 'turn' && texts.length === 0) said ??= polly.say('say good day')
      if (texts.includes('good day ')) break
    }
    await said
    expect(texts).toEqual(['say good day', 'good day '])
  })

  test('determines the activity and context usage of the session', async () => {
    await using polly = await withPolly()
    await polly.say('use much')
    for (;;) {
      const { body } = await polly.city.call(`GET ~/session/${polly.id}`)
      if (body.activity === 'idle' && body.context_pct !== undefined) {
        expect(body).toMatchObject({ activity: 'idle', context_pct: 25, context_window: 2000 })
        break
      }
      await Bun.sleep(10)
    }
  })
})
