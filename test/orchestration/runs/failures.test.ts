import { describe, expect, test } from 'bun:test'
import { human } from '../../work/world.ts'
import { close, openRuns, startRun } from '../engine/graph.ts'

const STEPS = { plan: {}, build: { needs: ['plan'] } }
const WHY = { 'gc.failure_reason': 'no idea' }
const FAILURE = 'step "plan" failed: no idea'

/** A run that is over, in which `plan` failed. */
async function openFailed(outcome: 'pass' | 'fail' = 'pass') {
  const work = await openRuns()
  const { root = '', plan = '', build = '' } = await startRun(work, 'line', STEPS, ['build'])
  await close(work, plan, 'fail', WHY)
  await close(work, build, outcome)
  const listed = async () => {
    work.clock.advance(1_000)
    await work.attention.whenIdle()
    return work.attention.list().items.filter(({ kind }) => kind === 'run')
  }
  return Object.assign(work, { root, plan, listed })
}

describe('a run that completes although a step failed', () => {
  test('names the step in its progress, its timeline and lists, and stays completed', async () => {
    await using work = await openFailed()
    const { root } = work
    expect(work.runs.get(root)).toMatchObject({ status: 'completed' })
    expect(work.runs.get(root).last_error).toBeUndefined()
    expect(work.runWaits.progress(root).failure).toBe(FAILURE)
    expect(work.runTimelines.read(root, {}).failure).toBe(FAILURE)
    expect(work.runs.standing(root).runs[root]?.failure).toBe(FAILURE)
  })

  test('needs attention once, until it is dismissed', async () => {
    await using work = await openFailed()
    const { root } = work
    const entry = {
      ...{ id: `run-failure:${root}`, kind: 'run', bead_id: root },
      asks: `Run ${root} of line completed, but ${FAILURE}.`,
      to_do: `gc run show ${root}; gc run retry ${root} --step <step> repeats it, gc run dismiss ${root} clears this`,
    }
    expect(await work.listed()).toEqual([expect.objectContaining(entry)])
    work.recorded()
    await work.runControls.dismiss(human, root)
    expect(work.recorded()).toEqual([`run.dismissed ${root}`])
    expect(await work.listed()).toEqual([])
    expect(work.runWaits.progress(root).failure).toBe(FAILURE)
    await work.runControls.dismiss(human, root)
    expect(work.recorded().filter((event) => event.startsWith('run.'))).toEqual([])
  })

  test('needs no attention while it is retried, and again when the step fails again', async () => {
    await using work = await openFailed()
    const { root, plan } = work
    await work.runControls.dismiss(human, root)
    await work.runRestarts.retry(human, root, { step: plan })
    expect(await work.listed()).toEqual([])
    await close(work, plan, 'fail', WHY)
    await close(work, work.beads.ready().value.items[0]?.id)
    expect(await work.listed()).toMatchObject([{ id: `run-failure:${root}` }])
  })
})

test('a run that fails needs attention with its first failed step', async () => {
  await using work = await openFailed('fail')
  expect(await work.listed()).toMatchObject([{ asks: `Run ${work.root} of line failed: ${FAILURE}.` }])
})

test('a run without a failed step, and one that continues behind one, need no attention', async () => {
  await using work = await openRuns()
  const line = await startRun(work, 'line', STEPS, ['build'])
  await close(work, line.plan, 'fail', WHY)
  await expect(work.runControls.dismiss(human, line.root ?? '')).rejects.toMatchObject({ code: 'conflict-wrong-state' })
  const fine = await startRun(work, 'fine', { only: {} }, ['only'])
  await close(work, fine.only)
  work.clock.advance(1_000)
  await work.attention.whenIdle()
  expect(work.attention.list().items.filter(({ kind }) => kind === 'run')).toEqual([])
})
