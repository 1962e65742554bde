import { expect, test } from 'bun:test'
import { Client } from '../../src/client/client.ts'
import { formulasPage } from '../../tui/pages/formulas.ts'
import { sessionPage } from '../../tui/pages/session.ts'
import { sessionsPage } from '../../tui/pages/sessions.ts'
import { AGENT } from '../host/acp/agent-host.ts'
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
  expect(head[0]?.text).toBe('waiting · polly · polly')
  await town.city.call(`POST ~/session/${id}/respond`, { body: { action: 'approve' } })
  expect(await eventually('it goes on', 15_000, state, (text) => text !== 'waiting')).toBe('active')
})

test('killing a session that has ended meanwhile says so, and kills nothing', async () => {
  await using town = await open()
  await declare(town.city, 'clerk')
  const { id } = await startSession(town.city, 'clerk')
  const { items } = await sessionsPage.load(reach(town), FIRST)
  const kill = items[0]?.actions().find(({ name }) => name === 'kill')
  await town.city.call(`POST ~/session/${id}/close`)
  const types = await town.city.types(async () => {
    expect(await kill?.run(reach(town), {})).toEqual({ text: `${id} had ended by itself; nothing was killed` })
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
