import { expect, test } from 'bun:test'
import type { City } from '../../../src/city/city.ts'
import { GC } from '../../../src/core/actor.ts'
import { errorMessage } from '../../../src/core/errors.ts'
import type { Recipe } from '../../../src/orchestration/formulas/recipe.ts'
import { beadCount, planGraph } from '../../../src/orchestration/runs/instantiate/graph-plan.ts'
import { scriptedTown } from '../../support/city.ts'
import { until } from '../../support/until.ts'
import { openWork } from '../../work/world.ts'
import { recipeOf } from '../recipe.ts'

/** Steps of which each needs the one before it, but for every tenth. */
const steps = (count: number) =>
  Array.from({ length: count }, (_, n) => ({ ref: `s${n}`, ...(n % 10 > 0 && { needs: [`s${n - 1}`] }) }))

const ROUTES = { 'gc.routed_to': 'clerk' }

function write(city: Pick<City, 'instantiator'>, recipe: Recipe, finish = () => {}): Promise<string> {
  const routes = new Map(recipe.steps.map(({ id }) => [id, { metadata: ROUTES }]))
  const launch = { rig: '', storeRef: 'city:mill', status: 'in_progress', rootMetadata: {}, routes }
  return city.instantiator.write(
    {
      ...{ rig: '', count: beadCount(recipe) },
      plan: (ids) => planGraph(recipe, ids, launch),
      finish(_, { root }) {
        finish()
        return root
      },
    },
    GC,
  )
}

test('a small graph is written in one go: one event a bead, each with what it waits for', async () => {
  await using work = await openWork()
  const recipe = recipeOf([
    { ref: 'plan', description: 'think', labels: ['planning'], priority: 1, notes: 'soon', metadata: { own: 'x' } },
    { ref: 'gate-build', type: 'gate', title: 'Gate: timer', gate: { type: 'timer', timeout: '10m' } },
    { ref: 'build', needs: ['gate-build', 'plan'] },
  ])
  const root = await write(work, recipe)
  expect(work.recorded()).toEqual(['mi-1', 'mi-2', 'mi-3', 'mi-4'].map((id) => `bead.created ${id}`))
  const [first, plan, gate, build] = work.beadRepository.list(['mi-1', 'mi-2', 'mi-3', 'mi-4'])
  expect(root).toBe('mi-1')
  expect(first).toMatchObject({
    ref: 'line',
    title: 'line',
    status: 'in_progress',
    priority: 2,
    description: 'in line',
  })
  expect(first?.metadata).toEqual({
    ...{ 'gc.formula_name': 'line', 'gc.formula_hash': 'abc', 'gc.formula_source': '/formulas/line.toml' },
    ...{ 'gc.kind': 'workflow', 'gc.step_id': 'line', 'gc.native_step_dependencies.v1': '[]' },
    'gc.root_store_ref': 'city:mill',
  })
  expect(plan).toMatchObject({ ref: 'line.plan', description: 'think', labels: ['planning'], priority: 1 })
  expect(plan?.metadata).toEqual({
    ...{ own: 'x', notes: 'soon', 'gc.step_ref': 'line.plan', 'gc.step_id': 'line.plan', ...ROUTES },
    ...{ 'gc.native_step_dependencies.v1': '[]', 'gc.root_bead_id': root, 'gc.root_store_ref': 'city:mill' },
  })
  expect(gate?.metadata).toMatchObject({ await_type: 'timer', timeout: '600000' })
  expect(build?.metadata?.['gc.native_step_dependencies.v1']).toBe('["line.gate-build","line.plan"]')
  expect(build?.is_blocked).toBe(true)
})

test('a molecule has its steps below its root, as steps, with their children below them', async () => {
  await using work = await openWork()
  const recipe = recipeOf(
    [
      { ref: 'layers', type: 'epic' },
      { ref: 'layers.a', parent: 'line.layers' },
      { ref: 'serve', type: 'chore' },
    ],
    {
      ...{ contract: 'v1', shape: 'molecule' },
      root: { title: 'line', description: '', type: 'molecule', priority: 2, metadata: {} },
      variables: { definitions: [], values: { guests: '3', empty: '' } },
    },
  )
  await write(work, recipe)
  const beads = work.beadRepository.list(['mi-1', 'mi-2', 'mi-3', 'mi-4'])
  expect(beads.map(({ issue_type, parent }) => [issue_type, parent])).toEqual([
    ...[
      ['molecule', undefined],
      ['epic', 'mi-1'],
      ['step', 'mi-2'],
      ['chore', 'mi-1'],
    ],
  ])
  expect(beads[0]?.metadata).toMatchObject({ 'gc.var.guests': '3' })
  expect(beads[0]?.metadata).not.toHaveProperty('gc.var.empty')
  expect(beads[1]?.metadata).not.toHaveProperty('gc.root_bead_id')
})

test('writes only the root of a wisp', async () => {
  await using work = await openWork()
  const root = { title: 'line', description: '', type: 'task' as const, priority: 2, metadata: { 'gc.kind': 'wisp' } }
  await write(work, recipeOf(steps(3), { contract: 'v1', shape: 'wisp', root }))
  expect(work.recorded()).toEqual(['bead.created mi-1'])
  expect(work.beadRepository.get('mi-1').ephemeral).toBe(true)
})

test('nothing of a large graph is offered until it is whole, then what waits for nothing', async () => {
  await using work = await openWork()
  const counts: number[] = []
  await write(work, recipeOf(steps(60)), () => counts.push(work.workload.unassignedFor('clerk').length))
  expect(counts).toEqual([0])
  expect(work.workload.unassignedFor('clerk')).toHaveLength(6)
  const held = work.beadRepository.list(Array.from({ length: 61 }, (_, n) => `mi-${n + 1}`))
  expect(held.filter(({ metadata }) => metadata?.['gc.instantiating'] !== undefined)).toEqual([])
  const events = work.recorded().map((event) => event.split(' ')[0])
  expect(events.filter((type) => type === 'bead.created')).toHaveLength(61)
  // The root, and the steps that wait for nothing.
  expect(events.filter((type) => type === 'bead.updated')).toHaveLength(7)
  expect(work.instantiator.pending()).toEqual([])
})

test('a large graph that is refused when it is whole is undone', async () => {
  await using work = await openWork()
  const refused = write(work, recipeOf(steps(60)), () => {
    throw new Error('the bead is closed')
  })
  await expect(refused).rejects.toThrow('the bead is closed')
  expect(work.beadRepository.list(Array.from({ length: 61 }, (_, n) => `mi-${n + 1}`))).toEqual([])
  expect(work.instantiator.pending()).toEqual([])
})

test('rejects values that no bead can hold by the name of the step, and writes nothing', async () => {
  await using work = await openWork()
  const long = recipeOf([...steps(60), { ref: 'long', title: 'x'.repeat(1025) }])
  await expect(write(work, long)).rejects.toThrow('line.long: title is too long: at most 1 KB')
  expect(work.recorded()).toEqual([])
})

/** Steps that take many writes. */
const MANY = 2_000

test('a graph that was not whole when gc ended is undone at the next start; one that was is offered', async () => {
  await using town = scriptedTown('[[agent]]\nname = "clerk"\nstart_command = "true"\n')
  const first = await town.open()
  const cut = write(first, recipeOf(steps(MANY)), () => {})
  await until(() => first.instantiator.pending().length > 0)
  const failure = cut.then(() => 'it was written', errorMessage)
  await first.store.close()
  expect(await failure).toContain('closed')
  await first.close({ endSessions: false })
  const second = await town.open()
  await second.instantiator.whenRecovered()
  expect(second.log.page({ type: 'bead.deleted', limit: 10 }).items).not.toEqual([])
  expect(second.instantiator.pending()).toEqual([])
  expect(second.beadRepository.list(Array.from({ length: MANY + 1 }, (_, n) => `mi-${n + 1}`))).toEqual([])
  const root = await write(second, recipeOf(steps(60)))
  expect(second.workload.unassignedFor('clerk')).toHaveLength(6)
  expect(second.beadRepository.get(root).id).toBe(`mi-${MANY + 2}`)
})
