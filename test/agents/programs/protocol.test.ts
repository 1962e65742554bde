import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { ATTEMPTS } from '../../programs/protocol/matrix.ts'
import type { Script } from './model-server.ts'
import { claude, codex, gemini, opencode, type Program, WORKED_MODES } from './programs.ts'
import { openTown, type TownEvent } from './town.ts'

setDefaultTimeout(180_000)

const protocol = (bead: string): string[] => [
  'gc hook --claim --json',
  `bd show ${bead} --json`,
  `bd update ${bead} --set-metadata gc.outcome=pass --append-notes "Looked; it's fine"`,
  `bd comment ${bead} 'All of it'`,
  `gc mail send human -s "About ${bead}" -m "Is that all?"`,
  'gc prime --json',
]

/** Takes a bead and works by the protocol of gc alone; then tries what is not in it. */
const worker =
  ({ shell }: Program, ...more: string[]): Script =>
  ({ results }) => {
    const bead = /\\?"bead_id\\?":\\?"([\w-]+)/.exec(results[0] ?? '')?.[1] ?? 'none'
    const line = [...protocol(bead), ...more][results.length]
    return line === undefined ? { text: 'Done.' } : shell(line)
  }

const agent = ({ provider }: Program, mode: string) => `
[[agent]]
name = "worker"
dir = "web"
provider = "${provider}"
${mode === '' ? '' : `option_defaults = { permission_mode = "${mode}" }`}
`

/** A town whose worker has a bead. */
async function atWork(program: Program, mode: string, ...more: string[]) {
  const town = await openTown(worker(program, ...more), '', program)
  await town.declare(agent(program, mode))
  const { id } = JSON.parse(await town.gc('bead', 'create', 'Look at it', '--rig', 'web', '--json'))
  await town.gc('sling', 'web/worker', id)
  /** Checks that the worker did all of it by the protocol. */
  const isWorked = async (events: readonly TownEvent[]) => {
    const bead = JSON.parse(await town.gc('bead', 'show', id, '--json'))
    expect(bead).toMatchObject({ id, status: 'in_progress', metadata: { 'gc.outcome': 'pass' } })
    expect(await town.gc('bead', 'comments', id)).toContain('All of it')
    expect(events.map(({ type }) => type)).toContain('mail.sent')
  }
  return { ...town, isWorked, [Symbol.asyncDispose]: () => town[Symbol.asyncDispose]() }
}

const isAsked = ({ type }: TownEvent) => type === 'session.asked'

/** OpenCode has no modes; it asks about all commands. */
const askingOpencode: Program = {
  ...opencode,
  env: (...place) => ({ ...opencode.env(...place), OPENCODE_PERMISSION: '{"bash":"ask"}' }),
}

const asking = [
  ...WORKED_MODES.asking.claude.map((mode) => ['claude', mode, claude] as const),
  ...WORKED_MODES.asking.gemini.map((mode) => ['gemini', mode, gemini] as const),
  ['opencode', '', askingOpencode] as const,
]

/** Claude with settings of its own in its command, which replace all others of the command line. */
const settledClaude: Program = { ...claude, args: ['--settings', '{"permissions":{"allow":["Bash(touch mine)"]}}'] }

test('claude with settings of its own works on a bead without a question, in the mode plan as well', async () => {
  await using town = await atWork(settledClaude, 'plan', 'touch mine', 'gc ready --json; touch smuggled')
  const events = await town.events(isAsked)
  expect(events.at(-1)?.payload.text).toContain('touch smuggled')
  await town.isWorked(events)
  expect(['mine', 'smuggled'].map((name) => existsSync(join(town.rig, name)))).toEqual([true, false])
})

describe.each(asking)('%s in the mode %s', (_, mode, program) => {
  test('works on a bead without a question, and asks about what is not of the protocol', async () => {
    await using town = await atWork(program, mode, 'gc ready --json; touch smuggled')
    const events = await town.events(isAsked)
    expect(events.at(-1)?.payload.text).toContain('touch smuggled')
    await town.isWorked(events)
    expect(existsSync(join(town.rig, 'smuggled'))).toBe(false)
  })
})

const silent = [
  ...WORKED_MODES.silent.claude.map((mode) => ['claude', mode, claude] as const),
  ...WORKED_MODES.silent.gemini.map((mode) => ['gemini', mode, gemini] as const),
]

test.each(silent)('%s in the mode %s works on a bead, and lets nothing else through', async (_, mode, program) => {
  const attempts = Object.values(ATTEMPTS).map((attempt) => attempt('gc ready'))
  await using town = await atWork(program, mode, ...attempts)
  await town.model.until(({ results }) => results.length === protocol('').length + attempts.length)
  const events = await town.events(({ type }) => type === 'mail.sent')
  await town.isWorked(events)
  expect(events.filter(isAsked)).toEqual([])
  expect(existsSync(join(town.rig, 'smuggled'))).toBe(false)
})

describe.each([...WORKED_MODES.sandboxed.codex])('codex in the mode %s', (mode) => {
  test('works on a bead from its sandbox without a question, and has everything else stay in it', async () => {
    const attempts = [
      'gc version; echo > /dev/tcp/127.0.0.1/9',
      'gc version $(echo > /dev/tcp/127.0.0.1/9)',
      'gc hook run -- confine -- make',
      'gc bead create title --file=/etc/hostname',
      'bd create title --body-file /etc/hostname',
    ]
    await using town = await atWork(codex, mode, ...attempts)
    const { results } = await town.model.until((request) => request.results.length === protocol('').length + 5)
    const outputs = results.slice(-5)
    // Outside of the sandbox the connection would be refused.
    for (const output of outputs.slice(0, 2)) expect(output).toContain('socket: Operation not permitted')
    for (const output of outputs.slice(2)) expect(output).toContain('without asking, and so not with these options')
    const events = await town.events(({ type }) => type === 'mail.sent')
    await town.isWorked(events)
    expect(events.filter(isAsked)).toEqual([])
  })
})
