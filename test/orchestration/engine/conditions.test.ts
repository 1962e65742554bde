import { describe, expect, test } from 'bun:test'
import { human } from '../../work/world.ts'
import { extended } from '../formulas/files.ts'
import { close, openRuns, recipeFor, standing, startRecipe, stepOf } from './graph.ts'

const UNTIL = extended(`
[[steps]]
id = "poll"
title = "Poll"
[steps.loop]
until = "step.output.done == 'yes'"
max = 2
[[steps.loop.body]]
id = "look"
title = "Look"
`)
const output = (done: string) => ({ 'gc.output_json': JSON.stringify({ done }) })

describe('a loop until a condition holds', () => {
  test('goes round until it does', async () => {
    await using work = await openRuns()
    const run = await startRecipe(work, recipeFor('f', { f: UNTIL }))
    await close(work, run['poll.iteration.1.look'], 'pass', output('no'))
    await close(work, stepOf(work, run, 'poll.iteration.2.look').id, 'pass', output('yes'))
    expect(standing(work, run)).toMatchObject({ poll: 'closed pass', root: 'closed pass' })
  })

  test('fails behind its last round', async () => {
    await using work = await openRuns()
    const run = await startRecipe(work, recipeFor('f', { f: UNTIL }))
    await close(work, run['poll.iteration.1.look'], 'pass', output('no'))
    await close(work, stepOf(work, run, 'poll.iteration.2.look').id, 'pass', output('no'))
    expect(standing(work, run)).toMatchObject({ poll: 'closed fail', root: 'closed fail' })
  })
})

const CONDITION = extended(`
[[steps]]
id = "ask"
title = "Ask"
[[steps]]
id = "build"
title = "Build"
needs = ["ask"]
condition = "ask.output.done == 'yes'"
[[steps]]
id = "after"
title = "After"
needs = ["build"]
`)

describe('a step with a condition on another', () => {
  test.each([
    ['yes', 'open', 'open'],
    ['no', 'closed skipped', 'open'],
  ])('for the output %s is %s', async (done, build, after) => {
    await using work = await openRuns()
    const run = await startRecipe(work, recipeFor('f', { f: CONDITION }))
    await close(work, run.ask, 'pass', output(done))
    expect(standing(work, run)).toMatchObject({ build, after })
    const ready = work.beads.ready().value.items.map(({ id }) => id)
    expect(ready).toEqual([(done === 'yes' ? run.build : run.after) ?? ''])
  })
})

test('a step whose failure blocks holds back what needs it, until a person says that it is skipped', async () => {
  await using work = await openRuns()
  const text = extended(
    '[[steps]]\nid = "a"\ntitle = "A"\nblock_on_failure = true\n[[steps]]\nid = "b"\ntitle = "B"\nneeds = ["a"]\n',
  )
  const run = await startRecipe(work, recipeFor('f', { f: text }))
  await close(work, run.a, 'fail', { 'gc.failure_reason': 'no' })
  expect(work.beads.ready().value.items).toEqual([])
  expect(work.runs.get(run.root ?? '').status).toBe('waiting')
  await work.beads.update(human, run.a ?? '', { metadata: { 'gc.outcome': 'skipped' } })
  await work.settled()
  expect(work.beads.ready().value.items.map(({ id }) => id)).toEqual([run.b ?? ''])
  expect(work.runs.get(run.root ?? '').status).toBe('active')
})
