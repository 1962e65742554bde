import { expect, setDefaultTimeout, test } from 'bun:test'
import { openTown } from './town.ts'
import { worker } from './worker.ts'

setDefaultTimeout(120_000)

test('the messages of OpenCode are read from its own log, while it works and after it has exited', async () => {
  await using town = await openTown(worker)
  await town.gc('agent', 'add', 'web/worker', '--provider', 'opencode', '--prompt', 'Check your hook.')
  const { bead_id: bead } = JSON.parse(await town.gc('sling', 'web/worker', 'Write hello.txt', '--json'))
  await town.events(({ type, subject }) => type === 'bead.closed' && subject === bead)
  await town.model.until(({ results }) => results.length === 3)
  const { items } = JSON.parse(await town.gc('session', 'list', '--state', 'all', '--json'))
  const id = items.find(({ template }: { template: string }) => template === 'web/worker')?.id
  await town.gc('session', 'suspend', id)
  const transcript = JSON.parse(await town.gc('session', 'transcript', id, '--format', 'conversation', '--json'))
  expect(transcript.format).toBe('conversation')
  const texts: string[] = transcript.turns.map(({ text }: { text: string }) => text)
  expect(texts[0]).toContain('Check your hook.')
  expect(texts.join('\n')).toContain('[bash]\n[result] ')
  const structured = JSON.parse(await town.gc('session', 'transcript', id, '--json'))
  expect(structured.history).toMatchObject({ continuity: { status: 'degraded' } })
  expect(JSON.stringify(structured.structured_messages)).toContain('"command":"gc hook --claim --json"')
  const usage = JSON.parse(await town.gc('usage', '--json'))
  expect(usage.today).toMatchObject({ input_tokens: usage.today.invocations * 100, unpriced: usage.today.invocations })
  expect(usage.today.invocations).toBeGreaterThanOrEqual(3)
})
