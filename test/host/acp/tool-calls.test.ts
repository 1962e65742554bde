import { expect, test } from 'bun:test'
import { ToolCalls } from '../../../src/host/acp/tool-calls.ts'

test('a request for permission has what the agent told of its call before', () => {
  const calls = new ToolCalls()
  const rawInput = { command: 'git push --force' }
  calls.onUpdate({ sessionUpdate: 'tool_call', toolCallId: 'a', title: 'Push', kind: 'execute', rawInput })
  calls.onUpdate({ sessionUpdate: 'tool_call_update', toolCallId: 'a', status: 'in_progress' })
  expect(calls.complete({ toolCallId: 'a', title: 'Push it' })).toEqual({
    toolCallId: 'a',
    title: 'Push it',
    kind: 'execute',
    rawInput,
  })
})

test('a call that is over is forgotten', () => {
  const calls = new ToolCalls()
  calls.onUpdate({ sessionUpdate: 'tool_call', toolCallId: 'a', title: 'Push' })
  calls.onUpdate({ sessionUpdate: 'tool_call_update', toolCallId: 'a', status: 'completed' })
  expect(calls.complete({ toolCallId: 'a' })).toEqual({ toolCallId: 'a' })
})
