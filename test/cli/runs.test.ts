import { expect, test } from 'bun:test'
import type { Bead } from '../../src/work/beads/schema.ts'
import { shareTown, type Town } from './town.ts'

let town: Town
shareTown((opened) => {
  town = opened
})

test('gc run names the step that failed in a run that completed, until it is dismissed', async () => {
  const metadata = (...pairs: string[]) => pairs.flatMap((pair) => ['--metadata', pair])
  const graph = ['gc.kind=workflow', 'gc.formula_contract=graph.v2', 'gc.formula_name=bridge']
  const { id } = await town.json<Bead>(['bead', 'create', 'Bridge', ...metadata(...graph)])
  const plan = await town.json<Bead>(['bead', 'create', 'Plan it', ...metadata(`gc.root_bead_id=${id}`)])
  await town.bd(['update', plan.id, '--set-metadata', 'gc.outcome=fail', '--set-metadata', 'gc.failure_reason=no idea'])
  await town.bd(['close', plan.id])
  await town.bd(['update', id, '--set-metadata', 'gc.outcome=pass'])
  await town.bd(['close', id])
  const failure = 'step "Plan it" failed: no idea'
  expect((await town.gc(['run', 'list'])).out).toMatch(new RegExp(`completed, a step failed .*${failure}`))
  expect((await town.gc(['run', 'show', id])).out).toContain(failure)
  expect((await town.gc(['run', 'timeline', id])).out).toContain(failure)
  const attention = async () => (await town.gc(['attention'])).out
  expect(await attention()).toContain(`Run ${id} of bridge completed, but ${failure}.`)
  expect((await town.gc(['run', 'dismiss', id])).out).toBe(`${id} no longer needs attention.\n`)
  expect(await attention()).not.toContain(id)
  expect(await town.gc(['run', 'dismiss', 'sh-999'])).toMatchObject({ status: 1 })
})

test('gc run lists runs, shows where one stands, and cancels it once', async () => {
  const metadata = (...pairs: string[]) => pairs.flatMap((pair) => ['--metadata', pair])
  const kind = metadata('gc.kind=workflow', 'gc.formula_contract=graph.v2')
  const root = await town.json<Bead>(['bead', 'create', 'Roads', ...kind])
  await town.json<Bead>(['bead', 'create', 'Plan', ...metadata(`gc.root_bead_id=${root.id}`, 'gc.step_ref=line.plan')])
  expect((await town.gc(['run', 'list'])).out).toContain('Roads')
  const { out } = await town.gc(['run', 'show', root.id])
  expect(out).toContain('pending')
  expect(out).toContain('Plan')
  expect((await town.gc(['run', 'steps', root.id])).out).toContain('Plan')
  expect((await town.gc(['run', 'pause', root.id, '--reason', 'lunch'])).out).toBe(
    `${root.id} is paused; \`gc run resume ${root.id}\` continues it.\n`,
  )
  expect(await town.gc(['run', 'pause', root.id])).toMatchObject({ status: 1 })
  expect((await town.gc(['run', 'resume', root.id])).out).toContain('continues')
  expect(await town.gc(['run', 'skip', root.id, 'line.plan'])).toMatchObject({ status: 2 })
  expect((await town.gc(['run', 'skip', root.id, 'nothing', '--reason', 'x'])).err).toContain('gc run steps')
  expect((await town.gc(['run', 'retry', root.id])).err).toContain('name the step')
  expect((await town.gc(['run', 'cancel', root.id])).out).toBe(`${root.id} is canceled; 2 beads were closed.\n`)
  expect(await town.gc(['run', 'cancel', root.id])).toMatchObject({
    status: 1,
    err: expect.stringContaining('already terminal'),
  })
})
