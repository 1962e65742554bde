import { describe, expect, test } from 'bun:test'
import { human } from '../../work/world.ts'
import { v2 } from '../formulas/files.ts'
import { close, openRuns, outcomeOf, recipeFor, standing, startRecipe, startRun } from './graph.ts'

describe('a run', () => {
  test('ends when its last steps are closed, and each write that moves it is recorded', async () => {
    await using work = await openRuns()
    const line = await startRun(work, 'line', { plan: {}, build: { needs: ['plan'] } }, ['build'])
    await work.settled()
    work.recorded()
    expect(work.runs.get(line.root ?? '')).toMatchObject({ status: 'pending', formula: 'line', target: 'clerk' })
    await close(work, line.plan)
    expect(work.runs.get(line.root ?? '').status).toBe('active')
    expect(work.recorded()).toEqual([
      `bead.updated ${line.plan}`,
      `bead.closed ${line.plan}`,
      `run.changed ${line.root}`,
    ])
    await close(work, line.build)
    expect(work.recorded()).toEqual([
      `bead.updated ${line.build}`,
      `bead.closed ${line.build}`,
      `bead.closed ${line.root}`,
      `bead.closed ${line['workflow-finalize']}`,
      `run.changed ${line.root}`,
    ])
    expect(standing(work, line)).toEqual({
      root: 'closed pass',
      plan: 'closed pass',
      build: 'closed pass',
      'workflow-finalize': 'closed pass',
    })
    expect(work.runs.get(line.root ?? '').status).toBe('completed')
    expect(work.runs.census().status_counts).toMatchObject({ completed: 1, active: 0, pending: 0 })
  })

  test('continues behind a failed step, and passes when its last step does', async () => {
    await using work = await openRuns()
    const line = await startRun(work, 'line', { plan: {}, build: { needs: ['plan'] } }, ['build'])
    await close(work, line.plan, 'fail', { 'gc.failure_reason': 'no idea' })
    expect(work.beads.ready().value.items.map(({ id }) => id)).toEqual([line.build ?? ''])
    await close(work, line.build)
    expect(work.runs.get(line.root ?? '')).toMatchObject({ status: 'completed' })
    expect(work.runs.get(line.root ?? '').last_error).toBeUndefined()
  })

  test('fails with its last step, and says which step failed first and why', async () => {
    await using work = await openRuns()
    const line = await startRun(work, 'line', { plan: {}, build: { needs: ['plan'] } }, ['build'])
    await close(work, line.plan, 'fail', { 'gc.failure_reason': 'no idea' })
    await close(work, line.build, 'fail')
    expect(work.runs.get(line.root ?? '')).toMatchObject({
      status: 'failed',
      last_error: { code: 'fail', message: 'step "plan" failed: no idea' },
    })
  })

  test('closes what is left of it, specs as passed and steps as skipped, and the work it came from', async () => {
    await using work = await openRuns()
    const source = await work.add({ title: 'source', type: 'epic' })
    const spec = { type: 'spec', metadata: { 'gc.kind': 'spec' } }
    const line = await startRun(work, 'line', { plan: {}, 'plan.spec': spec, side: {} }, ['plan'])
    await work.beads.update(human, line.root ?? '', { metadata: { 'gc.source_bead_id': source.id } })
    await close(work, line.plan)
    expect(standing(work, line)).toMatchObject({ 'plan.spec': 'closed pass', side: 'closed skipped' })
    expect(outcomeOf(work.beadRepository.get(source.id))).toBe('closed pass')
  })

  test('waits while a gate of it is open for what was before', async () => {
    await using work = await openRuns()
    const steps = { plan: {}, gate: { type: 'gate', needs: ['plan'] }, build: { needs: ['gate'] } }
    const line = await startRun(work, 'line', steps, ['build'])
    await work.settled()
    expect(work.runs.get(line.root ?? '').status).toBe('pending')
    await close(work, line.plan)
    expect(work.runs.get(line.root ?? '').status).toBe('waiting')
    await work.beads.close(human, line.gate ?? '')
    await work.settled()
    expect(work.runs.get(line.root ?? '').status).toBe('active')
    expect(work.runs.steps(line.root ?? '').value.steps.map(({ title }) => title)).toEqual([
      'plan',
      'build',
      'workflow-finalize',
    ])
  })

  test('is canceled with all that is open of it, once', async () => {
    await using work = await openRuns()
    const line = await startRun(work, 'line', { plan: {}, build: { needs: ['plan'] } }, ['build'])
    await close(work, line.plan)
    work.recorded()
    expect(await work.runs.cancel(human, line.root ?? '')).toMatchObject({ status: 'canceled', closed: 3 })
    await work.settled()
    expect(work.recorded()).toEqual([
      `bead.closed ${line.build}`,
      `bead.closed ${line['workflow-finalize']}`,
      `bead.closed ${line.root}`,
      `run.changed ${line.root}`,
    ])
    expect(standing(work, line)).toMatchObject({ plan: 'closed pass', build: 'closed canceled' })
    expect(work.runs.get(line.root ?? '').last_error?.code).toBe('canceled')
    expect(work.runs.cancel(human, line.root ?? '')).rejects.toThrow('already terminal')
    expect(() => work.runs.get('gc-0')).toThrow('run gc-0 does not exist')
  })

  test('of very many steps is canceled and finalized in slices', async () => {
    await using work = await openRuns()
    const steps = Object.fromEntries(Array.from({ length: 250 }, (_, n) => [`s${n}`, {}]))
    const [wide, other] = [await startRun(work, 'wide', steps, ['s0']), await startRun(work, 'wide', steps, ['s0'])]
    expect(await work.runs.cancel(human, wide.root ?? '')).toMatchObject({ status: 'canceled', closed: 252 })
    await close(work, other.s0)
    expect(work.runs.get(other.root ?? '').status).toBe('completed')
    expect(new Set(Object.values(standing(work, other)))).toEqual(new Set(['closed pass', 'closed skipped']))
  })

  test('is known by the beads alone, when somebody wrote them one by one', async () => {
    await using work = await openRuns()
    const root = await work.add({ title: 'cake', type: 'molecule', metadata: { 'gc.formula': 'bake' } })
    const step = await work.add({ title: 'mix', type: 'step', parent: root.id })
    await work.add({ title: 'bake', type: 'step', parent: root.id })
    await work.settled()
    expect(work.runs.get(root.id)).toMatchObject({
      status: 'pending',
      formula: 'bake',
      scope: { kind: 'city', ref: 'mill' },
      target: 'workflow',
    })
    await close(work, step.id)
    expect(work.runs.get(root.id).status).toBe('active')
    expect(work.runs.steps(root.id).value.steps).toHaveLength(2)
    expect(await work.runs.cancel(human, root.id)).toMatchObject({ closed: 2 })
  })
})

describe('the graph of a run', () => {
  test('is shown with its edges, closed as skipped, and removed', async () => {
    await using work = await openRuns()
    const line = await startRun(work, 'line', { plan: {}, build: { needs: ['plan'] } }, ['build'])
    const shown = work.workflows.snapshot(line.root ?? '', {}).value
    expect(shown.beads.map(({ step_ref }) => step_ref)).toEqual([
      undefined,
      'line.plan',
      'line.build',
      'line.workflow-finalize',
    ])
    expect(shown.deps).toContainEqual({ from: line.plan ?? '', to: line.build ?? '', kind: 'blocks' })
    const half = { scope_kind: 'city' }
    expect(() => work.workflows.snapshot(line.root ?? '', half)).toThrow('must be provided together')
    expect(work.workflows.delete(human, line.plan ?? '', {})).rejects.toThrow('not found')
    const id = line.root ?? ''
    expect(await work.workflows.delete(human, id, {})).toEqual({ workflow_id: id, closed: 4, deleted: 0 })
    await work.settled()
    expect(work.runs.get(id).status).toBe('skipped')
    expect(await work.workflows.delete(human, id, { delete: true })).toEqual({ workflow_id: id, closed: 0, deleted: 4 })
    expect(() => work.runs.get(id)).toThrow('does not exist')
    expect(work.runs.census().status_counts.skipped).toBe(0)
  })
})

describe('a step that others are a part of', () => {
  const nested = (children: string) =>
    v2(`[[steps]]\nid = "top"\ntitle = "Top"\n${children}[[steps]]\nid = "next"\ntitle = "Next"\nneeds = ["top"]\n`)
  const CHILDREN = ['one', 'two'].map((id) => `[[steps.children]]\nid = "${id}"\ntitle = "${id}"\n`).join('')

  test('closes with the last of them, and is offered to no one', async () => {
    await using work = await openRuns()
    const run = await startRecipe(work, recipeFor('f', { f: nested(CHILDREN) }))
    await close(work, run['top.one'])
    expect(standing(work, run)).toMatchObject({ top: 'open' })
    work.recorded()
    await close(work, run['top.two'])
    expect(standing(work, run)).toMatchObject({ top: 'closed pass', next: 'open' })
    expect(work.recorded()).toEqual([
      `bead.updated ${run['top.two']}`,
      `bead.closed ${run['top.two']}`,
      `bead.closed ${run.top}`,
    ])
    expect(work.beads.ready().value.items.map(({ id }) => id)).toEqual([run.next ?? ''])
  })

  test('fails when one of them did', async () => {
    await using work = await openRuns()
    const run = await startRecipe(work, recipeFor('f', { f: nested(CHILDREN) }))
    await close(work, run['top.one'], 'fail')
    await close(work, run['top.two'])
    expect(standing(work, run)).toMatchObject({ top: 'closed fail', next: 'open' })
  })
})
