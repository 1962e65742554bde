import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { openStream } from '../../../src/agents/conversations/stream.ts'
import type { Question } from '../../../src/host/protocol/question.ts'
import { human } from '../../../src/http/guard.ts'
import { at, claude, jsonl, write } from '../../programs/samples.ts'
import { scriptedTown } from '../../support/city.ts'
import { until } from '../../support/until.ts'

const DIALOG: Question = {
  ...{ id: 'screen-1', kind: 'approval', prompt: 'Do you want to proceed?', text: 'git push', cut: false },
  since: at(30),
  options: [
    { id: '1', label: 'Yes', role: 'allow-once' },
    { id: '2', label: 'No', role: 'deny' },
  ],
  picture: ['git push', 'Do you want to proceed?', '❯ 1. Yes', '  2. No'],
}

test('the structured stream of a log has what its program asks on its screen, and the answer, and is resumed behind them', async () => {
  await using town = scriptedTown()
  const home = town.folder.at('scribe')
  town.declare(`[providers.scribe]
base = "builtin:claude"
command = "sh"
prompt_mode = "none"
env = { HOME = "${home}" }
[[agent]]
name = "clerk"
provider = "scribe"
min_active_sessions = 1
max_active_sessions = 1
`)
  const city = await town.open()
  await city.reconciler.settle()
  const [row] = city.sessionRepository.live()
  if (!row?.hostKey) throw new Error('there is no session')
  const log = join(home, '.claude/projects', row.workDir.replace(/[/.]/g, '-'), `${row.sessionKey ?? 'k-1'}.jsonl`)
  write(log, jsonl(claude.user('u1', null, 'Good day', 1), claude.says('a1', 'u1', 'And to you', 2)))
  const { transcripts } = city.sessionServices
  const controller = new AbortController()
  const open = async (after = '') => {
    const dependencies = { transcripts, sessionRepository: city.sessionRepository }
    const query = { format: 'structured', after } as const
    const { frames } = await openStream(dependencies, row, query, controller.signal)
    const seen: { id?: string | undefined; data: unknown }[] = []
    const reading = (async () => {
      for await (const { event, id, data } of frames) if (event === 'structured') seen.push({ id, data })
    })()
    return { seen, reading }
  }
  const first = await open()
  await until(() => first.seen.length === 1)
  expect(first.seen[0]?.data).toMatchObject({
    operation: 'snapshot',
    structured_messages: [{ id: 'u1' }, { id: 'a1' }],
  })
  town.host.ask(row.hostKey, DIALOG)
  await until(() => first.seen.length === 2)
  const pending = { state: 'pending', request_id: 'screen-1', options: ['Yes', 'No'] }
  expect(first.seen[1]?.data).toMatchObject({
    operation: 'upsert',
    history: { tail_state: { pending_interaction_ids: ['screen-1'] } },
    structured_messages: [{ id: 'question:1', status: 'partial', blocks: [{ interaction: pending }] }],
  })
  await city.sessions.messaging.answer('question:1', human, { answer: 'no' })
  const last = () => first.seen.at(-1)
  await until(() => JSON.stringify(last()).includes('"answered"'))
  expect(last()?.data).toMatchObject({
    operation: 'upsert',
    structured_messages: [
      { id: 'question:1', status: 'final', blocks: [{ interaction: { state: 'answered', action: 'No' } }] },
    ],
  })
  expect(JSON.stringify(last())).not.toContain('pending_interaction_ids')
  const whole = await transcripts.get(row, { format: 'structured' })
  if (whole.format !== 'structured') throw new Error('it is not structured')
  expect(whole.structured_messages.map(({ id }) => id)).toEqual(['u1', 'a1', 'question:1'])
  expect(whole.history.cursor.resume_token).toBe(last()?.id ?? '')
  const resumed = await open(first.seen[1]?.id)
  await until(() => resumed.seen.length === 1)
  expect(resumed.seen[0]?.data).toMatchObject({ operation: 'upsert', structured_messages: [{ id: 'question:1' }] })
  controller.abort()
  await Promise.all([first.reading, resumed.reading])
})
