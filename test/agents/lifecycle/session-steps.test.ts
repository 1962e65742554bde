import { expect, test } from 'bun:test'
import { human } from '../../../src/http/guard.ts'
import { scriptedTown } from '../../support/city.ts'
import { until } from '../../support/until.ts'

const TOML = `[[agent]]
name = "worker"
session = "acp"
start_command = "true"
max_active_sessions = 1
`

test('a session that is in another step when its start is due is started as soon as that is done', async () => {
  await using town = scriptedTown(TOML)
  const { host, clock } = town
  const city = await town.open()
  await city.beads.create(human, { title: 'oil', metadata: { 'gc.routed_to': 'worker' } })
  await city.reconciler.settle()
  const [row] = city.sessionRepository.live()
  const { steps } = city.sessionServices.processes
  await host.exit(host.running[0] ?? '', 1)
  await until(() => city.sessionRepository.get(row?.id ?? '').state === 'asleep')
  const step = Promise.withResolvers<void>()
  const done = steps.exclusively(row?.id ?? '', () => step.promise)
  await clock.advance(50_000)
  expect([host.running, steps.isBusy(row?.id ?? '')]).toEqual([[], true])
  step.resolve()
  await done
  await clock.advance(100)
  await until(() => host.running.length === 1, 2_000)
  await steps.settled()
  expect(city.sessionRepository.live()).toMatchObject([{ id: row?.id, state: 'active' }])
})
