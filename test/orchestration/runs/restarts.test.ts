import { describe, expect, test } from 'bun:test'
import { gcPart } from '../../../src/core/actor.ts'
import { failedSteps, planRestart } from '../../../src/orchestration/runs/restart-plan.ts'
import { RestartStore, toStored } from '../../../src/orchestration/runs/restart-store.ts'
import { RunGraph } from '../../../src/orchestration/runs/run-graph.ts'
import { human } from '../../work/world.ts'
import { type Beads, close, openRuns, recipeFor, standing, startRecipe, stepOf } from '../engine/graph.ts'
import { extended, steps, v2 } from '../formulas/files.ts'

type Work = Awaited<ReturnType<typeof openRuns>>

const start = (work: Work, text: string, others: Record<string, string> = {}): Promise<Beads> =>
  startRecipe(work, recipeFor('f', { f: text, ...others }))

const retry = async (work: Work, run: Beads, step?: string) => {
  const answer = await work.runRestarts.retry(human, run.root ?? '', step === undefined ? {} : { step })
  await work.settled()
  return answer
}
const skip = async (work: Work, run: Beads, step: string) => {
  const answer = await work.runRestarts.skip(human, run.root ?? '', { step, reason: 'not needed' })
  await work.settled()
  return answer
}
const ready = (work: Work) => work.beads.ready().value.items.map(({ ref }) => ref?.replace(/^[^.]+\./, ''))
const stateOf = (work: Work, { root = '' }: Beads) => work.runs.get(root)
const rejected = (attempt: Promise<unknown>) => attempt.then(String, (error: Error) => error.message)

const RETRIED = v2(`
[[steps]]
id = "flaky"
title = "Flaky"
[steps.retry]
max_attempts = 2
${steps('after<flaky')}`)

const SCOPED = v2(`
[[steps]]
id = "body"
title = "Body"
metadata = { "gc.kind" = "scope", "gc.scope_role" = "body", "gc.scope_name" = "wt" }
needs = ["one", "two"]
[[steps]]
id = "one"
title = "One"
metadata = { "gc.scope_ref" = "body", "gc.scope_role" = "member", "gc.on_fail" = "abort_scope" }
[[steps]]
id = "two"
title = "Two"
needs = ["one"]
metadata = { "gc.scope_ref" = "body", "gc.scope_role" = "member", "gc.on_fail" = "abort_scope" }
`)

const FAN = v2(`
[[steps]]
id = "survey"
title = "Survey"
[steps.on_complete]
for_each = "output.items"
bond = "job"
parallel = true
[steps.on_complete.vars]
name = "{item}"
`)
const JOB = `formula = "job"\ntype = "expansion"\n[requires]\nformula_compiler = ">=2.0.0"\n[vars.name]\ndefault = "x"\n[[template]]\nid = "{target}.do"\ntitle = "Do {name}"\n`
const items = (...names: string[]) => ({ 'gc.output_json': JSON.stringify({ items: names }) })

describe('a run that failed', () => {
  test('does what failed again, and is completed', async () => {
    await using work = await openRuns()
    const run = await start(work, v2(steps('plan', 'build<plan')))
    await close(work, run.plan)
    await close(work, run.build, 'fail', { 'gc.failure_reason': 'no disk' })
    expect(stateOf(work, run)).toMatchObject({ status: 'failed' })
    work.recorded()
    expect(await retry(work, run)).toEqual({ run_id: run.root ?? '', status: 'active' })
    expect(work.recorded()).toEqual([
      `bead.updated ${run.build}`,
      `bead.updated ${run['workflow-finalize']}`,
      `bead.updated ${run.root}`,
      `run.retried ${run.root}`,
      `run.changed ${run.root}`,
    ])
    expect(ready(work)).toEqual(['build'])
    expect(stateOf(work, run)).not.toHaveProperty('last_error')
    await close(work, run.build)
    expect(stateOf(work, run)).toMatchObject({ status: 'completed' })
  })

  test('begins again at a step, with all that comes after it', async () => {
    await using work = await openRuns()
    const run = await start(work, v2(steps('plan', 'build<plan', 'test<build', 'docs<plan')))
    for (const step of ['plan', 'build', 'docs', 'test']) await close(work, run[step], 'pass', { made: step })
    expect(stateOf(work, run)).toMatchObject({ status: 'completed' })
    await retry(work, run, 'build')
    expect(standing(work, run)).toMatchObject({
      ...{ root: 'in_progress', plan: 'closed pass', docs: 'closed pass', build: 'open', test: 'open' },
      'workflow-finalize': 'open',
    })
    expect(ready(work)).toEqual(['build'])
    await close(work, run.build)
    expect(ready(work)).toEqual(['test'])
    await close(work, run.test)
    expect(stateOf(work, run)).toMatchObject({ status: 'completed' })
  })

  test('gives a step with attempts as many again', async () => {
    await using work = await openRuns()
    const run = await start(work, RETRIED)
    const failing = { 'gc.failure_class': 'transient', 'gc.failure_reason': 'timeout' }
    const fail = (attempt: number) => close(work, stepOf(work, run, `flaky.attempt.${attempt}`).id, 'fail', failing)
    await fail(1)
    await fail(2)
    await close(work, run.after)
    await retry(work, run, run['flaky.attempt.1'])
    expect(ready(work)).toEqual(['flaky.attempt.3'])
    await fail(3)
    await fail(4)
    expect(standing(work, run)).toMatchObject({ flaky: 'closed fail', 'flaky.attempt.4': 'closed fail' })
    await retry(work, run, 'flaky')
    await close(work, stepOf(work, run, 'flaky.attempt.5').id)
    expect(standing(work, run)).toMatchObject({ flaky: 'closed pass', after: 'open' })
    expect(work.beadRepository.get(run.flaky ?? '').metadata?.['gc.attempt_log']).toContain('"action":"restart"')
  })

  test('begins the attempts of later steps once they are ready', async () => {
    await using work = await openRuns()
    const run = await start(
      work,
      `${RETRIED}${steps('first')}`.replace('title = "Flaky"', 'title = "Flaky"\nneeds = ["first"]'),
    )
    await close(work, run.first)
    await close(work, run['flaky.attempt.1'])
    await close(work, run.after)
    await retry(work, run, 'first')
    expect(ready(work)).toEqual(['first'])
    await close(work, run.first)
    expect(ready(work)).toEqual(['flaky.attempt.2'])
  })

  test('makes new items of a step that fans out', async () => {
    await using work = await openRuns()
    const run = await start(work, FAN, { job: JOB })
    await close(work, run.survey, 'pass', items('a', 'b'))
    for (const item of ['survey.item.1.do', 'survey.item.2.do']) {
      await close(work, stepOf(work, run, `f.${item}`).id)
    }
    expect(stateOf(work, run)).toMatchObject({ status: 'completed' })
    await retry(work, run, 'survey')
    await close(work, run.survey, 'pass', items('c'))
    const third = stepOf(work, run, 'f.survey.item.3.do')
    expect(third.title).toBe('Do c')
    await close(work, third.id)
    expect(stateOf(work, run)).toMatchObject({ status: 'completed' })
  })

  test('does the members of a scope that were skipped as well', async () => {
    await using work = await openRuns()
    const run = await start(work, SCOPED)
    await close(work, run.one, 'fail')
    expect(stateOf(work, run)).toMatchObject({ status: 'failed' })
    await retry(work, run, 'one')
    expect(standing(work, run)).toMatchObject({ one: 'open', two: 'open', body: 'open' })
    for (const step of ['one', 'two']) await close(work, run[step])
    expect(stateOf(work, run)).toMatchObject({ status: 'completed' })
  })

  test('of more steps than one write opens, is held until all are open', async () => {
    await using work = await openRuns()
    const names = Array.from({ length: 150 }, (_, at) => `s${at}`)
    const run = await start(work, v2(steps('first', ...names.map((name) => `${name}<first`))))
    await work.runs.cancel(human, run.root ?? '')
    await work.settled()
    await retry(work, run)
    expect(ready(work)).toEqual(['first'])
    expect(stateOf(work, run)).toMatchObject({ status: 'active' })
    expect(work.runHolds.find(run.root ?? '')).toBeUndefined()
  })

  test('of more steps than one write opens, is opened to the end after a crash in the middle', async () => {
    await using work = await openRuns()
    const names = Array.from({ length: 150 }, (_, at) => `s${at}`)
    const run = await start(work, v2(steps('first', ...names.map((name) => `${name}<first`))))
    const { root = '' } = run
    await work.runs.cancel(human, root)
    await work.settled()
    const graph = new RunGraph(work.store, work.beadRepository)
    const ended = failedSteps(graph.ended(root))
    const plan = toStored(planRestart(graph, root, ended), root, true)
    await work.store.write((tx) => {
      work.runHolds.begin(tx, { rootId: root, since: 1, by: 'gc', reason: 'it crashed', heldWith: null })
      const request = { is: 'retry', steps: [run.first ?? ''] } as const
      new RestartStore(work.store).add(tx, root, request, gcPart('runs'), plan)
    })
    expect([await rejected(retry(work, run)), await rejected(skip(work, run, 's149'))]).toEqual([
      expect.stringContaining('are being opened again'),
      expect.stringContaining('are being opened again'),
    ])
    work.recorded()
    await work.runRestarts.recover()
    await work.settled()
    expect(work.recorded().filter((line) => line.startsWith('run.'))).toEqual([
      `run.retried ${root}`,
      `run.changed ${root}`,
    ])
    expect([ready(work), stateOf(work, run).status, work.runHolds.list()]).toEqual([['first'], 'active', []])
  })
})

test('a canceled run continues with what was canceled', async () => {
  await using work = await openRuns()
  const run = await start(work, v2(steps('plan', 'build<plan', 'docs')))
  await close(work, run.plan)
  await work.runs.cancel(human, run.root ?? '')
  await work.settled()
  await retry(work, run, 'build')
  expect(ready(work)).toEqual(['build', 'docs'])
  expect(stateOf(work, run)).toMatchObject({ status: 'active' })
  for (const step of ['build', 'docs']) await close(work, run[step])
  expect(stateOf(work, run)).toMatchObject({ status: 'completed' })
})

test('a run does not begin again where somebody works, where it has not been, or at a step it has not', async () => {
  await using work = await openRuns()
  const run = await start(work, v2(steps('plan', 'build<plan')))
  expect(await rejected(retry(work, run))).toContain('has failed')
  expect(await rejected(retry(work, run, 'plan'))).toContain('only a step that is closed')
  expect(await rejected(retry(work, run, 'nothing'))).toContain(`gc run steps ${run.root}`)
  await close(work, run.plan)
  await work.beads.update(human, run.build ?? '', { status: 'in_progress' })
  await work.settled()
  work.recorded()
  expect(await rejected(retry(work, run, 'plan'))).toContain(`${run.build} is in progress`)
  expect(await rejected(skip(work, run, 'build'))).toContain('somebody works on')
  expect(await rejected(skip(work, run, 'plan'))).toContain('did not fail')
  const molecule = await work.add({ title: 'm', type: 'molecule' })
  await work.settled()
  expect(await rejected(retry(work, { root: molecule.id }))).toContain('is a molecule')
  expect(work.recorded().filter((line) => line.startsWith('run.retried'))).toEqual([])
})

describe('a step that is skipped', () => {
  test('lets a run that failed because of it be completed', async () => {
    await using work = await openRuns()
    const run = await start(work, v2(steps('plan', 'build<plan', 'docs<plan')))
    await close(work, run.plan)
    await close(work, run.docs)
    await close(work, run.build, 'fail', { 'gc.failure_reason': 'no disk' })
    work.recorded()
    expect(await skip(work, run, 'build')).toMatchObject({ status: 'active' })
    expect(stateOf(work, run)).toMatchObject({ status: 'completed' })
    expect(standing(work, run)).toMatchObject({ build: 'closed skipped', docs: 'closed pass' })
    expect(work.beadRepository.get(run.build ?? '').metadata).toMatchObject({
      close_reason: 'skipped by a person: not needed',
    })
    expect(work.recorded()).toContain(`run.step_skipped ${run.root}`)
  })

  test('holds up what needs it no more', async () => {
    await using work = await openRuns()
    const run = await start(work, extended(`${steps('a')}block_on_failure = true\n${steps('b<a')}`))
    await close(work, run.a, 'fail')
    expect([ready(work), stateOf(work, run).status]).toEqual([[], 'waiting'])
    await skip(work, run, 'a')
    expect([ready(work), stateOf(work, run).status]).toEqual([['b'], 'active'])
  })

  test('lets the rest of its scope continue', async () => {
    await using work = await openRuns()
    const run = await start(work, SCOPED)
    await close(work, run.one, 'fail')
    await skip(work, run, 'one')
    expect(standing(work, run)).toMatchObject({ one: 'closed skipped', two: 'open', body: 'open' })
    await close(work, run.two)
    expect(stateOf(work, run)).toMatchObject({ status: 'completed' })
  })

  test('need not have been begun', async () => {
    await using work = await openRuns()
    const run = await start(work, v2(steps('plan', 'build<plan')))
    await skip(work, run, 'plan')
    expect(ready(work)).toEqual(['build'])
  })

  test('before its turn leaves what needs it waiting for what it waited for, the end of the run as well', async () => {
    await using work = await openRuns()
    const run = await start(work, v2(steps('plan', 'build<plan', 'ship<build')))
    await skip(work, run, 'build')
    expect([ready(work), stateOf(work, run).status]).toEqual([['plan'], 'active'])
    await skip(work, run, 'ship')
    expect([ready(work), stateOf(work, run).status]).toEqual([['plan'], 'active'])
    await close(work, run.plan)
    expect(stateOf(work, run)).toMatchObject({ status: 'completed' })
    expect(standing(work, run)).toMatchObject({ plan: 'closed pass', build: 'closed skipped', ship: 'closed skipped' })
  })

  test('leaves the failure of another step as what is wrong with the run', async () => {
    await using work = await openRuns()
    const run = await start(work, v2(steps('a', 'b')))
    await close(work, run.a, 'fail', { 'gc.failure_reason': 'first' })
    await close(work, run.b, 'fail', { 'gc.failure_reason': 'second' })
    expect(stateOf(work, run).last_error?.message).toContain('first')
    await skip(work, run, 'a')
    expect(stateOf(work, run)).toMatchObject({ status: 'failed', last_error: { message: 'step "b" failed: second' } })
  })
})
