import { expect, test } from 'bun:test'
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Work } from '../../work/world.ts'
import { v2 } from '../formulas/files.ts'
import { close, openRuns, recipeFor, standing, startRecipe, stepOf } from './graph.ts'

/** A step of these children, which are checked together. */
const group = (children: string) =>
  v2(`[[steps]]
id = "grp"
title = "Group"
[steps.check]
max_attempts = 2
[steps.check.check]
path = "check.sh"
${children}`)

const child = (id: string, more: string) => `[[steps.children]]\nid = "${id}"\ntitle = "${id}"\n${more}\n`
const RETRY = '[steps.children.retry]\nmax_attempts = 2'
const FAN =
  '[steps.children.on_complete]\nfor_each = "output.items"\nbond = "job"\nparallel = true\n[steps.children.on_complete.vars]\nname = "{item}"'
const JOB = `formula = "job"\ntype = "expansion"\n[requires]\nformula_compiler = ">=2.0.0"\n[[template]]\nid = "{target}.do"\ntitle = "Do"\n`

async function start(children: string) {
  const work = await openRuns()
  const script = join(work.town.path, 'check.sh')
  writeFileSync(script, '#!/bin/sh\n')
  chmodSync(script, 0o755)
  const run = await startRecipe(work, recipeFor('f', { f: group(children), job: JOB }))
  await work.settled()
  return { work, run, has: (ref: string) => standing(work, run)[`grp.iteration.1.${ref}`] }
}

const isChecked = (work: Work): boolean => work.host.running.some((key) => key.includes(':check/'))
const transient = { 'gc.failure_class': 'transient', 'gc.failure_reason': 'timeout' }

test('a member of a round that waits for another is tried again as often as it says', async () => {
  const { work, run, has } = await start(child('write', '') + child('proof', `needs = ["write"]\n${RETRY}`))
  await using _ = work
  await close(work, run['grp.iteration.1.write'])
  await close(work, run['grp.iteration.1.proof.attempt.1'], 'fail', transient)
  expect(has('proof.attempt.2')).toBe('open')
})

test('a member of a round that is skipped takes its attempts, its gate and its fan-out along', async () => {
  const { work, run, has } = await start(
    child('write', '') +
      child('proof', RETRY) +
      child('read', '[steps.children.gate]\ntype = "human"') +
      child('list', FAN),
  )
  await using _ = work
  await close(work, run['grp.iteration.1.write'], 'fail')
  for (const ref of ['proof', 'proof.attempt.1', 'gate-read', 'read', 'list', 'list-fanout']) {
    expect([ref, has(ref)]).toEqual([ref, 'closed skipped'])
  }
})

test('a round is checked once the fan-outs of its members are over', async () => {
  const { work, run } = await start(child('list', FAN))
  await using _ = work
  await close(work, run['grp.iteration.1.list'], 'pass', { 'gc.output_json': '{"items":["a"]}' })
  expect(isChecked(work)).toBe(false)
  const item = work.beads.ready().value.items.map(({ id }) => id)
  await close(work, item[0])
  await work.checkRunner.whenIdle()
  expect(isChecked(work)).toBe(true)
})

test('a step with parts that are tried again is done with the last of them, whatever came of an attempt', async () => {
  await using work = await openRuns()
  const parent = v2(`[[steps]]\nid = "p"\ntitle = "P"\n${child('write', RETRY)}${child('proof', 'needs = ["write"]')}`)
  const run = await startRecipe(work, recipeFor('f', { f: parent }))
  await close(work, run['p.write.attempt.1'], 'fail', transient)
  await close(work, stepOf(work, run, 'p.write.attempt.2').id)
  await close(work, run['p.proof'])
  expect(standing(work, run)).toMatchObject({ p: 'closed pass', root: 'closed pass' })
})
