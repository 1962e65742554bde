import { describe, expect, test } from 'bun:test'
import { human, openWork } from '../../work/world.ts'
import { close, openRuns, recipeFor, startRecipe, startRun } from '../engine/graph.ts'
import { extended, steps, v2 } from '../formulas/files.ts'

describe('the timeline of a run', () => {
  test('has every state of every step, with who brought it about', async () => {
    await using work = await openRuns()
    const run = await startRun(work, 'line', { plan: {}, build: { needs: ['plan'] } }, ['build'])
    const { root = '', plan = '' } = run
    const session = await work.lentSession('lent')
    await work.claims.claim(work.caller(session.id), plan)
    await work.clock.advance(30_000)
    await work.beads.close(work.caller(session.id), plan)
    await work.settled()
    const { states, steps: listed, ...rest } = work.runTimelines.read(root, {})
    expect(rest).toMatchObject({ run_id: root, status: 'active', later_attempts: 0 })
    expect(states.map(({ status }) => status)).toEqual(['pending', 'active'])
    const step = listed.find(({ bead_id }) => bead_id === plan)
    expect(step).toMatchObject({ ref: 'line.plan', title: 'plan', kind: 'task', sessions: [session.id], seconds: 30 })
    expect(step?.states.map(({ status, by }) => [status, by])).toEqual([
      ['pending', 'gc'],
      ['active', 'lent'],
      ['completed', 'lent'],
    ])
  })

  test('says that a person paused, resumed and retried it, and why', async () => {
    await using work = await openRuns()
    const run = await startRun(work, 'line', { plan: {} }, ['plan'])
    const { root = '', plan } = run
    await work.runControls.pause(human, root, { reason: 'lunch' })
    await work.runControls.resume(human, root)
    await close(work, plan, 'fail')
    await work.runRestarts.retry(human, root, { reason: 'again' })
    await work.settled()
    const { states, steps: listed } = work.runTimelines.read(root, {})
    const said = states.map(({ status, reason }) => (reason ? `${status}: ${reason}` : status))
    expect(said).toContain('paused: lunch')
    expect(said).toContain('retried: again')
    expect(said.at(-1)).toBe('active')
    expect(listed[0]?.states.map(({ status }) => status)).toEqual(['pending', 'failed', 'pending'])
  })

  test('comes in pages, and rejects a cursor that is none', async () => {
    await using work = await openRuns()
    const names = ['a', 'b', 'c', 'd', 'e']
    const { root = '' } = await startRun(work, 'line', Object.fromEntries(names.map((name) => [name, {}])), names)
    const first = work.runTimelines.read(root, { limit: 4 })
    const second = work.runTimelines.read(root, { limit: 4, cursor: first.next_cursor ?? '' })
    expect([...first.steps, ...second.steps].map(({ title }) => title)).toEqual([...names, 'workflow-finalize'])
    expect(second.next_cursor).toBeUndefined()
    expect(() => work.runTimelines.read(root, { cursor: 'x' })).toThrow('next_cursor')
    expect(() => work.runTimelines.read('mi-99', {})).toThrow('does not exist')
  })

  test('shows the steps of a molecule as well', async () => {
    await using work = await openRuns()
    const { id } = await work.add({ title: 'm', type: 'molecule' })
    await work.add({ title: 'one', type: 'step', parent: id })
    await work.settled()
    expect(work.runTimelines.read(id, {}).steps.map(({ title }) => title)).toEqual(['one'])
  })
})

describe('the wait of a run', () => {
  const waits = (work: Awaited<ReturnType<typeof openRuns>>, root = '') => work.runWaits.progress(root)

  test('is that somebody takes a step, then that it is done', async () => {
    await using work = await openRuns()
    const { root = '', plan = '' } = await startRun(work, 'line', { plan: {} }, ['plan'])
    expect(waits(work, root)).toMatchObject({ waits_for: 'Step "plan" waits for a session of clerk to take it.' })
    await work.beads.update(human, plan, { status: 'in_progress' })
    expect(waits(work, root)).toMatchObject({ waits_for: 'Somebody works on step "plan".' })
    await close(work, plan)
    expect(waits(work, root)).toEqual({ run_id: root, status: 'completed', waits: [] })
  })

  test('says what keeps its agent from taking a step: a suspension, or starts that failed', async () => {
    await using work = await openWork({
      toml: '[[agent]]\nname = "clerk"\nstart_command = "true"\n[[agent]]\nname = "idle"\nstart_command = "true"\nsuspended = true\n',
    })
    const wait = async (agent: string) => {
      const step = { metadata: { 'gc.routed_to': agent } }
      const { root = '' } = await startRun(work, 'line', { plan: step }, ['plan'])
      return () => waits(work, root).waits_for
    }
    const idle = await wait('idle')
    expect(idle()).toBe(
      'Step "plan" waits for a session of idle to take it: agent idle is suspended; gc agent resume idle.',
    )
    await work.status.change(human, { suspended: true })
    expect(idle()).toBe('Step "plan" waits for a session of idle to take it: the city is suspended; gc city resume.')
    await work.status.change(human, { suspended: false })
    const failing = await wait('clerk')
    for (let start = 0; start < 3; start++) {
      await work.reconciler.settle()
      await work.host.exit(work.host.running[0] ?? '', 1)
      await work.clock.advance(20_000)
    }
    expect(failing()).toContain('waits for a session of clerk to take it: its last')
  })

  test('is anyone who paused it', async () => {
    await using work = await openRuns()
    const { root = '' } = await startRun(work, 'line', { plan: {} }, ['plan'])
    await work.runControls.pause(human, root, { reason: 'lunch' })
    expect(waits(work, root).waits).toMatchObject([
      { kind: 'paused', text: `It is paused by a person (lunch): gc run resume ${root}.` },
    ])
  })

  test('is a gate, and until when when that is known', async () => {
    await using work = await openRuns()
    const gate = (title: string, metadata: Record<string, string>) => ({ type: 'gate', title, metadata })
    const { root = '', ask } = await startRun(
      work,
      'line',
      {
        ask: gate('May we?', { await_type: 'human' }),
        later: gate('Tomorrow', { await_type: 'timer', timeout: '60000' }),
        pr: gate('Merged', { await_type: 'gh:pr', await_id: '7' }),
      },
      ['ask', 'later', 'pr'],
    )
    await work.settled()
    const { status, waits: all } = waits(work, root)
    expect(status).toBe('waiting')
    expect(all.map(({ text }) => text).sort()).toEqual([
      `Gate ${ask} ("May we?") waits for a person: bd gate resolve ${ask}.`,
      expect.stringContaining('opens automatically at'),
      expect.stringContaining('waits for the pull request 7 at GitHub'),
    ])
    expect(all.find(({ until }) => until !== undefined)?.text).toContain('opens automatically')
  })

  test('is what a person does about a step whose failure blocks, which is listed for people as well', async () => {
    await using work = await openRuns()
    const formula = extended(`${steps('a')}block_on_failure = true\n${steps('b<a')}`)
    const run = await startRecipe(work, recipeFor('f', { f: formula }))
    const { root = '' } = run
    await close(work, run.a, 'fail')
    const way = `gc run retry ${root} --step f.a, or gc run skip ${root} f.a --reason <why>`
    expect(waits(work, root).waits_for).toBe(`Step "a" failed, and what needs it waits for a person: ${way}.`)
    await work.clock.advance(1_000)
    const listed = () => work.attention.list().items.filter(({ kind }) => kind === 'run')
    expect(listed()).toMatchObject([{ to_do: way }])
    await work.runRestarts.retry(human, root, { step: 'a' })
    await work.settled()
    await work.clock.advance(1_000)
    expect(listed()).toEqual([])
  })

  test('is an agent that the city does not have, which is listed for people within a second', async () => {
    await using work = await openWork()
    const { root = '' } = await startRun(work, 'line', { plan: { metadata: { 'gc.routed_to': 'nobody' } } }, ['plan'])
    await work.settled()
    expect(waits(work, root).waits_for).toContain('which is not an agent of the city')
    await work.clock.advance(1_000)
    expect(work.attention.list().items).toContainEqual(
      expect.objectContaining({ kind: 'unknown-agent', agent: 'nobody' }),
    )
  })
})

test('a run of plain steps is never unknown once it has begun', async () => {
  await using work = await openRuns()
  const run = await startRecipe(work, recipeFor('f', { f: v2(steps('a')) }))
  expect(work.runs.get(run.root ?? '').status).toBe('pending')
  expect(work.runWaits.progress(run.root ?? '').status).toBe('pending')
})
