import { expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { timers } from '../../cli/io/timers.ts'
import { formulasPage } from '../../client/views/formulas.ts'
import type { FollowText, TextPage } from '../../client/views/page.ts'
import { sessionPage } from '../../client/views/session.ts'
import { sessionsPage } from '../../client/views/sessions.ts'
import { transcriptPage } from '../../client/views/transcript.ts'
import { Client } from '../../src/client/client.ts'
import { AGENT } from '../host/acp/agent-host.ts'
import { append, claude, write } from '../programs/samples.ts'
import { eventually } from '../support/until.ts'
import { reachTo } from '../tui/reach.ts'
import { declare, startSession, type Town, towns } from './town.ts'

const open = towns()
const FIRST = { cursor: undefined, filter: '', sort: undefined }

const reach = ({ world, city }: Town) => {
  const client = new Client({ url: world.url, token: world.operatorToken })
  return { ...reachTo(world.url), client, city: client.city(city.name) }
}

test('a session that asks something is listed as waiting until it has its answer', async () => {
  await using town = await open(
    `[[agent]]\nname = "polly"\nsession = "acp"\nstart_command = '''exec ${AGENT.join(' ')}'''\n`,
  )
  const accepted = await town.city.call('POST ~/sessions', { body: { kind: 'agent', name: 'polly' } })
  const id = (await town.city.outcome(accepted.body)).subject
  const state = async () => (await sessionsPage.load(reach(town), FIRST)).items[0]?.cells[1]?.text
  expect(await state()).toBe('active')
  await town.city.call(`POST ~/session/${id}/submit`, { body: { message: 'ask it' } })
  expect(await eventually('it waits', 15_000, state, (text) => text !== 'active')).toBe('waiting')
  const { head = [] } = await sessionPage.load({ ...reach(town), subject: String(id) })
  expect(head[0]?.text).toBe('waiting · polly')
  await town.city.call(`POST ~/session/${id}/respond`, { body: { action: 'approve' } })
  expect(await eventually('it goes on', 15_000, state, (text) => text !== 'waiting')).toBe('active')
})

test('killing a session that has ended in between reports it, and kills nothing', async () => {
  await using town = await open()
  await declare(town.city, 'clerk')
  const { id } = await startSession(town.city, 'clerk')
  const { items } = await sessionsPage.load(reach(town), FIRST)
  const kill = items[0]?.actions().find(({ name }) => name === 'kill')
  await town.city.call(`POST ~/session/${id}/close`)
  const types = await town.city.types(async () => {
    expect(await kill?.run(reach(town), {})).toEqual({ text: `${id} had already exited; nothing was killed` })
  })
  expect(types).toEqual([])
})

test('a run that is begun on the dashboard is opened', async () => {
  await using town = await open('[[agent]]\nname = "nobody"\nstart_command = "true"\nmax_active_sessions = 0\n')
  const raw = 'formula = "line"\n[requires]\nformula_compiler = ">=2.0.0"\n[[steps]]\nid = "look"\ntitle = "Look"\n'
  await town.city.call('PUT ~/formulas/line', { raw })
  const { items } = await formulasPage.load(reach(town), FIRST)
  const run = items[0]?.actions().find(({ name }) => name === 'run')
  const outcome = await run?.run(reach(town), { target: 'nobody' })
  const { runs } = (await town.city.call('GET ~/runs')).body
  expect(outcome).toEqual({
    text: 'a run of line begins',
    opens: { page: 'run', subject: runs[0].run_id, city: town.city.name },
  })
})

/** A page of a session that is open: what it shows, and the outcome of its stream. */
function look(town: Town, page: Pick<TextPage, 'follow'>, id: string) {
  const controller = new AbortController()
  const states: string[] = []
  let shown: readonly string[] = []
  const show: FollowText['show'] = (lines) => {
    shown = lines.map(({ text }) => text)
  }
  const following = { signal: controller.signal, timers, onStateChange: (state: string) => void states.push(state) }
  const followed = page.follow?.({ ...reach(town), subject: id }, { show, following })
  return {
    states,
    followed,
    shows: (wanted: string) =>
      eventually(
        `it shows ${wanted}`,
        15_000,
        async () => shown.join('\n'),
        (text) => text.includes(wanted),
      ),
    [Symbol.dispose]: () => controller.abort(),
  }
}

const SCRIBE = `
[providers.scribe]
base = "builtin:claude"
command = "./loom"
prompt_mode = "none"
ready_prompt_prefix = "> "
env = { HOME = "./scribes" }
[[agent]]
name = "clerk"
provider = "scribe"
`
const LOOM = `#!/bin/sh
umask 077; printf %s "$GC_TOKEN" > "$GC_HOME/token.$GC_SESSION_ID"
printf 'the loom stands\\n> '
exec sleep 600
`

test('a session whose program keeps a log shows its screen, its transcript what was said, and once closed that is all', async () => {
  await using town = await open(SCRIBE)
  const { city } = town
  const env = { HOME: join(city.path, 'scribes') }
  writeFileSync(join(city.path, 'loom'), LOOM, { mode: 0o755 })
  await city.call('PATCH ~/provider/scribe', { body: { env } })
  const { id } = await startSession(city, 'clerk', { alias: 'bob' })
  const log = join(env.HOME, '.claude', 'projects', city.path.replace(/[/.]/g, '-'), 'k.jsonl')
  const first = claude.user('u1', null, 'Oil the loom', 1)
  append(write(log, ''), first)
  using screen = look(town, sessionPage, id)
  using said = look(town, transcriptPage, id)
  await said.shows('Oil the loom')
  await screen.shows('the loom stands')
  append(log, claude.says('a1', 'u1', 'The loom is oiled', 2))
  expect(await said.shows('The loom is oiled')).toMatch(/Oil the loom\n\nassistant\n {2}The loom is oiled/)
  expect(await screen.shows('the loom stands')).not.toContain('oiled')
  await city.call(`POST ~/session/${id}/close`)
  await screen.shows('The loom is oiled')
  await Promise.all([screen.followed, said.followed])
  expect([...screen.states, ...said.states]).not.toContain('disconnected')
  using later = look(town, sessionPage, id)
  await later.followed
  expect((await later.shows('oiled')).split('The loom is oiled')).toHaveLength(2)
  expect(later.states).not.toContain('disconnected')
})
