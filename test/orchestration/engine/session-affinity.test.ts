import { describe, expect, test } from 'bun:test'
import { crowd, openClaims } from '../../work/claims/callers.ts'
import { human } from '../../work/world.ts'
import { v2 } from '../formulas/files.ts'
import { recipeFor, startRecipe, stepOf } from './graph.ts'

const group = (name: string) =>
  `metadata = { "gc.continuation_group" = "${name}", "gc.session_affinity" = "require", "gc.routed_to" = "press/hand" }`
const GROUPED = v2(
  [
    ['plan', 'a', ''],
    ['build', 'a', 'needs = ["plan"]'],
    ['test', 'a', 'needs = ["build"]'],
    ['read', 'b', 'needs = ["plan"]'],
    ['judge', 'a', 'needs = ["plan"]'],
  ]
    .map(([id, name, needs]) => `[[steps]]\nid = "${id}"\ntitle = "${id}"\n${needs}\n${group(name ?? '')}\n`)
    .join(''),
)

/** A run of a formula whose steps are for sessions of press/hand. */
async function openGroups() {
  const work = await openClaims()
  const run = await startRecipe(work, recipeFor('f', { f: GROUPED }))
  await work.store.write((tx) => {
    const routeOf = (ref: string) => (ref.includes('judge') ? 'press/eye' : 'press/hand')
    for (const { id, ref = '' } of work.runMembers.of(run.root ?? '')) {
      if (/plan|build|test|read|judge/.test(ref))
        work.beadRepository.change(tx, id, { metadata: { 'gc.routed_to': routeOf(ref) } })
    }
  })
  await work.settled()
  work.recorded()
  return { ...work, run, assigneeOf: (step: string) => stepOf(work, run, step).assignee }
}

describe('steps of a continuation group', () => {
  test('go to the session that began with it, as they become ready; those of another group go to anybody', async () => {
    await using work = await openGroups()
    const { bead_id: plan = '' } = await work.claims.next(work.ada)
    expect(plan).toBe(work.run.plan ?? '')
    await work.beads.update(work.ada, plan, { status: 'closed', metadata: { 'gc.outcome': 'pass' } })
    expect(work.assigneeOf('build')).toBe('ada')
    expect(await work.claims.next(work.bob)).toMatchObject({ bead_id: work.run.read, reason: 'claimed' })
    expect(await work.claims.next(work.bob)).toMatchObject({ bead_id: work.run.read, reason: 'existing_assignment' })
    expect(await work.claims.next(work.ada)).toMatchObject({ bead_id: work.run.build, reason: 'ready_assignment' })
    await work.beads.close(work.ada, work.run.build ?? '')
    expect(work.assigneeOf('test')).toBe('ada')
  })

  test('of another agent are not assigned to it, and those of its own still are after one of theirs began', async () => {
    await using work = await openGroups()
    const { plan = '', build = '', judge = '' } = work.run
    await work.claims.next(work.ada)
    await work.beads.update(work.ada, plan, { status: 'closed', metadata: { 'gc.outcome': 'pass' } })
    expect(work.assigneeOf('judge')).toBeUndefined()
    const begun = { assignee: 'bob', status: 'in_progress', metadata: { 'gc.session_id': work.bob.session } }
    await work.store.write((tx) => void work.beadRepository.change(tx, judge, begun))
    await work.claims.next(work.ada)
    await work.beads.close(work.ada, build)
    expect(work.assigneeOf('test')).toBe('ada')
  })

  test('go to anybody once that session is closed, also those that were assigned to it', async () => {
    await using work = await openGroups()
    await work.claims.next(work.ada)
    await work.beads.update(work.ada, work.run.plan ?? '', { status: 'closed', metadata: { 'gc.outcome': 'pass' } })
    expect(work.assigneeOf('build')).toBe('ada')
    work.recorded()
    await work.sessions.running.close(work.ada.session, human)
    await work.settled()
    expect(work.recorded()).toContain(`bead.updated ${work.run.build}`)
    expect(work.assigneeOf('build')).toBeUndefined()
    const [one] = await crowd(work, 1)
    if (!one) throw new Error('no session')
    const claimed = [(await work.claims.next(one)).bead_id]
    await work.beads.close(one, claimed[0] ?? '')
    claimed.push((await work.claims.next(one)).bead_id)
    expect(claimed).toEqual([work.run.build, work.run.test])
  })
})
