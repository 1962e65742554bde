import { expect, test } from 'bun:test'
import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { recipeFor, startRecipe } from '../orchestration/engine/graph.ts'
import { v2 } from '../orchestration/formulas/files.ts'
import { testTown } from '../support/city.ts'
import { until } from '../support/until.ts'
import { human } from '../work/world.ts'

const CHECKED = v2(`
[[steps]]
id = "work"
title = "Work"
[steps.check]
max_attempts = 1
[steps.check.check]
path = "check.sh"
timeout = "2s"
`)

/** Runs a script as the check of a run; how the run ended, and what the script left. */
async function checkWith(script: string) {
  const town = testTown('[[agent]]\nname = "clerk"\nstart_command = "true"\nmax_active_sessions = 0\n')
  const city = await town.open()
  const file = join(town.path, 'check.sh')
  writeFileSync(file, `#!/bin/sh\n${script}`)
  chmodSync(file, 0o755)
  const run = await startRecipe(city, recipeFor('f', { f: CHECKED }))
  await city.beads.update(human, run['work.iteration.1'] ?? '', {
    status: 'closed',
    metadata: { 'gc.outcome': 'pass' },
  })
  await until(
    () => city.runs.get(run.root ?? '').status !== 'active' && city.runs.get(run.root ?? '').status !== 'pending',
  )
  const iteration = city.beadRepository.get(run['work.iteration.1'] ?? '').metadata ?? {}
  return { town, city, status: city.runs.get(run.root ?? '').status, iteration }
}

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return !readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ')
  } catch {
    return false
  }
}

test('a check has no terminal and no input, and its last 8 KB are kept however much it prints', async () => {
  const flood = 'yes line | head -c 3000000\n'
  const { town, status, iteration } = await checkWith(
    `read x && exit 9\n(: < /dev/tty) 2>/dev/null && exit 8\n${flood}echo end`,
  )
  await using _ = town
  expect(status).toBe('completed')
  expect(iteration['gc.stdout']?.length).toBeGreaterThan(4000)
  expect(iteration['gc.stdout']?.length).toBeLessThanOrEqual(8192)
  expect(iteration['gc.stdout']).toEndWith('line\nend')
})

test('a check that hangs is ended with all that it started, whatever that left it for', async () => {
  const { town, status } = await checkWith(
    "sleep 300 & echo $! > a.pid\nsetsid sh -c 'echo $$ > b.pid; sleep 300' &\nsleep 300",
  )
  await using _ = town
  expect(status).toBe('failed')
  for (const name of ['a.pid', 'b.pid'])
    expect(isAlive(Number(readFileSync(join(town.path, name), 'utf8')))).toBe(false)
})
