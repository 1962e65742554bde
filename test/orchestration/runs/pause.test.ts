import { describe, expect, test } from 'bun:test'
import { human } from '../../work/world.ts'
import { close, openRuns, recipeFor, startRecipe, startRun, stepOf } from '../engine/graph.ts'
import { v2 } from '../formulas/files.ts'

const LINE = {
  plan: {},
  build: { needs: ['plan'] },
  other: {},
}

describe('a paused run', () => {
  test('offers nothing, and says that it waits', async () => {
    await using work = await openRuns()
    const run = await startRun(work, 'line', LINE, ['build', 'other'])
    const { root = '', plan, other } = run
    await work.settled()
    work.recorded()
    expect(await work.runControls.pause(human, root, { reason: 'the bridge is up' })).toEqual({
      run_id: root,
      status: 'waiting',
    })
    expect(work.beads.ready().value.items).toEqual([])
    expect(work.recorded()).toEqual([
      `run.paused ${root}`,
      `run.changed ${root}`,
      `bead.updated ${plan}`,
      `bead.updated ${other}`,
    ])
    expect(work.runs.get(root).status).toBe('waiting')
  })

  test('continues where it was', async () => {
    await using work = await openRuns()
    const run = await startRun(work, 'line', LINE, ['build', 'other'])
    const { root = '', plan = '', other = '' } = run
    const before = work.beads.ready().value.items.map(({ id }) => id)
    await work.runControls.pause(human, root, {})
    await work.settled()
    work.recorded()
    await work.runControls.resume(human, root)
    await work.settled()
    expect(work.beads.ready().value.items.map(({ id }) => id)).toEqual(before)
    expect(work.recorded()).toEqual([
      `bead.updated ${plan}`,
      `bead.updated ${other}`,
      `run.resumed ${root}`,
      `run.changed ${root}`,
    ])
    expect(work.runs.get(root).status).toBe('pending')
  })

  test('lets what is worked on be finished, and holds what that makes ready', async () => {
    await using work = await openRuns()
    const run = await startRun(work, 'line', LINE, ['build', 'other'])
    const { root = '', plan = '', build = '' } = run
    await work.beads.update(human, plan, { status: 'in_progress' })
    await work.settled()
    await work.runControls.pause(human, root, {})
    await close(work, plan)
    expect(work.beads.ready().value.items).toEqual([])
    expect(work.beadRepository.get(build).metadata).toMatchObject({ 'gc.paused': 'true' })
    expect(work.runs.get(root).status).toBe('waiting')
    await work.runControls.resume(human, root)
    await work.settled()
    expect(work.beads.ready().value.items.map(({ id }) => id)).toContain(build)
    expect(work.runs.get(root).status).toBe('active')
  })

  test('begins no further attempt until it is resumed', async () => {
    await using work = await openRuns()
    const formula = v2('[[steps]]\nid = "flaky"\ntitle = "Flaky"\n[steps.retry]\nmax_attempts = 2\n')
    const run = await startRecipe(work, recipeFor('f', { f: formula }))
    const { root = '' } = run
    await work.beads.update(human, run['flaky.attempt.1'] ?? '', { status: 'in_progress' })
    await work.runControls.pause(human, root, {})
    await close(work, run['flaky.attempt.1'], 'fail', { 'gc.failure_class': 'transient' })
    expect(work.beadRepository.get(run.flaky ?? '').status).toBe('open')
    await work.runControls.resume(human, root)
    await work.settled()
    const second = stepOf(work, run, 'flaky.attempt.2')
    expect(work.beads.ready().value.items.map(({ id }) => id)).toEqual([second.id])
  })

  test('keeps a step that is added to it, or opened again, from being offered', async () => {
    await using work = await openRuns()
    const run = await startRun(work, 'line', LINE, ['build', 'other'])
    const { root = '', other = '' } = run
    await close(work, other)
    await work.runControls.pause(human, root, {})
    const added = await work.add({ title: 'extra', metadata: { 'gc.root_bead_id': root } })
    await work.beads.reopen(human, other)
    expect(work.beads.ready().value.items).toEqual([])
    await work.runControls.resume(human, root)
    const ready = work.beads.ready().value.items.map(({ id }) => id)
    expect(ready).toContain(added.id)
    expect(ready).toContain(other)
  })

  test('gives no step to a session that asks for it by its id', async () => {
    await using work = await openRuns()
    const run = await startRun(work, 'line', LINE, ['build', 'other'])
    await work.runControls.pause(human, run.root ?? '', {})
    const session = await work.lentSession('lent')
    const claiming = work.claims.claim(work.caller(session.id), run.plan ?? '')
    await expect(claiming).rejects.toThrow(`bead ${run.plan} is a step of run ${run.root}, which is paused`)
  })

  test('is canceled as another, and is paused no more', async () => {
    await using work = await openRuns()
    const run = await startRun(work, 'line', LINE, ['build', 'other'])
    const { root = '', plan = '' } = run
    await work.runControls.pause(human, root, {})
    expect(await work.runs.cancel(human, root)).toMatchObject({ status: 'canceled' })
    expect(work.beadRepository.get(plan).metadata).not.toHaveProperty('gc.paused')
    expect(work.runControls.resume(human, root)).rejects.toThrow('is canceled')
  })

  test('is whole again after the city was closed while it was being paused or resumed', async () => {
    await using work = await openRuns()
    const steps = Object.fromEntries(Array.from({ length: 150 }, (_, at) => [`s${at}`, {}]))
    const { root = '' } = await startRun(work, 'wide', steps, Object.keys(steps))
    const ready = () => work.beads.ready().value.items.length
    const all = ready()
    await work.runControls.pause(human, root, {})
    expect([all > 100, ready()]).toEqual([true, 0])
    await work.store.write((tx) => {
      work.runHolds.release(tx, root)
      work.runHolds.offerSlice(tx, root, '')
    })
    expect(ready()).toBe(100)
    await work.runControls.recover()
    expect(ready()).toBe(all)
    expect(work.runHolds.find(root)).toBeUndefined()
  })
})

test('a run that is over, a molecule, and a run that is or is not paused are not paused or resumed', async () => {
  await using work = await openRuns()
  const run = await startRun(work, 'line', { plan: {} }, ['plan'])
  const { root = '', plan } = run
  const rejected = (attempt: Promise<unknown>) => attempt.then(String, (error: Error) => error.message)
  expect(await rejected(work.runControls.resume(human, root))).toContain('is not paused')
  await work.runControls.pause(human, root, {})
  expect(await rejected(work.runControls.pause(human, root, {}))).toContain(`gc run resume ${root}`)
  await work.runControls.resume(human, root)
  await close(work, plan)
  work.recorded()
  expect(await rejected(work.runControls.pause(human, root, {}))).toContain('is completed')
  const molecule = await work.add({ title: 'm', type: 'molecule' })
  await work.settled()
  expect(await rejected(work.runControls.pause(human, molecule.id, {}))).toContain('is a molecule')
  expect(await rejected(work.runControls.pause(human, 'mi-999', {}))).toContain('does not exist')
  expect(work.recorded().filter((line) => line.startsWith('run.p') || line.startsWith('run.r'))).toEqual([])
})
