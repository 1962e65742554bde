import { expect, test } from 'bun:test'
import { chmodSync } from 'node:fs'
import { writeFiles } from '../support/example-city.ts'
import { runGc } from '../support/run-gc.ts'
import { eventually } from '../support/until.ts'
import { World } from '../support/world.ts'

const GRAPH = 'contract = "graph.v2"\n'

/** Reads a value out of the JSON of one bead. */
const FIELD = `field() { sed -n 's/.*"'"$1"'": *"\\([^"]*\\)".*/\\1/p' | head -1; }`

/**
 * Claims steps and closes them, as failed where they are for another agent; `decompose` names a new convoy on the root,
 * which the drain then works on.
 */
const WORKER = `#!/bin/sh
${FIELD}
idle=0
while [ $idle -lt 100 ]; do
  next=$(gc hook --claim --json)
  case $next in *'"action":"work"'*) idle=0 ;; *) idle=$((idle + 1)); sleep 0.2; continue ;; esac
  id=$(printf '%s' "$next" | field bead_id)
  step=$(gc bd show "$id" --json)
  root=$(printf '%s' "$step" | field gc.root_bead_id)
  case $(printf '%s' "$step" | field gc.step_ref) in
    *decompose*)
      one=$(gc bd create 'Part one' --json | field id); two=$(gc bd create 'Part two' --json | field id)
      convoy=$(gc convoy create parts "$one" "$two" --json | field convoy_id)
      gc bd update "$root" --set-metadata "gc.input_convoy_id=$convoy" ;;
    *review*) gc bd update "$id" --set-metadata review.verdict=done ;;
  esac
  outcome=pass
  [ "$(printf '%s' "$next" | field route)" = "$GC_TEMPLATE" ] || outcome=fail
  gc bd update "$id" --set-metadata gc.outcome=$outcome
  gc bd close "$id" --reason done
done
`

/** Passes once a step of the run has a verdict. */
const VERDICT = `#!/bin/sh
root=$(gc bd show "$GC_BEAD_ID" --json | sed -n 's/.*"gc.root_bead_id": *"\\([^"]*\\)".*/\\1/p' | head -1)
gc bd list --all --metadata-field "gc.root_bead_id=$root" --json --limit=0 | grep -q review.verdict
`

/** Pours the next wisp before it burns the one it works on, as patrols do. */
const PATROL = `#!/bin/sh
${FIELD}
mine() { gc bd list --assignee "$GC_AGENT" --status "$1" --type molecule --limit 1 --json | field id; }
pour() { gc bd update "$(gc bd mol wisp mol-patrol --root-only --var place=mill --json | field new_epic_id)" --assignee "$GC_AGENT"; }
[ -n "$(mine in_progress)$(mine open)" ] || pour
for round in 1 2 3; do
  gc hook --claim --json
  current=$(mine in_progress)
  pour
  gc bd mol burn "$current" --force && gc bd create "Burned in round $round" --json
done
sleep 600
`

const FILES = {
  'base/pack.toml': '[pack]\nname = "base"\nschema = 2\n',
  'base/formulas/build-base.formula.toml': `formula = "build-base"\nversion = 1\n${GRAPH}target_required = true\n[metadata.gc.methodology]\nmodes = ["a", "b"]\n[vars.root]\nrequired = true\n[vars.mode]\ndefault = "drained"\n[[steps]]\nid = "prepare"\ntitle = "Prepare {{root}}"\ndescription_file = "../assets/workflows/build-base/prepare.md"\n[[steps]]\nid = "review"\ntitle = "Review"\nneeds = ["prepare"]\n`,
  'base/assets/workflows/build-base/prepare.md': 'Prepare {{ root }} for {{convoy_id}}.',
  'base/formulas/mol-item.formula.toml': `formula = "mol-item"\n${GRAPH}[[steps]]\nid = "work"\ntitle = "Work on {{convoy_id}}"\n`,
  'base/formulas/mol-patrol.toml':
    'formula = "mol-patrol"\nphase = "vapor"\n[vars.place]\nrequired = true\n[[steps]]\nid = "look"\ntitle = "Look at {{place}}"\n',
  'base/assets/scripts/checks/reviewed.sh': VERDICT,
  'method/pack.toml': '[pack]\nname = "method"\nschema = 2\n[imports.base]\nsource = "../base"\n',
  'method/formulas/build.formula.toml': `formula = "build"\nversion = 1\n${GRAPH}extends = ["build-base"]\n[metadata.gc.methodology]\nmodes = ["b"]\n[[steps]]\nid = "decompose"\ntitle = "Decompose"\nneeds = ["prepare"]\nmetadata = { "gc.run_target" = "planner" }\n[[steps]]\nid = "implement"\ntitle = "Implement"\nneeds = ["decompose"]\ncondition = "{{mode}} == drained"\n[steps.drain]\ncontext = "separate"\nformula = "mol-item"\nmember_access = "exclusive"\n[[steps]]\nid = "review"\ntitle = "Review"\nneeds = ["implement"]\nexpand = "review-loop"\nexpand_vars = { who = "{{root}}" }\n`,
  'method/formulas/review-loop.formula.toml': `formula = "review-loop"\ntype = "expansion"\n${GRAPH}[vars.who]\n[[template]]\nid = "{target}.loop"\ntitle = "Review until it is done"\n[template.check]\nmax_attempts = 2\n[template.check.check]\nmode = "exec"\npath = ".gc/scripts/checks/reviewed.sh"\n[[template.children]]\nid = "{target}.read"\ntitle = "Read {who}"\nmetadata = { "gc.run_target" = "planner" }\ndescription_file = "../assets/{target}.read.md"\n[[template]]\nid = "{target}"\ntitle = "Finish"\nneeds = ["{target}.loop"]\n`,
  'method/assets/{target}.read.md': 'Read {target} of {{who}}.',
}

const agents = (folder: string) => `[imports.base]
source = "../base"
[imports.method]
source = "../method"
[[agent]]
name = "worker"
start_command = "${folder}/worker.sh"
max_active_sessions = 2
[[agent]]
name = "planner"
start_command = "${folder}/worker.sh"
max_active_sessions = 2
[[agent]]
name = "watch"
start_command = "${folder}/patrol.sh"
max_active_sessions = 1
[[named_session]]
template = "watch"
mode = "always"
`

async function openTown() {
  const world = await World.open()
  const folder = world.folder.path
  const town = { 'town/city.toml': `[workspace]\nname = "town"\n${agents(folder)}` }
  writeFiles(folder, { ...FILES, ...town, 'worker.sh': WORKER, 'patrol.sh': PATROL })
  for (const script of ['worker.sh', 'patrol.sh', 'base/assets/scripts/checks/reviewed.sh'])
    chmodSync(world.folder.at(script), 0o755)
  const gc = async (...words: string[]) => {
    const result = await runGc(world, '--city', world.folder.at('town'), ...words)
    if (result.status !== 0) throw new Error(`${words.join(' ')}: ${result.err}`)
    return result.out
  }
  await gc('register', world.folder.at('town')).catch(async (error: unknown) => {
    await world[Symbol.asyncDispose]()
    throw error
  })
  return Object.assign(world, { gc, json: async (...words: string[]) => JSON.parse(await gc(...words, '--json')) })
}

test('a formula of layered packs runs to its end: inherited, expanded, checked, drained, and each step by its agent', async () => {
  await using town = await openTown()
  const { id } = await town.json('bd', 'create', 'Build it')
  const value = 'plans/{{mode}} {target}'
  const { workflow_id: run } = await town.json('sling', 'worker', id, '--on', 'build', '--var', `root=${value}`)
  const { status } = await eventually('the run is over', 60_000, () => town.json('run', 'show', run), isOver)
  const { runs } = await town.json('run', 'list')
  const items = runs.filter(({ formula }: { formula: string }) => formula === 'mol-item')
  const { steps } = await town.json('run', 'steps', run)
  expect(await town.gc('run', 'show', run)).not.toContain('failed')
  expect(steps.map(({ assignee = '' }: { assignee?: string }) => assignee.replace(/-.*/, ''))).toContain('planner')
  const titles = steps.map(({ title }: { title: string }) => title)
  expect([status, items.map(({ status: item }: { status: string }) => item)]).toEqual([
    'completed',
    ['completed', 'completed'],
  ])
  expect(titles).toContain(`Prepare ${value}`)
  expect(titles).toContain(`Read ${value}`)
  const read = steps.find(({ title }: { title: string }) => title === `Read ${value}`)
  expect((await town.json('bd', 'show', read.id))[0].description).toBe(`Read review of ${value}.`)
}, 90_000)

test('a patrol finds its wisp in the next round, and burns it', async () => {
  await using town = await openTown()
  const burned = () => town.json('bd', 'list', '--title-contains', 'Burned in round')
  await eventually('three rounds', 60_000, burned, (beads) => beads.length === 3)
  expect(await town.json('bd', 'list', '--type', 'molecule', '--status', 'open')).toHaveLength(1)
}, 90_000)

const isOver = ({ status }: { status: string }) => ['completed', 'failed', 'canceled'].includes(status)
