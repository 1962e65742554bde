import { describe, expect, test } from 'bun:test'
import type { Question } from '../../../src/host/protocol/question.ts'
import { human, type Work } from '../../work/world.ts'
import { v2 } from '../formulas/files.ts'
import { close, openRuns, outcomeOf, recipeFor, startRecipe, stepOf } from './graph.ts'

const LIMITED = (more = '') =>
  v2(`[[steps]]
id = "work"
title = "Work"
timeout = "10m"
[steps.check]
max_attempts = 2
[steps.check.check]
path = "check.sh"
${more}`)
const CHILDREN = ['write', 'proof'].map((id) => `[[steps.children]]\nid = "${id}"\ntitle = "${id}"\n`).join('')
const MINUTE = 60_000

const begin = (work: Work, id = '') => work.beads.update(human, id, { status: 'in_progress' })

describe('an attempt with a timeout', () => {
  test('fails when it takes longer, and another begins', async () => {
    await using work = await openRuns()
    const run = await startRecipe(work, recipeFor('f', { f: LIMITED() }))
    const first = run['work.iteration.1'] ?? ''
    await work.clock.advance(20 * MINUTE)
    await begin(work, first)
    await work.settled()
    await work.clock.advance(9 * MINUTE)
    expect(work.beadRepository.get(first).status).toBe('in_progress')
    work.recorded()
    await work.clock.advance(2 * MINUTE)
    await work.settled()
    expect(work.recorded()).toEqual([
      `bead.closed ${first}`,
      `bead.created ${stepOf(work, run, 'work.iteration.2').id}`,
      `bead.updated ${run.work}`,
      `bead.updated ${run.work}`,
    ])
    expect(work.beadRepository.get(first).metadata).toMatchObject({
      ...{ 'gc.outcome': 'fail', 'gc.failure_class': 'transient', 'gc.failure_reason': 'step_timeout' },
      close_reason: 'it took longer than 10m, the timeout of its step',
    })
    expect(stepOf(work, run, 'work.iteration.2').status).toBe('open')
  })

  test('has its time over a restart of the city, also when that ends while the city is closed', async () => {
    await using work = await openRuns()
    const run = await startRecipe(work, recipeFor('f', { f: LIMITED() }))
    const first = run['work.iteration.1'] ?? ''
    await begin(work, first)
    await work.settled()
    await work.close({ endSessions: false })
    await work.clock.advance(11 * MINUTE)
    const city = await work.town.open()
    await work.clock.advance(1000)
    await city.store.write(() => {})
    await city.reactions.whenIdle()
    expect(city.beadRepository.get(first).metadata?.['gc.failure_reason']).toBe('step_timeout')
    await city.close({ endSessions: false })
  })

  test('that is closed in time, or whose step has no timeout, is left alone', async () => {
    await using work = await openRuns()
    const run = await startRecipe(work, recipeFor('f', { f: LIMITED().replace('timeout = "10m"\n', '') }))
    const limited = await startRecipe(work, recipeFor('f', { f: LIMITED() }))
    await begin(work, run['work.iteration.1'])
    await begin(work, limited['work.iteration.1'])
    await close(work, limited['work.iteration.1'], 'fail')
    await work.clock.advance(60 * MINUTE)
    await work.settled()
    expect(work.beadRepository.get(run['work.iteration.1'] ?? '').status).toBe('in_progress')
    expect(stepOf(work, limited, 'work.iteration.2').status).toBe('open')
  })

  test('has its time again while its session asks a person', async () => {
    await using work = await openRuns()
    const session = await work.session('ada')
    const run = await startRecipe(work, recipeFor('f', { f: LIMITED() }))
    const first = run['work.iteration.1'] ?? ''
    await work.claims.claim(work.caller(session.id), first)
    await work.settled()
    const asking = {
      sessionId: session.id,
      hostKey: session.hostKey ?? '',
      by: 'agent' as const,
      beadId: first,
      folder: '/',
    }
    const question: Question = {
      ...{ id: 'q', kind: 'approval', prompt: 'May I?', text: '', cut: false, options: [], picture: [] },
      since: new Date(work.clock.now()).toISOString(),
    }
    await work.store.write((tx) => work.sessionServices.questions.raise(tx, asking, question))
    await work.clock.advance(11 * MINUTE)
    await work.settled()
    expect(work.beadRepository.get(first).status).toBe('in_progress')
    await work.store.write((tx) => {
      for (const { id } of work.sessionServices.questions.open()) work.sessionServices.questions.end(tx, id)
    })
    await work.clock.advance(8 * MINUTE)
    expect(work.beadRepository.get(first).status).toBe('in_progress')
    await work.clock.advance(3 * MINUTE)
    await work.settled()
    expect(work.beadRepository.get(first).metadata?.['gc.failure_reason']).toBe('step_timeout')
  })

  test('of several steps begins with the first of them, and skips what is open of it', async () => {
    await using work = await openRuns()
    const run = await startRecipe(work, recipeFor('f', { f: LIMITED(CHILDREN) }))
    await begin(work, run['work.iteration.1.write'])
    await work.settled()
    await work.clock.advance(11 * MINUTE)
    await work.settled()
    const standing = ['work.iteration.1', 'work.iteration.1.write', 'work.iteration.1.proof'].map((reference) =>
      outcomeOf(stepOf(work, run, reference)),
    )
    expect(standing).toEqual(['closed fail', 'closed skipped', 'closed skipped'])
    expect(stepOf(work, run, 'work.iteration.2.write').status).toBe('open')
  })

  test('fails its step behind the last, and says why', async () => {
    await using work = await openRuns()
    const run = await startRecipe(work, recipeFor('f', { f: LIMITED() }))
    for (const reference of ['work.iteration.1', 'work.iteration.2']) {
      await begin(work, stepOf(work, run, reference).id)
      await work.settled()
      await work.clock.advance(11 * MINUTE)
      await work.settled()
    }
    expect(work.runs.get(run.root ?? '')).toMatchObject({
      status: 'failed',
      last_error: { message: 'step "Work" failed: check failed: step_timeout' },
    })
  })
})
