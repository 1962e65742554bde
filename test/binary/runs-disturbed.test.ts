import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { register } from '../api/town.ts'
import { runGc } from '../support/run-gc.ts'
import { eventually } from '../support/until.ts'
import { type TestCity, World } from '../support/world.ts'

const GRAPH = '[requires]\nformula_compiler = ">=2.0.0"\n'
const LINE = `formula = "line"\n${GRAPH}[[steps]]\nid = "do"\ntitle = "Do it"\nretry = { max_attempts = 2 }\n`
const CHECKED = `formula = "checked"\n${GRAPH}[vars.script]\nrequired = true\n[vars.note]\ndefault = ""
[[steps]]\nid = "do"\ntitle = "Do it"\nmetadata = { note = "{{note}}" }
[steps.check]\nmax_attempts = 1\n[steps.check.check]\npath = "{{script}}"\ntimeout = "1s"\n`

let world: World
let city: TestCity

beforeAll(async () => {
  world = await World.open()
  const agent = (name: string) => `[[agent]]\nname = "${name}"\nstart_command = "true"\nsuspended = true\n`
  city = await register(world, 'mill', `${agent('clerk')}${agent('hand')}default_sling_formula = "line"\n`)
  mkdirSync(join(city.path, 'formulas'))
  for (const [name, text] of Object.entries({ line: LINE, checked: CHECKED })) declare(name, text)
}, 30_000)
afterAll(() => world[Symbol.asyncDispose]())

const declare = (name: string, text: string) => writeFileSync(join(city.path, 'formulas', `${name}.toml`), text)
const gc = (...args: string[]) => runGc(world, ...args, '--city', 'mill')

function writeScript(name: string, text: string): void {
  const file = join(city.path, name)
  writeFileSync(file, `#!/bin/sh\n${text}\n`)
  chmodSync(file, 0o755)
}

interface Member {
  id: string
  title: string
  status: string
  metadata?: Record<string, string>
}

const membersOf = async (root: string): Promise<Member[]> =>
  (await city.call(`GET ~/beads/graph/${root}/beads`)).body.items

async function runsOf(formula: string): Promise<number> {
  const { body } = await city.call('GET ~/runs?limit=200')
  return body.runs.filter((run: { formula: string }) => run.formula === formula).length
}

/** Closes the step of a run that is ready next, as its worker would. */
async function close(root: string, outcome: string): Promise<void> {
  const ready = async (): Promise<Member | undefined> => {
    const { body } = await city.call('GET ~/beads/ready')
    return body.items.find(({ metadata }: Member) => metadata?.['gc.root_bead_id'] === root)
  }
  const step = await eventually('a step is ready', 10_000, ready, (found) => found !== undefined)
  const result = { 'gc.outcome': outcome, ...(outcome === 'fail' && { 'gc.failure_class': 'transient' }) }
  await city.call(`POST ~/bead/${step?.id}/update`, { body: { status: 'closed', metadata: result } })
}

interface Run {
  status: string
  last_error?: { message: string }
}

const isOver = ({ status }: Run): boolean => ['completed', 'failed'].includes(status)

/** Outcome of a run. */
async function ended(root: string): Promise<Run> {
  const read = async (): Promise<Run> => (await city.call(`GET ~/runs/${root}`)).body
  return await eventually('the run is over', 30_000, read, isOver)
}

/** Starts a run of `checked`, works on its step, and waits for what its check says. */
async function check(vars: Record<string, string>) {
  const { body } = await city.call('POST ~/sling', { body: { target: 'clerk', formula: 'checked', vars } })
  await close(body.root_bead_id, 'pass')
  const run = await ended(body.root_bead_id)
  return { root: String(body.root_bead_id), status: run.status, message: run.last_error?.message }
}

describe('two slings of the same at the same time', () => {
  test('by two commands, of a formula for a bead, begin one run, and the other command ends with 3', async () => {
    for (let round = 0; round < 3; round++) {
      const before = await runsOf('line')
      const { id } = (await city.call('POST ~/beads', { body: { title: 'oil' } })).body
      const slings = await Promise.all([1, 2].map(() => gc('sling', 'clerk', id, '--on', 'line')))
      expect(slings.map(({ status }) => status).sort()).toEqual([0, 3])
      expect(slings.map(({ err }) => err).join('')).toContain(id)
      expect(await runsOf('line')).toBe(before + 1)
    }
  }, 60_000)

  test('of a text, with the same Idempotency-Key, make one bead and begin one run for it', async () => {
    const before = await runsOf('line')
    const headers = { 'Idempotency-Key': 'once' }
    const sling = () => city.call('POST ~/sling/text', { body: { target: 'hand', title: 'oil' }, headers })
    const answers = [...(await Promise.all([sling(), sling()])), await sling()]
    expect(answers.filter(({ status }) => ![200, 409].includes(status))).toEqual([])
    const beads = answers.flatMap(({ status, body }) => (status === 200 ? [body.bead] : []))
    expect(new Set(beads).size).toBe(1)
    expect(answers.at(-1)?.body.bead).toBe(beads[0])
    expect(await runsOf('line')).toBe(before + 1)
  })
})

test.each([
  ['changed', () => declare('line', LINE.replaceAll('Do it', 'Do something else'))],
  ['broken', () => declare('line', 'formula = ')],
  ['deleted', () => rmSync(join(city.path, 'formulas/line.toml'))],
])('a run goes on with what it was compiled from when its formula is %s meanwhile', async (_, change) => {
  declare('line', LINE)
  const { body } = await city.call('POST ~/sling', { body: { target: 'clerk', formula: 'line' } })
  change()
  await close(body.root_bead_id, 'fail')
  await close(body.root_bead_id, 'pass')
  expect((await ended(body.root_bead_id)).status).toBe('completed')
  const attempts = (await membersOf(body.root_bead_id)).filter(({ metadata }) => metadata?.['gc.attempt'])
  expect(attempts.map(({ title }) => title)).toEqual(['Do it', 'Do it'])
})

describe('the variables of a formula', () => {
  const value = `$(touch pwned) \`touch pwned\`; touch pwned\n'"&& touch pwned`

  test('are never read by a shell on their way to the check that they name', async () => {
    writeScript(`${value.replaceAll('/', '')}.sh`, 'echo "$# arguments"')
    const { status, root } = await check({ script: `${value}.sh`, note: value })
    expect(status).toBe('completed')
    const iteration = (await membersOf(root)).find(({ metadata }) => metadata?.['gc.stdout'] !== undefined)
    expect(iteration?.metadata).toMatchObject({ 'gc.stdout': '0 arguments', note: value })
    expect(existsSync(join(city.path, 'pwned'))).toBe(false)
  })

  test.each([
    ['check.sh; touch pwned', 'the script of the check is not there: check.sh; touch pwned'],
    ['check.sh --force', 'the script of the check is not there: check.sh --force'],
    ['/bin/true', 'the script of the check lies outside of the city'],
    ['../../../../../../../../bin/true', 'the script of the check lies outside of the city'],
  ])('name no other program: %s', async (script, sentence) => {
    writeScript('check.sh', 'exit 0')
    const { status, message } = await check({ script })
    expect(status).toBe('failed')
    expect(message).toContain(sentence)
    expect(existsSync(join(city.path, 'pwned'))).toBe(false)
  })
})

/** True if the process of a number is there and continues. */
const isAlive = (pid: string): boolean =>
  existsSync(`/proc/${pid}/stat`) && !readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ')

describe('a check leaves no process', () => {
  const NOTE = 'note() { echo $1 >> "$GC_STORE_PATH/$GC_BEAD_ID.pids"; }\nnote $$\n'

  test.each([
    ['that hangs', 'trap "" TERM INT HUP\nwhile :; do sleep 100 & note $!; wait; done', 'failed'],
    ['that prints without end', 'yes & note $!\nwait', 'failed'],
    ['that reads its input and opens a terminal', 'cat\n(: < /dev/tty) || exit 0\nexit 1', 'completed'],
    [
      'that passes and leaves daemons behind',
      `(setsid sh -c 'echo $$ >> "$GC_STORE_PATH/$GC_BEAD_ID.pids"; trap "" TERM; exec sleep 100' &) </dev/null >/dev/null 2>&1
       nohup sleep 100 >/dev/null 2>&1 & note $!
       while [ $(wc -l < "$GC_STORE_PATH/$GC_BEAD_ID.pids") -lt 3 ]; do sleep 0.01; done`,
      'completed',
    ],
    [
      'that forks and forks',
      "f() { note $(exec sh -c 'echo $PPID'); [ $1 -gt 5 ] || { f $(($1 + 1)) & f $(($1 + 1)) & }; sleep 100; }\nf 0",
      'failed',
    ],
  ])(
    '%s',
    async (name, script, expected) => {
      const file = `${name.replaceAll(' ', '-')}.sh`
      writeScript(file, NOTE + script)
      const { status, root } = await check({ script: file })
      expect(status).toBe(expected)
      const [iteration] = (await membersOf(root)).filter(({ metadata }) => metadata?.['gc.attempt'])
      const started = readFileSync(join(city.path, `${iteration?.id}.pids`), 'utf8')
        .trim()
        .split('\n')
      const alive = async () => started.filter(isAlive)
      await eventually('its processes are gone', 10_000, alive, (left) => left.length === 0)
    },
    60_000,
  )
})
