import { expect, test } from 'bun:test'
import { rmSync } from 'node:fs'
import { openLaunches } from '../sling/launch-world.ts'
import { close, standing } from './graph.ts'

const GRAPH = '[requires]\nformula_compiler = ">=2.0.0"\n'
const JOB = `formula = "job"\ntype = "expansion"\n${GRAPH}[[template]]\nid = "{target}.do"\ntitle = "Do it"\n`
const MAIN = `formula = "main"\n${GRAPH}
[[steps]]
id = "flaky"
title = "Flaky"
[steps.retry]
max_attempts = 2
[[steps]]
id = "survey"
title = "Survey"
needs = ["flaky"]
[steps.on_complete]
for_each = "output.items"
bond = "job"
parallel = true
`

async function openMain() {
  const work = await openLaunches({ main: MAIN, job: JOB })
  const { root_bead_id: root = '' } = await work.sling({ formula: 'main' })
  await work.settled()
  const idOf = (ref: string) => [...work.runMembers.of(root)].find((bead) => bead.ref?.endsWith(ref))?.id
  return {
    ...work,
    root,
    /** Works on the steps of the run in order, to its end. */
    async finish() {
      await close(work, idOf('flaky.attempt.1'), 'fail', { 'gc.failure_class': 'transient' })
      await close(work, idOf('flaky.attempt.2'))
      await close(work, idOf('survey'), 'pass', { 'gc.output_json': '{"items":["a","b"]}' })
      for (const n of [1, 2]) await close(work, idOf(`item.${n}.do`))
    },
  }
}

test.each([
  ['changed', (work: Awaited<ReturnType<typeof openMain>>) => work.declare('main', MAIN.replaceAll('Flaky', 'Other'))],
  ['broken', (work: Awaited<ReturnType<typeof openMain>>) => work.declare('main', 'formula = ')],
  [
    'deleted',
    (work: Awaited<ReturnType<typeof openMain>>) => rmSync(`${work.town.path}/formulas`, { recursive: true }),
  ],
])('a run goes on with what it was compiled from when its formula is %s meanwhile', async (_, change) => {
  await using work = await openMain()
  change(work)
  await work.settled()
  await work.finish()
  expect(work.runs.get(work.root).status).toBe('completed')
  expect(new Set([...work.runMembers.of(work.root)].map(({ title }) => title))).toEqual(
    new Set(['Step spec for Flaky', 'Flaky', 'Survey', 'Expand fanout for Survey', 'Do it', 'Finalize workflow']),
  )
})

test('a run continues where it was when its city was closed in the middle of it', async () => {
  await using work = await openMain()
  const first = [...work.runMembers.of(work.root)].find(({ ref }) => ref === 'main.flaky.attempt.1')
  await work.store.write((tx) =>
    work.beadRepository.closeWith(tx, first?.id ?? '', { 'gc.outcome': 'fail', 'gc.failure_class': 'transient' }),
  )
  await work.close({ endSessions: false })
  const city = await work.town.open()
  await city.reactions.whenIdle()
  expect(standing(city, { root: work.root })).toMatchObject({
    ...{ 'flaky.attempt.1': 'closed fail', 'flaky.attempt.2': 'open', flaky: 'open' },
  })
  await city.close({ endSessions: false })
})
