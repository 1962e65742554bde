import { expect, test } from 'bun:test'
import type { Question } from '../../../src/host/protocol/question.ts'
import { human } from '../../../src/http/guard.ts'
import { scriptedTown } from '../../support/city.ts'
import { until } from '../../support/until.ts'

const TOML = `[providers.mine]
base = "builtin:claude"
command = "cat"
path_check = "cat"
prompt_mode = "none"
${['first', 'second', 'third'].map((name) => `[[agent]]\nname = "${name}"\nprovider = "mine"\nmax_active_sessions = 1\n`).join('')}`
const DIALOG = [
  'Select login method:',
  '❯ 1. Claude account',
  '  2. Console account',
  '',
  'Enter to confirm · Esc to cancel',
]
const QUESTION: Question = {
  ...{ id: 'screen-1', kind: 'login' as const, prompt: 'Select login method:', text: '', cut: false, picture: DIALOG },
  ...{ since: '2026-01-05T09:00:00.000Z' },
  options: [
    { id: '1', label: 'Claude account', role: 'other' },
    { id: '2', label: 'Console account', role: 'other' },
  ],
}

test('a dead login in terminals is one thing that waits, in one session, and nothing more is started on it', async () => {
  await using town = scriptedTown(TOML)
  const { host, clock } = town
  const city = await town.open()
  for (const to of ['first', 'second', 'third'])
    await city.beads.create(human, { title: 'oil', metadata: { 'gc.routed_to': to } })
  await city.reconciler.settle()
  expect(host.running).toHaveLength(3)
  const [first = '', ...others] = host.running
  for (const key of [first, ...others]) {
    host.show(key, ...DIALOG)
    host.ask(key, QUESTION)
  }
  for (let tenth = 0; tenth < 6; tenth++) {
    await clock.advance(600_000)
    await city.reconciler.settle()
  }
  await until(() => host.running.length === 1)
  expect(host.starts).toHaveLength(3)
  expect(city.limits.all()).toMatchObject([{ login: 'claude', state: 'dead' }])
  expect(city.attention.list().items).toMatchObject([{ kind: 'dialog', question_kind: 'login' }])
  const types = city.log.after(0, 5000).map(({ type }) => type)
  expect(types.filter((type) => type === 'login.failed')).toHaveLength(1)
  expect(types).not.toContain('session.crashed')
  const [asking = ''] = host.running
  host.ask(asking, undefined)
  host.show(asking, '─'.repeat(80), '❯ ', '─'.repeat(80))
  await clock.advance(5_000)
  await until(() => city.limits.all().length === 0)
  for (let second = 0; second < 60 && host.running.length < 3; second++) {
    await clock.advance(1_000)
    await city.reconciler.settle()
  }
  expect(host.running).toHaveLength(3)
  await city.attention.whenIdle()
  expect(city.attention.list().items).toEqual([])
})
