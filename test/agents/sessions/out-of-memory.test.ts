import { expect, test } from 'bun:test'
import { human } from '../../../src/http/guard.ts'
import { scriptedTown } from '../../support/city.ts'

const AGENT = `[[agent]]
name = "eater"
start_command = "true"
max_active_sessions = 1
`

test('a session that the kernel killed for want of memory reports it, and neither its agent nor its bead is blamed', async () => {
  await using town = scriptedTown(AGENT)
  const city = await town.open()
  const metadata = { 'gc.routed_to': 'eater' }
  const { id: bead } = await city.beads.create(human, { title: 'for eater', metadata })
  await city.reconciler.settle()
  const row = city.sessionRepository.live().find(({ template }) => template === 'eater')
  const before = city.log.page({ limit: 1 }).items[0]?.seq ?? 0
  await town.host.exhaust(row?.hostKey ?? '', 'share', ['reading all of it'])
  const events = city.log.page({ limit: 20 }).items.filter(({ seq }) => seq > before)
  expect(events.map(({ type }) => type).filter((type) => type.startsWith('session.'))).toContain('session.crashed')
  expect(events.find(({ type }) => type === 'session.crashed')).toMatchObject({
    session_id: row?.id,
    message: 'the system killed it because it used more memory than its share\nreading all of it',
    payload: { session_id: row?.id, template: 'eater', reason: 'out-of-memory' },
  })
  expect(city.sessionServices.failures.find('agent', 'eater')).toBeUndefined()
  expect(city.sessionServices.failures.find('bead', bead)?.deaths ?? 0).toBe(0)
})
