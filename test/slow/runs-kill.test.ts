import { expect, test } from 'bun:test'
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { register } from '../api/town.ts'
import { SEED } from '../support/seed.ts'
import { eventually } from '../support/until.ts'
import { type TestCity, World } from '../support/world.ts'

const KILLS = Number(process.env.GC_KILLS ?? 12)

const TOML = '[[agent]]\nname = "clerk"\nstart_command = "true"\nmax_active_sessions = 3\nsuspended = true\n'
const REQUIRES = '[requires]\nformula_compiler = ">=2.0.0"\n'
const checkBy = (script: string) =>
  `[steps.check]\nmax_attempts = 2\n[steps.check.check]\npath = "${script}"\ntimeout = "200s"\n`

const FORMULAS = {
  main: `formula = "main"\n${REQUIRES}
[[steps]]
id = "flaky"
title = "Flaky"
[steps.retry]
max_attempts = 2
[[steps]]
id = "work"
title = "Work"
${checkBy('check.sh')}
[[steps]]
id = "survey"
title = "Survey"
[steps.on_complete]
for_each = "output.items"
bond = "job"
parallel = true
[steps.on_complete.vars]
name = "{item.name}"
[[steps]]
id = "after"
title = "After"
needs = ["flaky", "work", "survey"]
`,
  job: `formula = "job"\ntype = "expansion"\n${REQUIRES}[vars.name]\ndefault = "x"\n[[template]]\nid = "{target}.do"\ntitle = "Do {name}"\n`,
  side: `formula = "side"\n${REQUIRES}[[steps]]\nid = "stuck"\ntitle = "Stuck"\n${checkBy('hang.sh')}`,
}

interface Step {
  id: string
  status: string
  metadata: Record<string, string>
}

/** Numbers from 0 to 1, the same for the same seed. */
function randomFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
}

/** Calls until it is done, or done before: the supervisor may be away, or its city not loaded yet. */
async function insist(city: TestCity, operation: string, body?: unknown) {
  for (;;) {
    const response = await city.call(operation, { ...(body !== undefined && { body }) }).catch(() => undefined)
    if (response && (response.status < 300 || response.status === 409)) return response
    await Bun.sleep(20)
  }
}

async function startRun(city: TestCity, formula: string): Promise<string> {
  const { status, body } = await city.call('POST ~/sling', { body: { target: 'clerk', formula } })
  if (status !== 200) throw new Error(JSON.stringify(body))
  return body.root_bead_id ?? body.workflow_id
}

async function membersOf(city: TestCity, root: string): Promise<Step[]> {
  const { body } = await insist(city, 'GET ~/beads?limit=1000&all=true')
  const beads: Step[] = body.items
  return beads.filter(({ id, metadata }) => id === root || metadata?.['gc.root_bead_id'] === root)
}

/** What a worker leaves on a step. */
function resultOf({ metadata }: Step): Record<string, string> {
  const ref = metadata['gc.step_ref'] ?? ''
  if (ref.endsWith('flaky.attempt.1'))
    return { 'gc.outcome': 'fail', 'gc.failure_class': 'transient', 'gc.failure_reason': 'timeout' }
  const items = ['x', 'y', 'z'].map((name) => ({ name }))
  return { 'gc.outcome': 'pass', ...(ref.endsWith('survey') && { 'gc.output_json': JSON.stringify({ items }) }) }
}

/** Claims and closes what is ready, until both runs are over. */
async function workOn(city: TestCity, roots: { main: string; side: string }, hang: string): Promise<void> {
  const statusOf = async (root: string) => String((await insist(city, `GET ~/runs/${root}`)).body.status)
  const isOver = (status: string) => status === 'completed' || status === 'failed' || status === 'canceled'
  const step = async () => {
    const { body } = await insist(city, 'GET ~/beads/ready')
    const [next]: Step[] = body.items ?? []
    if (next) {
      await insist(city, `POST ~/bead/${next.id}/update`, { status: 'in_progress' })
      await insist(city, `POST ~/bead/${next.id}/update`, { status: 'closed', metadata: resultOf(next) })
    }
    if (existsSync(hang)) await insist(city, `POST ~/runs/${roots.side}/cancel`)
    return [await statusOf(roots.main), await statusOf(roots.side)]
  }
  await eventually('both runs over', 30_000, step, (statuses) => statuses.every(isOver))
}

/** The steps of a run and how they stand, by their refs; no ids, which differ from run to run. */
async function pictureOf(city: TestCity, root: string): Promise<string[]> {
  const { body: run } = await insist(city, `GET ~/runs/${root}`)
  const members = await membersOf(city, root)
  const lines = members.map(({ status, metadata }) => {
    const attempt = metadata['gc.attempt'] ?? '-'
    return `${metadata['gc.step_ref'] ?? 'root'} ${attempt} ${status} ${metadata['gc.outcome'] ?? '-'} ${metadata['gc.attempt_log'] ?? ''}`
  })
  return [`run ${run.status}`, ...lines.sort()]
}

const isAlive = (pid: string): boolean =>
  existsSync(`/proc/${pid}/stat`) && !readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ')

test(
  `runs end as undisturbed ones do over ${KILLS} kills of the supervisor, with every step there once`,
  async () => {
    await using world = await World.open()
    const city = await register(world, 'mill', TOML)
    mkdirSync(`${city.path}/formulas`)
    for (const [name, text] of Object.entries(FORMULAS)) writeFileSync(`${city.path}/formulas/${name}.toml`, text)
    const [pids, hang] = [`${city.path}/pids`, `${city.path}/hang`]
    const scripts = {
      'check.sh': `#!/bin/sh\necho $$ >> ${pids}\nsleep 0.3\n[ "$GC_ITERATION" = 2 ]\n`,
      'hang.sh': `#!/bin/sh\necho $$ >> ${pids}\ntouch ${hang}\nsleep 300 &\necho $! >> ${pids}\nwait\n`,
    }
    for (const [name, text] of Object.entries(scripts)) {
      writeFileSync(`${city.path}/${name}`, text)
      chmodSync(`${city.path}/${name}`, 0o755)
    }
    const begin = async () => {
      await Bun.file(hang)
        .delete()
        .catch(() => {})
      return { main: await startRun(city, 'main'), side: await startRun(city, 'side') }
    }
    const twin = await begin()
    await workOn(city, twin, hang)
    const expected = { main: await pictureOf(city, twin.main), side: await pictureOf(city, twin.side) }
    expect([expected.main[0], expected.side[0]]).toEqual(['run completed', 'run canceled'])
    expect(expected.main.filter((line) => /\.(attempt|iteration)\.2 /.test(line))).toHaveLength(2)
    expect(expected.main.filter((line) => line.startsWith('job.'))).toHaveLength(3)

    const random = randomFrom(SEED)
    let kills = 0
    while (kills < KILLS) {
      const roots = await begin()
      let isOver = false
      const work = workOn(city, roots, hang).finally(() => {
        isOver = true
      })
      while (!isOver && kills < KILLS) {
        await Promise.race([Bun.sleep(20 + random() * 400), work])
        if (isOver) break
        await world.kill()
        kills++
        await world.start()
      }
      await work
      expect({ main: await pictureOf(city, roots.main), side: await pictureOf(city, roots.side) }).toEqual(expected)
    }
    const started = readFileSync(pids, 'utf8').trim().split('\n')
    await eventually(
      'no process of a check is left',
      5_000,
      async () => started.filter(isAlive),
      (left) => left.length === 0,
    )
  },
  60_000 + KILLS * 5_000,
)
