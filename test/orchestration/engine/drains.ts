import type { Manifest } from '../../../src/orchestration/runs/drain-manifest.ts'
import { human } from '../../work/world.ts'
import { openLaunches } from '../sling/launch-world.ts'
import { close } from './graph.ts'

/** A formula whose step `survey` has the formula `job` done for each item that it lists. */
export const fanning = (bond: string): string =>
  `formula = "fan"\n${GRAPH}[[steps]]\nid = "survey"\ntitle = "Survey"\n[steps.on_complete]\nfor_each = "output.items"\nbond = "${bond}"\nparallel = true\n`

export const GRAPH = '[requires]\nformula_compiler = ">=2.0.0"\n'
const draining = (name: string, drain: string) =>
  `formula = "${name}"\n${GRAPH}[[steps]]\nid = "each"\ntitle = "Each member"\n[steps.drain]\nformula = "unit"\n${drain}\n`

const FORMULAS = {
  all: draining('all', 'context = "separate"'),
  two: draining('two', 'context = "separate"\nmax_units = 2'),
  alone: draining('alone', 'context = "separate"\nmember_access = "exclusive"'),
  lane: draining(
    'lane',
    'context = "shared"\nmember_access = "exclusive"\ncontinuation_group = "lane"\n[steps.drain.item]\nsingle_lane = true',
  ),
  on: draining('on', 'context = "shared"\non_item_failure = "continue"\n[steps.drain.item]\nsingle_lane = true'),
  later: `formula = "later"
${GRAPH}[[steps]]
id = "first"
title = "First"
[[steps]]
id = "each"
title = "Each member"
needs = ["first"]
[steps.drain]
formula = "unit"
context = "separate"
`,
  fan: fanning('batch'),
  batch: `formula = "batch"\ntype = "expansion"\n${GRAPH}[[template]]\nid = "{target}.each"\ntitle = "Each"\ndrain = { formula = "unit" }\n`,
  many: `formula = "many"\n${GRAPH}${Array.from({ length: 12 }, (_, n) => `[[steps]]\nid = "d${n}"\ntitle = "D"\ndrain = { formula = "unit", member_access = "exclusive" }\n`).join('')}`,
  unit: `formula = "unit"\n${GRAPH}[vars.topic]\ndefault = "wood"\n[[steps]]\nid = "do"\ntitle = "Do {{issue}} of {{topic}} in {{convoy_id}}"\n`,
}

/** A city in which convoys are drained. */
export async function openDrains() {
  const work = await openLaunches(FORMULAS)
  const manifestOf = (control: string): Manifest => JSON.parse(work.metadata(control)['gc.drain_manifest.v1'] ?? '')
  return {
    ...work,
    manifestOf,
    /** A convoy of new beads, and a run for it. */
    async drain(formula: string, count: number) {
      const members: string[] = []
      for (let n = 0; n < count; n++) members.push((await work.add({ title: `m${n}` })).id)
      const convoy = (await work.convoys.create(human, { title: 'batch', items: members })).id
      const run = await this.start(formula, convoy)
      return { members, convoy, ...run }
    },
    async start(formula: string, convoy: string) {
      const { root_bead_id: root = '' } = await work.sling({ formula, attached_bead_id: convoy })
      const [control = ''] = [...work.runMembers.of(root)].flatMap(({ id, ref }) =>
        ref?.endsWith('.each') ? [id] : [],
      )
      await work.settled()
      return { root, control }
    },
    rowOf: (control: string, index: number) => manifestOf(control).rows[index],
    /** Closes the only step of the run for a member. */
    async finish(control: string, index: number, outcome = 'pass', why: Record<string, string> = {}) {
      const root = manifestOf(control).rows[index]?.item_root_id ?? ''
      const step = [...work.runMembers.of(root)].find(({ ref }) => ref === 'unit.do')
      await close(work, step?.id, outcome, outcome === 'fail' ? { 'gc.failure_reason': 'no', ...why } : {})
    },
  }
}
