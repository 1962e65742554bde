import { describe, expect, test } from 'bun:test'
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { AttentionItem } from '../../src/agents/attention/schema.ts'
import { AGENT } from '../host/acp/agent-host.ts'
import type { TestCity } from '../support/world.ts'
import { startSession, towns } from './town.ts'

const openTown = towns()
const STORE_TOKEN = 'umask 077; printf %s "$GC_TOKEN" > "$GC_HOME/token.$GC_SESSION_ID"'

const agent = (name: string, env = '') => `
[[agent]]
name = "${name}"
session = "acp"
start_command = '''${STORE_TOKEN}; ${env} exec ${AGENT.join(' ')}'''
`

const ASKER = `#!/bin/sh
${STORE_TOKEN}
printf '\\033[2J\\033[HDo you trust the files in this folder?\\n  1. Yes\\n'
exec sleep 600
`

/** The pending items, once there are as many as expected. */
async function waiting(city: TestCity, count: number): Promise<AttentionItem[]> {
  for (let tries = 0; tries < 1000; tries++) {
    const { body } = await city.call('GET ~/attention')
    if (body.total === count) return body.items
    await Bun.sleep(10)
  }
  throw new Error(`it never came to ${count}`)
}

describe('the list of what waits for a person', () => {
  test('is empty in a quiet city', async () => {
    await using town = await openTown(agent('polly'))
    expect(await waiting(town.city, 0)).toEqual([])
  })

  test('combines questions of agents, dialogs of programs, and agents that cannot be started', async () => {
    await using town = await openTown(`
[providers.asker]
base = "builtin:claude"
command = "./asker"
[[agent]]
name = "asker"
provider = "asker"
${agent('polly')}${agent('molly', 'export LOGIN=1;')}`)
    const { city } = town
    const program = join(city.path, 'asker')
    writeFileSync(program, ASKER)
    chmodSync(program, 0o755)
    const polly = await startSession(city, 'polly', { message: 'ask it' })
    const [permission] = await waiting(city, 1)
    const asker = await startSession(city, 'asker')
    const failed = await city.call('POST ~/sessions', { body: { kind: 'agent', name: 'molly' } })
    expect((await city.outcome(failed.body)).type).toBe('request.failed')
    const items = await waiting(city, 3)
    expect(items[0]).toEqual(permission as AttentionItem)
    expect(items.find(({ agent: of }) => of === 'polly')).toEqual({
      id: expect.stringMatching(/^question:\d+$/),
      kind: 'permission',
      agent: 'polly',
      session_id: polly.id,
      session_name: expect.any(String),
      since: expect.stringMatching(/^\d{4}-/),
      asks: 'Allow make it?',
      to_do: `gc attention answer 1 approve|approve_always|deny`,
      question_kind: 'approval',
      folder: city.path,
      text: 'make it',
      subject: 'make it',
      same: expect.stringMatching(/^[0-9a-f]{64}$/),
      cut: false,
      picture: [],
      options: ['Yes', 'Always', 'No'],
      request_id: expect.stringMatching(/^permission-/),
      answers: ['approve', 'approve_always', 'deny'],
    })
    expect(items.find(({ agent: of }) => of === 'asker')).toMatchObject({
      kind: 'dialog',
      session_id: asker.id,
      asks: 'Do you trust the files in this folder?',
      answers: [],
    })
    expect(items.find(({ agent: of }) => of === 'molly')).toMatchObject({
      kind: 'failed',
      session_state: 'failed-create',
      asks: expect.stringContaining('the agent must be logged in first: run `agent login`'),
      answers: [],
    })
    expect(await city.call(`POST ~/session/${polly.id}/respond`, { body: { action: 'deny' } })).toMatchObject({
      status: 202,
    })
    expect((await waiting(city, 2)).map(({ kind }) => kind).sort()).toEqual(['dialog', 'failed'])
  })

  test('applies exactly one of two answers, and says of every other the outcome of the question', async () => {
    await using town = await openTown(agent('polly'))
    const { city } = town
    const { id } = await startSession(city, 'polly', { message: 'ask it' })
    const [question] = await waiting(city, 1)
    const head = await city.head()
    const answer = (words: string, name = question?.id ?? '') =>
      city.call(`POST ~/attention/${name}/answer`, { body: { answer: words } })
    expect(await answer('perhaps')).toMatchObject({ status: 422 })
    const both = await Promise.all([answer('yes'), answer('no')])
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409])
    const [taken, other] = both[0].status === 200 ? both : [both[1], both[0]]
    const choice = taken === both[0] ? 'Yes' : 'No'
    expect(taken?.body).toMatchObject({ state: 'answered', choice, answered_by: 'human', folder: city.path })
    expect(other?.body.detail).toMatch(/question:1 (is being|was) answered with "(Yes|No)" by human/)
    const late = await answer('yes')
    expect([late.status, late.body.detail]).toEqual([
      409,
      expect.stringContaining(`conflict: question:1 was answered with "${choice}" by human at `),
    ])
    expect((await city.recorded(head)).filter(({ type }) => type === 'session.answered')).toMatchObject([
      { actor: 'human', session_id: id, payload: { question_id: 'question:1', text: 'make it', choice } },
    ])
    expect((await answer('yes', 'question:99')).status).toBe(404)
    expect((await answer('yes', 'parked:to-1')).status).toBe(404)
  })
})
