import { describe, expect, test } from 'bun:test'
import { Deadlines } from '../../../src/core/deadlines.ts'
import { Redactor } from '../../../src/core/text/redact.ts'
import { Conversation } from '../../../src/host/acp/conversation.ts'
import { RecordQueue } from '../../../src/host/acp/record-queue.ts'
import { RecordWriter } from '../../../src/host/acp/record-writer.ts'
import { TestClock } from '../../support/clock.ts'
import { tempFolder } from '../../support/folder.ts'
import { until } from '../../support/until.ts'

interface AgentRequest {
  id?: number
  method?: string
  params?: { modeId?: string }
}

/** An agent's response to a message; undefined for none. */
type Manner = (message: AgentRequest) => object | undefined

const HELLO: Record<string, object> = {
  initialize: { result: { protocolVersion: 1 } },
  'session/new': { result: { sessionId: 's' } },
}
const UNKNOWN = { error: { code: -32601, message: 'Method not found' } }

/** A conversation with an agent that responds by a rule, on a manual clock. */
function speaking(manner: Manner) {
  const clock = new TestClock()
  const deadlines = new Deadlines(clock, clock)
  const folder = tempFolder()
  const requests: AgentRequest[] = []
  const redactor = new Redactor(['gcs_'])
  const file = { add() {}, keep() {}, close() {}, drop() {} }
  const queue = new RecordQueue('k', 'r', clock, redactor, file, () => {})
  const { readable, writable } = new TransformStream()
  const agent = readable.getReader()
  const back = Promise.withResolvers<ReadableStreamDefaultController>()
  const replies = new ReadableStream({ start: (controller) => back.resolve(controller) })
  const answer = async () => {
    const controller = await back.promise
    for (;;) {
      const { done, value } = await agent.read()
      if (done) return
      requests.push(value)
      const response = HELLO[value.method] ?? manner(value)
      if (response && value.id !== undefined) controller.enqueue({ jsonrpc: '2.0', id: value.id, ...response })
    }
  }
  void answer()
  const conversation = new Conversation(
    {
      ...{ run: 'r', build: 'test', deadlines, writer: new RecordWriter(queue, deadlines, redactor) },
      ...{ cwd: folder.path, services: undefined },
      ...{
        resume: undefined,
        mode: undefined,
        model: undefined,
        servers: undefined,
        handshakeTimeoutMs: undefined,
        onUpdate: () => {},
      },
    },
    { readable: replies, writable },
  )
  return {
    clock,
    conversation,
    /** The methods the agent received, in order. */
    received: () => requests.map(({ method }) => method),
    records: () => queue.after(0).map(({ line }) => JSON.parse(line)),
    [Symbol.dispose]() {
      conversation.close()
      folder[Symbol.dispose]()
    },
  }
}

const soundings = ({ method }: AgentRequest) => (method === '_gc/sounding' ? UNKNOWN : undefined)

describe('a turn', () => {
  test('is accepted once the agent has read it, even if the agent sends no update for as long as it runs', async () => {
    using agent = speaking(soundings)
    await agent.conversation.prompt('t', 'think')
    expect(agent.received().slice(-3)).toEqual(['session/prompt', '_gc/sounding', '_gc/sounding'])
    expect(agent.records().map(({ type }) => type)).toEqual(['ready', 'turn'])
    expect(agent.clock.monotonic()).toBe(0)
  })

  test('is not accepted when the agent rejects it, by an error or by a stop reason', async () => {
    const error = { error: { code: -32603, message: 'no credit' } }
    using broke = speaking((request) => (request.method === 'session/prompt' ? error : soundings(request)))
    expect(broke.conversation.prompt('t', 'work')).rejects.toThrow('the agent did not take it: no credit')
    const refusal = { result: { stopReason: 'refusal' } }
    using shy = speaking((request) => (request.method === 'session/prompt' ? refusal : soundings(request)))
    expect(shy.conversation.prompt('t', 'work')).rejects.toThrow('the agent refused it')
    await until(() => shy.records().some(({ type, reason }) => type === 'done' && reason === 'refusal'))
  })

  test('is cancelled when the agent has not read it within 30 seconds', async () => {
    let reads = true
    const done = { result: { stopReason: 'end_turn' } }
    using agent = speaking((request) => (reads ? (soundings(request) ?? done) : undefined))
    await agent.conversation.prompt('first', 'work')
    await until(() => agent.records().some(({ type }) => type === 'done'))
    reads = false
    const accepted = agent.conversation.prompt('second', 'work')
    accepted.catch(() => {})
    await until(() => agent.received().filter((method) => method === 'session/prompt').length === 2)
    await agent.clock.advance(30_000)
    expect(accepted).rejects.toThrow('the agent has read nothing for 30 s')
    await until(() => agent.received().at(-1) === 'session/cancel')
  })

  test('is accepted when the agent ignores unknown methods and has not rejected it', async () => {
    using agent = speaking(() => undefined)
    const accepted = agent.conversation.prompt('t', 'work')
    await until(() => agent.received().includes('session/prompt'))
    await agent.clock.advance(30_000)
    await accepted
    expect(agent.received()).not.toContain('session/cancel')
  })
})
