import { describe, expect, test } from 'bun:test'
import { steps, v2 } from '../formulas/files.ts'
import { close, openRuns, recipeFor, standing, startRecipe, stepOf } from './graph.ts'

const RETRIED = (onExhausted: string) =>
  `${v2(`
[[steps]]
id = "flaky"
title = "Flaky"
[steps.retry]
max_attempts = 2
on_exhausted = "${onExhausted}"
[[steps]]
id = "after"
title = "After"
needs = ["flaky"]
`)}`

const failing = { 'gc.failure_class': 'transient', 'gc.failure_reason': 'timeout' }

describe('a step that is retried', () => {
  test('is tried again behind a transient failure, and hands on what its last attempt left', async () => {
    await using work = await openRuns()
    const run = await startRecipe(work, recipeFor('f', { f: RETRIED('hard_fail') }))
    await work.settled()
    expect(work.beads.ready().value.items.map(({ id }) => id)).toEqual([run['flaky.attempt.1'] ?? ''])
    work.recorded()
    await close(work, run['flaky.attempt.1'], 'fail', failing)
    const second = stepOf(work, run, 'flaky.attempt.2')
    expect(work.recorded()).toEqual([
      `bead.updated ${run['flaky.attempt.1']}`,
      `bead.closed ${run['flaky.attempt.1']}`,
      `run.changed ${run.root}`,
      `bead.created ${second.id}`,
      `bead.updated ${run.flaky}`,
      `bead.updated ${run.flaky}`,
    ])
    expect(second).toMatchObject({
      ...{ title: 'Flaky', issue_type: 'task', ref: 'f.flaky.attempt.2' },
      metadata: {
        ...{ 'gc.attempt': '2', 'gc.kind': 'task', 'gc.step_id': 'flaky', 'gc.step_ref': 'f.flaky.attempt.2' },
        ...{ 'gc.control_for': run.flaky, 'gc.idempotency_key': `${run.flaky}:attempt:2` },
        ...{ 'gc.routed_to': 'clerk', 'gc.execution_routed_to': 'clerk', 'gc.native_step_dependencies.v1': '[]' },
      },
    })
    expect(work.beads.ready().value.items.map(({ id }) => id)).toEqual([second.id])
    await close(work, second.id, 'pass', { plan: 'b', 'gc.output_json': '{"x":1}' })
    expect(work.beadRepository.get(run.flaky ?? '').metadata).toMatchObject({
      ...{ 'gc.outcome': 'pass', plan: 'b', 'gc.output_json': '{"x":1}', 'gc.control_epoch': '2' },
      'gc.attempt_log': JSON.stringify([
        { action: 'retry', attempt: '1', outcome: 'transient', reason: 'timeout' },
        { action: 'close', attempt: '2', outcome: 'pass' },
      ]),
    })
    await close(work, run.after)
    expect(work.runs.get(run.root ?? '')).toMatchObject({ status: 'completed' })
    expect(work.runRepository.find(run.root ?? '')?.attempts).toBe(1)
  })

  test.each([
    ['hard_fail', 'fail'],
    ['soft_fail', 'pass'],
  ])('is exhausted with %s as %s', async (onExhausted, outcome) => {
    await using work = await openRuns()
    const run = await startRecipe(work, recipeFor('f', { f: RETRIED(onExhausted) }))
    await close(work, run['flaky.attempt.1'], 'fail', failing)
    await close(work, stepOf(work, run, 'flaky.attempt.2').id, 'fail', failing)
    expect(work.beadRepository.get(run.flaky ?? '').metadata).toMatchObject({
      ...{ 'gc.outcome': outcome, 'gc.final_disposition': onExhausted, 'gc.failed_attempt': '2' },
      ...{ 'gc.failure_class': 'transient', 'gc.failure_reason': 'timeout' },
    })
  })

  test('is not tried again behind a failure for good', async () => {
    await using work = await openRuns()
    const run = await startRecipe(work, recipeFor('f', { f: RETRIED('soft_fail') }))
    await close(work, run['flaky.attempt.1'], 'fail', { 'gc.failure_class': 'hard', 'gc.failure_reason': 'broken' })
    expect(work.beadRepository.get(run.flaky ?? '').metadata).toMatchObject({
      ...{ 'gc.outcome': 'fail', 'gc.final_disposition': 'hard_fail', 'gc.failure_class': 'hard' },
      'gc.attempt_log': '[{"action":"hard-fail","attempt":"1","outcome":"hard","reason":"broken"}]',
    })
  })
})

const FAN = (mode: string) => ({
  f: v2(`
[[steps]]
id = "survey"
title = "Survey"
[steps.on_complete]
for_each = "output.items"
bond = "job"
${mode} = true
[steps.on_complete.vars]
name = "{item.name}-{index}"
[[steps]]
id = "report"
title = "Report"
needs = ["survey"]
`),
  job: `formula = "job"\ntype = "expansion"\n[requires]\nformula_compiler = ">=2.0.0"\n[vars.name]\ndefault = "x"\n[[template]]\nid = "{target}.do"\ntitle = "Do {name}"\n`,
})
const items = (...names: string[]) => ({ 'gc.output_json': JSON.stringify({ items: names.map((name) => ({ name })) }) })

describe('a step that fans out', () => {
  test('makes steps of every item, and waits for them', async () => {
    await using work = await openRuns()
    const run = await startRecipe(work, recipeFor('f', FAN('parallel')))
    await close(work, run.survey, 'pass', items('x', 'y'))
    const first = work.beadRepository
      .list([...work.runMembers.of(run.root ?? '')].map(({ id }) => id))
      .filter(({ title }) => title.startsWith('Do'))
    expect(first.map(({ title, ref }) => [title, ref])).toEqual([
      ['Do x-0', 'job.f.survey.item.1.do'],
      ['Do y-1', 'job.f.survey.item.2.do'],
    ])
    await close(work, run.report)
    await close(work, first[0]?.id)
    expect(work.runs.get(run.root ?? '').status).toBe('active')
    await close(work, first[1]?.id, 'fail', { 'gc.failure_reason': 'no y' })
    expect(work.runs.get(run.root ?? '')).toMatchObject({
      status: 'failed',
      last_error: { code: 'fail', message: 'step "Do y-1" failed: no y' },
    })
    expect(work.beadRepository.get(run['survey-fanout'] ?? '').metadata).toMatchObject({
      ...{ 'gc.fanout_state': 'spawned', 'gc.spawned_count': '2', 'gc.outcome': 'fail' },
    })
  })

  test('makes them one after the other when it is sequential', async () => {
    await using work = await openRuns()
    const run = await startRecipe(work, recipeFor('f', FAN('sequential')))
    const titles = () =>
      [...work.runMembers.of(run.root ?? '')].map(({ title }) => title).filter((each) => each.startsWith('Do'))
    await close(work, run.survey, 'pass', items('x', 'y'))
    expect(titles()).toEqual(['Do x-0'])
    await close(work, [...work.runMembers.of(run.root ?? '')].find(({ title }) => title === 'Do x-0')?.id)
    expect(titles()).toEqual(['Do x-0', 'Do y-1'])
  })

  test('makes the steps of very many items in slices', async () => {
    await using work = await openRuns()
    const run = await startRecipe(work, recipeFor('f', FAN('parallel')))
    await close(work, run.survey, 'pass', items(...Array.from({ length: 55 }, (_, n) => `n${n}`)))
    expect([...work.runMembers.of(run.root ?? '')].filter(({ title }) => title.startsWith('Do'))).toHaveLength(55)
  })

  test('passes without items', async () => {
    await using work = await openRuns()
    const run = await startRecipe(work, recipeFor('f', FAN('parallel')))
    await close(work, run.survey, 'pass', items())
    await close(work, run.report)
    expect(work.runs.get(run.root ?? '').status).toBe('completed')
  })

  test.each([
    ['that is not JSON', 'no json'],
    ['that is nested too deep', `{"items":[{"name":${'['.repeat(100_000)}${']'.repeat(100_000)}}]}`],
  ])('fails visibly for an output %s', async (_, output) => {
    await using work = await openRuns()
    const bad = await startRecipe(work, recipeFor('f', FAN('parallel')))
    await close(work, bad.survey, 'pass', { 'gc.output_json': output })
    await close(work, bad.report)
    const control = work.beadRepository.get(bad['survey-fanout'] ?? '')
    expect(control.labels).toEqual(['gc:control-quarantined'])
    expect(control.metadata).toMatchObject({
      ...{ 'gc.outcome': 'fail', 'gc.failure_class': 'hard', 'gc.failure_reason': 'malformed_control_graph' },
      ...{ 'gc.final_disposition': 'control_quarantined', 'gc.control_quarantined': 'true' },
    })
    expect(work.runs.get(bad.root ?? '')).toMatchObject({ status: 'failed' })
    expect(work.runs.steps(bad.root ?? '').value.steps.map(({ id }) => id)).toContain(control.id)
  })
})

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
[[steps]]
id = "clean"
title = "Clean"
needs = ["body"]
metadata = { "gc.scope_ref" = "body", "gc.scope_role" = "teardown", "gc.kind" = "cleanup" }
`)

describe('a scope', () => {
  test('passes with its last member', async () => {
    await using work = await openRuns()
    const run = await startRecipe(work, recipeFor('f', { f: SCOPED }))
    for (const step of ['one', 'two', 'clean']) await close(work, run[step])
    expect(standing(work, run)).toMatchObject({ body: 'closed pass', root: 'closed pass' })
  })

  test('skips the rest of its members behind one that failed, is torn down, and fails the run', async () => {
    await using work = await openRuns()
    const run = await startRecipe(work, recipeFor('f', { f: SCOPED }))
    await close(work, run.one, 'fail', { 'gc.failure_reason': 'broken', note: 'kept' })
    expect(standing(work, run)).toMatchObject({
      ...{ one: 'closed fail', 'one-scope-check': 'closed pass', two: 'closed skipped' },
      ...{ 'two-scope-check': 'closed skipped', body: 'closed fail', clean: 'open' },
    })
    expect(work.beadRepository.get(run.body ?? '').metadata).toMatchObject({ note: 'kept' })
    await close(work, run.clean)
    expect(work.runs.get(run.root ?? '')).toMatchObject({
      status: 'failed',
      last_error: { message: 'step "One" failed: broken' },
    })
  })
})

test('a run of plain steps needs none of this', async () => {
  await using work = await openRuns()
  const run = await startRecipe(work, recipeFor('f', { f: v2(steps('a', 'b<a')) }))
  for (const step of ['a', 'b']) await close(work, run[step])
  expect(work.runs.get(run.root ?? '').status).toBe('completed')
})
