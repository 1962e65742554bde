import { describe, expect, test } from 'bun:test'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { human, type Work } from '../../work/world.ts'
import { v2 } from '../formulas/files.ts'
import { type Beads, close, openRuns, recipeFor, startRecipe, stepOf } from './graph.ts'

const CHECKED = v2(`
[[steps]]
id = "work"
title = "Work"
[steps.check]
max_attempts = 2
[steps.check.check]
path = "check.sh"
timeout = "20s"
[[steps]]
id = "done"
title = "Done"
needs = ["work"]
`)

function writeScript(work: Work, text = '#!/bin/sh\nexit 0\n') {
  const file = join(work.town.path, 'check.sh')
  writeFileSync(file, text)
  chmodSync(file, 0o755)
}

/** A run whose step is checked, as soon as it was worked on. */
async function checkedRun(work: Work): Promise<Beads> {
  writeScript(work)
  const run = await startRecipe(work, recipeFor('f', { f: CHECKED }))
  await close(work, run['work.iteration.1'])
  await settled(work)
  return run
}

/** Resolves when what follows from the end of a check is there. */
async function settled(work: Work): Promise<void> {
  await work.settled()
  await work.checkRunner.whenIdle()
  await work.settled()
}

const running = (work: Work): string[] => work.host.running.filter((key) => key.includes(':check/'))
const metadataOf = (work: Work, id = '') => work.beadRepository.get(id).metadata ?? {}

describe('a check', () => {
  test('runs its script with this environment only, and passes with exit status 0', async () => {
    await using work = await openRuns()
    const run = await checkedRun(work)
    const [key = ''] = running(work)
    const start = work.host.starts.find((each) => each.key === key)
    expect(start).toMatchObject({ kind: 'command', argv: [join(work.town.path, 'check.sh')], cwd: work.town.path })
    expect(start?.env).toMatchObject({
      ...{ GC_BEAD_ID: run['work.iteration.1'], GC_ITERATION: '1', GC_MAX_ITERATIONS: '2', GC_WISP_ID: run.root },
      ...{ GC_CITY_PATH: work.town.path, GC_WORK_DIR: work.town.path, GC_STORE_PATH: work.town.path },
      HOME: work.town.path,
    })
    expect(
      Object.keys(start?.env ?? {}).filter((name) => !/^(GC_|PATH$|HOME$|TMPDIR$|BEADS_DIR$|GT_ROOT$)/.test(name)),
    ).toEqual([])
    work.recorded()
    await work.host.exit(key, 0, ['all good'])
    await settled(work)
    expect(work.recorded()).toEqual([`bead.updated ${run['work.iteration.1']}`, `bead.closed ${run.work}`])
    expect(metadataOf(work, run.work)).toMatchObject({
      ...{ 'gc.outcome': 'pass', 'gc.control_epoch': '1' },
      'gc.attempt_log': '[{"action":"close","attempt":"1","outcome":"pass"}]',
    })
    expect(metadataOf(work, run['work.iteration.1'])).toMatchObject({ 'gc.exit_code': '0', 'gc.stdout': 'all good' })
    expect(work.beads.ready().value.items.map(({ id }) => id)).toEqual([run.done ?? ''])
  })

  test('that fails begins another attempt, which is given what the script printed', async () => {
    await using work = await openRuns()
    const run = await checkedRun(work)
    await work.host.exit(running(work)[0] ?? '', 3, ['no <system> tests', 'at all'])
    await settled(work)
    const second = stepOf(work, run, 'work.iteration.2')
    expect(second.description).toContain('The check of attempt 1 failed (exit status 3)')
    expect(second.description).toContain('at all')
    await close(work, second.id)
    await settled(work)
    await work.host.exit(running(work)[0] ?? '', 1, ['two tests', 'no total\n\n'])
    await settled(work)
    expect(metadataOf(work, run.work)).toMatchObject({
      ...{ 'gc.outcome': 'fail', 'gc.failed_attempt': '2' },
      'gc.failure_reason': 'check failed: exit status 1; output: no total',
      'gc.attempt_log':
        '[{"action":"fail","attempt":"1","outcome":"fail"},{"action":"fail","attempt":"2","outcome":"fail"}]',
    })
  })

  test('is not run on an attempt that failed on its own', async () => {
    await using work = await openRuns()
    writeScript(work)
    const run = await startRecipe(work, recipeFor('f', { f: CHECKED }))
    await close(work, run['work.iteration.1'], 'fail')
    await settled(work)
    expect(running(work)).toEqual([])
    expect(stepOf(work, run, 'work.iteration.2').status).toBe('open')
  })

  test('that takes too long is ended and has failed', async () => {
    await using work = await openRuns()
    const run = await checkedRun(work)
    await work.clock.advance(21_000)
    await settled(work)
    expect(running(work)).toEqual([])
    expect(stepOf(work, run, 'work.iteration.2').description).toContain('timed out after 20 s')
  })

  test('is run again when its host was lost, and continues over a restart of the city', async () => {
    await using work = await openRuns()
    const run = await checkedRun(work)
    const [first = ''] = running(work)
    await work.host.lose(first)
    await settled(work)
    const [second = ''] = running(work)
    expect(second).not.toBe(first)
    await work.close({ endSessions: false })
    const city = await work.town.open()
    expect(running(work)).toEqual([second])
    await work.host.exit(second, 0)
    await city.checkRunner.whenIdle()
    expect(city.beadRepository.get(run.work ?? '').metadata?.['gc.outcome']).toBe('pass')
    await city.close({ endSessions: false })
  })

  test('is not begun while its city is suspended, reports it, and is begun when that is resumed', async () => {
    await using work = await openRuns()
    await work.status.change(human, { suspended: true })
    const run = await checkedRun(work)
    expect(running(work)).toEqual([])
    expect(work.runWaits.progress(run.root ?? '').waits_for).toBe(
      'The check of step "Work" is not run while the city is suspended.',
    )
    await work.status.change(human, { suspended: false })
    await settled(work)
    expect(running(work)).toHaveLength(1)
    await work.status.change(human, { suspended: true })
    expect(running(work)).toHaveLength(1)
  })

  test('is set aside immediately for a person when its script is missing', async () => {
    await using work = await openRuns()
    const run = await startRecipe(work, recipeFor('f', { f: CHECKED }))
    await close(work, run['work.iteration.1'])
    await settled(work)
    expect(work.beadRepository.get(run.work ?? '').labels).toEqual(['gc:control-quarantined'])
    expect(metadataOf(work, run.work)).toMatchObject({
      ...{ 'gc.outcome': 'fail', 'gc.failure_reason': 'control_dispatch_error', 'gc.failure_class': 'hard' },
      'gc.control_quarantine_reason': 'the script of the check is not there: check.sh',
    })
    const item = () => work.attention.list().items.find(({ kind }) => kind === 'run')
    expect(item()?.asks).toContain('the script of the check is not there: check.sh')
    await work.beads.update(human, run.work ?? '', { remove_labels: ['gc:control-quarantined'] })
    expect(item()).toBeUndefined()
  })

  test('is ended when its run is canceled', async () => {
    await using work = await openRuns()
    const run = await checkedRun(work)
    expect(running(work)).toHaveLength(1)
    await work.runs.cancel(human, run.root ?? '')
    await settled(work)
    expect(running(work)).toEqual([])
    expect(work.runs.get(run.root ?? '').status).toBe('canceled')
  })
})

test('a check of a group runs on all that its children left, and the next round makes them again', async () => {
  await using work = await openRuns()
  writeScript(work)
  mkdirSync(join(work.town.path, 'x'), { recursive: true })
  const children = 'title = "Group"\n[steps.check]\nmax_attempts = 2\n[steps.check.check]\npath = "check.sh"\n'
  const own =
    '[[steps.children]]\nid = "write"\ntitle = "Write"\n[[steps.children]]\nid = "proof"\ntitle = "Proof"\nneeds = ["write"]\n'
  const run = await startRecipe(work, recipeFor('f', { f: v2(`[[steps]]\nid = "grp"\n${children}${own}`) }))
  for (const step of ['write', 'proof']) await close(work, run[`grp.iteration.1.${step}`])
  await settled(work)
  await work.host.exit(running(work)[0] ?? '', 1)
  await settled(work)
  for (const step of ['write', 'proof']) await close(work, stepOf(work, run, `grp.iteration.2.${step}`).id)
  await settled(work)
  await work.host.exit(running(work)[0] ?? '', 0)
  await settled(work)
  expect(work.runs.get(run.root ?? '').status).toBe('completed')
})
