import { expect, test } from 'bun:test'
import { writeFiles } from '../support/example-city.ts'
import { runGc } from '../support/run-gc.ts'
import { eventually } from '../support/until.ts'
import { World } from '../support/world.ts'
import { enter, openSeat } from './tui-seat.ts'

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

/** Works on its step in a branch of its own, pushes that, and assigns the work to the session that merges. */
const AUTHOR = `#!/bin/sh
${FIELD}
next=$(gc hook --claim --json)
id=$(printf '%s' "$next" | field bead_id)
root=$(printf '%s' "$next" | field root_bead_id)
[ -n "$id" ] || { gc runtime drain-ack; sleep 60; }
convoy=$(gc bd show "$root" --json | field gc.input_convoy_id)
work=$(gc convoy status "$convoy" --json | sed 's/.*"children"://' | field id)
tree=$GC_HOME/$work
git -C "$GC_RIG_ROOT" worktree add -q -b "work/$work" "$tree" origin/main && cd "$tree"
echo done > done.txt && git add -A && git -c user.name=a -c user.email=a@example.com commit -qm "Do $work"
git push -q origin HEAD
gc bd update "$work" --set-metadata "branch=work/$work" --set-metadata target=main
gc bd update "$id" --set-metadata gc.outcome=pass && gc bd close "$id"
gc bd update "$work" --status=open --assignee="$GC_RIG/merger" --set-metadata gc.routed_to=""
gc session wake "$GC_RIG/merger"
gc session nudge "$GC_RIG/merger" "Check the merge queue."
gc runtime drain-ack
sleep 60
`

/** Merges what is assigned to it and has a branch, then continues with the next round of its patrol. */
const MERGER = `#!/bin/sh
${FIELD}
mine() { gc bd list --assignee="$GC_AGENT" --status="$1" --type=molecule --limit=1 --json | field id; }
pour() { gc bd update "$(gc bd mol wisp mol-patrol --root-only --var place=mill --json | field new_epic_id)" --assignee="$GC_AGENT" $1; }
[ -n "$(mine in_progress)" ] || pour --status=in_progress
work=
while [ -z "$work" ]; do
  work=$(gc bd list --rig="$GC_RIG" --assignee="$GC_AGENT" --status=open --exclude-type=epic --has-metadata-key=branch --limit=1 --json | field id)
  sleep 0.3
done
cd "$GC_RIG_ROOT" && git fetch -q origin && git push -q origin "refs/remotes/origin/work/$work:refs/heads/main"
gc bd update "$work" --set-metadata merge_result=merged && gc bd close "$work" --reason 'Merged to main'
current=$(mine in_progress)
pour && gc bd mol burn "$current" --force
sleep 600
`

const FILES = {
  'base/pack.toml': '[pack]\nname = "base"\nschema = 2\n',
  'base/formulas/build-base.formula.toml': `formula = "build-base"\nversion = 1\n${GRAPH}target_required = true\n[metadata.gc.methodology]\nmodes = ["a", "b"]\n[vars.root]\nrequired = true\n[vars.mode]\ndefault = "drained"\n[[steps]]\nid = "prepare"\ntitle = "Prepare {{root}}"\ndescription_file = "../assets/workflows/build-base/prepare.md"\n[[steps]]\nid = "review"\ntitle = "Review"\nneeds = ["prepare"]\n`,
  'base/assets/workflows/build-base/prepare.md': 'Prepare {{ root }} for {{convoy_id}}.',
  'base/formulas/mol-item.formula.toml': `formula = "mol-item"\n${GRAPH}[[steps]]\nid = "work"\ntitle = "Work on {{convoy_id}}"\n`,
  'base/formulas/mol-patrol.toml':
    'formula = "mol-patrol"\nphase = "vapor"\n[vars.place]\nrequired = true\n[[steps]]\nid = "look"\ntitle = "Look at {{place}}"\n',
  'base/formulas/mol-author.toml': `formula = "mol-author"\n${GRAPH}[[steps]]\nid = "submit"\ntitle = "Submit {{convoy_id}}"\n`,
  'base/formulas/mol-doubt.toml': `formula = "mol-doubt"\n${GRAPH}[[steps]]\nid = "prove"\ntitle = "Prove it"\n[steps.check]\nmax_attempts = 2\n[steps.check.check]\nmode = "exec"\npath = ".gc/scripts/checks/doubt.sh"\n[[steps]]\nid = "publish"\ntitle = "Publish it"\nneeds = ["prove"]\n`,
  'base/assets/scripts/checks/doubt.sh': '#!/bin/sh\necho "no proof" >&2\nexit 1\n',
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
[[rigs]]
name = "mill"
path = "${folder}/mill"
[[agent]]
name = "author"
dir = "mill"
start_command = "${folder}/author.sh"
max_active_sessions = 2
[[agent]]
name = "merger"
dir = "mill"
start_command = "${folder}/merger.sh"
max_active_sessions = 1
[[named_session]]
template = "merger"
dir = "mill"
mode = "on_demand"
`

async function openTown() {
  const world = await World.open()
  const folder = world.folder.path
  const town = { 'town/city.toml': `[workspace]\nname = "town"\n${agents(folder)}` }
  const scripts = { 'worker.sh': WORKER, 'patrol.sh': PATROL, 'author.sh': AUTHOR, 'merger.sh': MERGER }
  writeFiles(folder, { ...FILES, ...town, ...scripts })
  makeRepository(folder)
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

/** The rig `mill`, a clone of a repository with one commit. */
function makeRepository(folder: string): void {
  const author = '-c user.name=a -c user.email=a@example.com'
  const script = `git init -q --bare -b main origin.git && git clone -q origin.git mill 2>&1 && cd mill &&
    git checkout -q -b main && git ${author} commit -q --allow-empty -m Begin && git push -q origin main`
  const { exitCode, stderr } = Bun.spawnSync(['sh', '-c', script], { cwd: folder })
  if (exitCode !== 0) throw new Error(String(stderr))
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

test('a run whose check fails for good continues, completes, and names the failed step wherever it is shown', async () => {
  await using town = await openTown()
  const { workflow_id: run } = await town.json('sling', 'worker', 'mol-doubt', '--formula')
  const { status } = await eventually('the run is over', 60_000, () => town.json('run', 'show', run), isOver)
  expect(status).toBe('completed')
  const failure = 'step "Prove it" failed: check failed: exit status 1; output: no proof'
  expect(await town.gc('run', 'show', run)).toContain(failure)
  expect(await town.gc('run', 'timeline', run)).toContain(failure)
  expect(await town.gc('run', 'list')).toMatch(new RegExp(`completed, a step failed .*${failure}`))
  expect(await town.gc('attention')).toContain(`Run ${run} of mol-doubt completed, but ${failure}.`)
  await using seat = openSeat(town, { cols: 180 })
  await seat.shows('live')
  const pages = { runs: 'runs', [`run ${run}`]: 'steps', [`timeline ${run}`]: 'timeline', attention: 'waiting for you' }
  for (const [page, title] of Object.entries(pages)) {
    enter(seat, page)
    await seat.shows(new RegExp(`town › ${title}`))
    // The details of the selected row have what its cells have no room for.
    if (page === 'attention') seat.press('j')
    await seat.shows(/step "Prove it" f/)
  }
}, 90_000)

test('a patrol finds its wisp in the next round, and burns it', async () => {
  await using town = await openTown()
  const burned = () => town.json('bd', 'list', '--title-contains', 'Burned in round')
  await eventually('three rounds', 60_000, burned, (beads) => beads.length === 3)
  expect(await town.json('bd', 'list', '--type', 'molecule', '--status', 'open')).toHaveLength(1)
}, 90_000)

test('work that a formula hands over with its branch is merged by a session that was not running, and closed', async () => {
  await using town = await openTown()
  const { id } = await town.json('bd', 'create', 'Grind', '--rig', 'mill')
  const { workflow_id: run } = await town.json('sling', 'mill/author', id, '--on', 'mol-author')
  const show = async () => (await town.json('bd', 'show', id))[0]
  await eventually('the work is merged', 60_000, show, ({ status }) => status === 'closed')
  expect(await show()).toMatchObject({ close_reason: 'Merged to main', metadata: { merge_result: 'merged' } })
  expect((await town.json('run', 'show', run)).status).toBe('completed')
  const log = Bun.spawnSync(['git', 'log', '--format=%s', 'main'], { cwd: town.folder.at('origin.git') })
  expect(String(log.stdout)).toBe(`Do ${id}\nBegin\n`)
  const wisps = () => town.json('bd', 'list', '--rig', 'mill', '--type', 'molecule', '--all')
  const isNext = (found: { status: string }[]) => found.map(({ status }) => status).join() === 'open'
  await eventually('the next round of the patrol', 20_000, wisps, isNext)
}, 90_000)

const isOver = ({ status }: { status: string }) => ['completed', 'failed', 'canceled'].includes(status)
