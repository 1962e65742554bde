import { expect, test } from 'bun:test'
import { Permissions } from '../../../src/host/acp/permissions.ts'
import type { RecordWriter } from '../../../src/host/acp/record-writer.ts'
import { SMUGGLED } from '../../programs/protocol/smuggled.ts'

const OPTIONS = [
  { optionId: 'ever', name: 'Always', kind: 'allow_always' as const },
  { optionId: 'yes', name: 'Yes', kind: 'allow_once' as const },
  { optionId: 'no', name: 'No', kind: 'reject_once' as const },
]

/** Immediate answer to an agent, or a prompt to a person. */
async function asked(rawInput: unknown, kind: 'execute' | 'edit' = 'execute', options = OPTIONS): Promise<string> {
  const records: unknown[] = []
  const waits = Promise.withResolvers<{ outcome: { outcome: string } }>()
  const write = (record: unknown) => {
    records.push(record)
    waits.resolve({ outcome: { outcome: 'waiting' } })
  }
  const writer = { write } as unknown as RecordWriter
  const permissions = new Permissions('run-of-a-test', writer)
  const toolCall = { toolCallId: 'a', title: 'Work', kind, rawInput }
  const answer = permissions.ask({ sessionId: 's', toolCall, options }, new AbortController().signal)
  const { outcome } = await Promise.race([answer, waits.promise])
  const given = 'optionId' in outcome ? String(outcome.optionId) : outcome.outcome
  return `${given}, ${records.length} recorded`
}

test('a command of gc’s own protocol is allowed once, and no one is asked', async () => {
  expect(await asked({ command: 'gc hook --claim --json', description: 'Claim' })).toBe('yes, 0 recorded')
  expect(await asked({ command: "bd close mp-1 --reason 'all done'" })).toBe('yes, 0 recorded')
})

test('everything else waits for a person', async () => {
  const outcomes = await Promise.all(SMUGGLED.map((command) => asked({ command })))
  expect(new Set(outcomes)).toEqual(new Set(['waiting, 1 recorded']))
  expect(await asked({ command: 'gc ready', cwd: '/tmp' })).toBe('waiting, 1 recorded')
  expect(await asked({ command: 'gc ready' }, 'edit')).toBe('waiting, 1 recorded')
  expect(await asked({ command: 'gc ready' }, 'execute', OPTIONS.slice(0, 1))).toBe('waiting, 1 recorded')
  expect(await asked({ command: ['gc', 'ready'] })).toBe('waiting, 1 recorded')
})
