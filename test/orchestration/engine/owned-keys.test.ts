import { describe, expect, test } from 'bun:test'
import { EngineKey, isEngineKey, WorkflowKey } from '../../../src/work/metadata.ts'
import { human } from '../../work/world.ts'
import { steps, v2 } from '../formulas/files.ts'
import { openRuns, recipeFor, startRecipe, startRun } from './graph.ts'

describe('a step of a run', () => {
  test('keeps what only gc writes of it, anyone who wants to change that', async () => {
    await using work = await openRuns()
    const { a = '', root = '' } = await startRecipe(work, recipeFor('f', { f: v2(steps('a')) }))
    await work.settled()
    work.recorded()
    for (const key of [...Object.values(WorkflowKey), ...Object.values(EngineKey)].filter(isEngineKey)) {
      const write = work.beads.update(human, a, { status: 'closed', metadata: { [key]: 'else' } }, { force: true })
      expect(write).rejects.toMatchObject({ code: 'conflict-wrong-state', message: expect.stringContaining(key) })
      await write.catch(() => {})
    }
    const rootWrite = work.beads.update(human, root, { metadata: { 'gc.kind': 'task' } })
    expect(rootWrite).rejects.toThrow(`gc.kind of bead ${root} is set only by gc`)
    await rootWrite.catch(() => {})
    expect(work.recorded()).toEqual([])
  })

  test('takes results, routes and keys of its worker, and what it has already', async () => {
    await using work = await openRuns()
    const { a = '' } = await startRecipe(work, recipeFor('f', { f: v2(steps('a')) }))
    const metadata = {
      ...{ 'gc.outcome': 'pass', 'gc.failure_class': '', 'gc.output_json': '{}', 'gc.work_dir': '/x', plan: 'b' },
      ...{ 'gc.routed_to': 'clerk', 'gc.run_target': 'clerk', 'gc.build.id': '7', 'gc.step_ref': 'f.a' },
    }
    await work.beads.update(human, a, { metadata })
    expect(work.beadRepository.get(a).metadata).toMatchObject(metadata)
  })

  test('that somebody wrote by hand is theirs to change', async () => {
    await using work = await openRuns()
    const { plan = '' } = await startRun(work, 'line', { plan: {} }, ['plan'])
    await work.beads.update(human, plan, { metadata: { 'gc.kind': 'task' } })
    expect(work.beadRepository.get(plan).metadata?.['gc.kind']).toBe('task')
  })
})
