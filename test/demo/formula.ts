import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gc, home, lines, perform, say, serve, start, until } from './stage.ts'

/**
 * Shows a run of a formula with the binary: a step is built, fails its check once and is built again, a second agent
 * reviews it, and the run is completed. Both agents are shell scripts, and so is the check.
 */

const town = join(home, 'town')
const rig = join(home, 'shop')

/** An agent that does one step after the other; `$1` is what it does for each. */
const agent = (work: string): string => `#!/bin/sh
set -eu
while :; do
  next=$(gc hook --claim --drain-ack --json)
  case $next in *'"action":"work"'*) ;; *) exit 0 ;; esac
  bead=$(printf '%s' "$next" | sed 's/.*"bead_id":"\\([^"]*\\)".*/\\1/')
  ${work}
  bd update "$bead" --set-metadata gc.outcome=pass --status=closed
done
`

/** The first time it forgets to greet. */
const BUILDER = agent(`if test -e greeting.txt; then echo 'Hello' > greeting.txt; else : > greeting.txt; fi`)
const REVIEWER = agent(`echo "reviewed by $GC_AGENT: $(cat greeting.txt)" > review.txt`)
const CHECK = `#!/bin/sh
grep -q Hello greeting.txt || { echo 'greeting.txt greets nobody'; exit 1; }
`

const CITY = `[workspace]
name = "town"
[[rigs]]
name = "shop"
path = "${rig}"
[[agent]]
name = "builder"
dir = "shop"
start_command = "./builder.sh"
max_active_sessions = 1
[[agent]]
name = "reviewer"
dir = "shop"
start_command = "./reviewer.sh"
max_active_sessions = 1
`

const FORMULA = `formula = "greet"
[requires]
formula_compiler = ">=2.0.0"
[vars.name]
required = true
[[steps]]
id = "build"
title = "Greet {{name}}"
[steps.check]
max_attempts = 3
[steps.check.check]
mode = "exec"
path = "checks/greets.sh"
[[steps]]
id = "review"
title = "Review the greeting of {{name}}"
needs = ["build"]
metadata = { "gc.run_target" = "shop/reviewer" }
`

/** Outcomes of runs, by their roots. */
const ended = new Map<string, string>()

await perform(async () => {
  writeFiles()
  const server = await serve()
  await gc('register', town)
  watch()
  await gc('formula', 'show', 'greet', '--var', 'name=Ada')
  const { workflow_id: run } = JSON.parse(
    await gc('sling', 'shop/builder', 'greet', '-f', '--var', 'name=Ada', '--json'),
  )
  await until(`run ${run} is over`, () => ended.has(run))
  await gc('run', 'show', run)
  await gc('run', 'timeline', run)
  say('review', readFileSync(join(rig, 'review.txt'), 'utf8'))
  if (ended.get(run) !== 'completed') throw new Error(`run ${run} is ${ended.get(run)}`)
  await gc('down')
  await until('the supervisor has ended', () => server.exitCode !== null)
})

function writeFiles(): void {
  for (const folder of [rig, join(town, 'formulas'), join(town, 'checks')]) mkdirSync(folder, { recursive: true })
  const scripts = { [join(rig, 'builder.sh')]: BUILDER, [join(rig, 'reviewer.sh')]: REVIEWER }
  for (const [path, text] of Object.entries({ ...scripts, [join(town, 'checks', 'greets.sh')]: CHECK })) {
    writeFileSync(path, text)
    chmodSync(path, 0o755)
  }
  writeFileSync(join(town, 'city.toml'), CITY)
  writeFileSync(join(town, 'formulas', 'greet.toml'), FORMULA)
}

/** Shows the events of the run as they come. */
function watch(): void {
  lines(start('gc events', ['events', '--follow', '--after', '0', '--json'], { read: true }), (text) => {
    const { type, subject, payload = {} } = JSON.parse(text)
    const { bead, status } = payload
    if (type === 'run.changed') {
      say('run', `${subject} is ${status}`)
      if (['completed', 'failed', 'canceled', 'skipped'].includes(status)) ended.set(subject, status)
    }
    if (type === 'bead.closed' && bead?.metadata?.['gc.root_bead_id']) {
      say('step', `${bead.title}: ${bead.metadata['gc.outcome'] ?? 'closed'}`)
    }
    if (type === 'bead.updated' && bead?.metadata?.['gc.exit_code']) {
      say('check', `exit ${bead.metadata['gc.exit_code']} ${bead.metadata['gc.stdout'] ?? ''}`)
    }
  })
}
