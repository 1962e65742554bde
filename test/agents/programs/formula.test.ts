import { expect, setDefaultTimeout, test } from 'bun:test'
import { chmodSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { RunTimeline, RunTimelineStep } from '../../../src/orchestration/runs/timeline-schema.ts'
import { writeFiles } from '../../support/example-city.ts'
import type { Script } from './model-server.ts'
import { claude, codex, gemini, opencode, type Program } from './programs.ts'
import { openTown } from './town.ts'

setDefaultTimeout(120_000)

const FORMULA = `formula = "greet"
[requires]
formula_compiler = ">=2.0.0"
[[steps]]
id = "build"
title = "Build the greeting"
metadata = { "gc.run_target" = "web/builder" }
[steps.check]
max_attempts = 3
[steps.check.check]
mode = "exec"
path = "checks/greets.sh"
[[steps]]
id = "review"
title = "Review the greeting"
needs = ["build"]
metadata = { "gc.run_target" = "web/reviewer" }
`

const check = (greeting: string) => `#!/bin/sh
grep -q Hello '${greeting}' || { echo 'it greets nobody'; exit 1; }
`

const localTime = (at: string): string => new Date(at).toLocaleString('sv')

/** Takes one step after the other and knows each from `bd show` only; it greets once a check has missed it. */
const stepper =
  ({ shell }: Program): Script =>
  ({ user, results }) => {
    if (!user.at(-1)?.includes('Take your steps')) return { text: 'Standing by.' }
    const last = results.at(-1) ?? ''
    const stage = results.length % 3
    if (stage === 0) return shell('gc hook --claim --drain-ack --json')
    if (stage === 1) {
      const bead = idIn(last)
      return bead ? shell(`bd show ${bead}`) : { text: `There is no step: ${last}` }
    }
    const work = last.includes('Review the greeting') ? 'cp greeting.txt reviewed.txt' : build(last)
    return shell(`${work} && bd update ${idIn(results.at(-2) ?? '')} --set-metadata gc.outcome=pass --status=closed`)
  }

const idIn = (claimed: string) => /\\?"bead_id\\?":\\?"([\w.-]+)/.exec(claimed)?.[1]
const build = (step: string) => `echo '${step.includes('it greets nobody') ? 'Hello' : ''}' > greeting.txt`

const byStart = (one: RunTimelineStep, other: RunTimelineStep) => startOf(one).localeCompare(startOf(other))
const startOf = ({ states }: RunTimelineStep) => states.find(({ status }) => status === 'active')?.at ?? ''

const ENDED = new Set(['completed', 'failed', 'canceled', 'skipped'])

test.each([claude, codex, gemini, opencode].map((program): [string, Program] => [program.provider, program]))(
  '%s builds a step again after its check failed, and a second one reviews it',
  async (provider, program) => {
    await using town = await openTown(stepper(program), '', program)
    writeFiles(town.city, { 'formulas/greet.toml': FORMULA, 'checks/greets.sh': check(join(town.rig, 'greeting.txt')) })
    chmodSync(join(town.city, 'checks/greets.sh'), 0o755)
    for (const agent of ['web/builder', 'web/reviewer']) {
      await town.gc('agent', 'add', agent, '--provider', provider, '--prompt', 'Take your steps.')
    }
    const { workflow_id: run } = JSON.parse(await town.gc('sling', 'web/builder', 'greet', '-f', '--json'))
    const events = await town.events(
      ({ type, subject, payload }) => type === 'run.changed' && subject === run && ENDED.has(String(payload.status)),
    )
    expect(events.at(-1)?.payload.status).toBe('completed')
    const { steps }: RunTimeline = JSON.parse(await town.gc('run', 'timeline', run, '--json'))
    const worked = steps.filter(({ kind }) => kind === 'task').sort(byStart)
    expect(worked.map(({ ref, attempt }) => [ref, attempt])).toEqual([
      ['greet.build.iteration.1', 1],
      ['greet.build.iteration.2', 2],
      ['greet.review', undefined],
    ])
    for (const { states, sessions } of worked) {
      expect(states.map(({ status }) => status)).toEqual(['pending', 'active', 'completed'])
      expect(sessions).toEqual([expect.any(String)])
    }
    const [first, again, review] = worked
    expect(review?.sessions).not.toEqual(again?.sessions)
    const shown = await town.gc('run', 'timeline', run)
    for (const { bead_id, states } of [first, again, review].filter((step) => step !== undefined)) {
      for (const { at, status } of states)
        expect(shown).toMatch(new RegExp(`${bead_id} [^]*${localTime(at)}  ${status}`))
    }
    expect(readFileSync(join(town.rig, 'reviewed.txt'), 'utf8')).toBe('Hello\n')
    expect(town.model.strays).toEqual([])
  },
)
