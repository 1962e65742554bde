import { expect, test } from 'bun:test'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Command } from 'commander'
import { createBd } from '../../cli/bd/program.ts'
import { findCommand, findOption } from '../../cli/io/command-line.ts'
import { createProgram } from '../../cli/program.ts'
import { type CommandResult, gc, recorder } from './shell.ts'
import { openTown, type Town } from './town.ts'

const TABLE = readFileSync(join(import.meta.dir, 'pack-invocations.txt'), 'utf8')
const STATES = ['works', 'nothing', 'not-here', 'takes']

interface Invocation {
  state: string
  words: string[]
}

const invocations: Invocation[] = TABLE.split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))
  .map((line) => {
    const [state = '', ...words] = line.split(' ')
    return { state, words }
  })

/** A service that gc answers for itself. */
const SERVICE = '[[service]]\nname = "x"\nkind = "workflow"\n[service.workflow]\ncontract = "gc.healthz.v1"\n'

/** Values of the placeholders. */
async function fill(town: Town): Promise<Record<string, string>> {
  const bd = async (...args: string[]): Promise<string> => JSON.parse((await town.bd([...args, '--json'])).out).id
  await town.json(['agent', 'add', 'clerk', '--command', 'exec sleep 600', '--max', '9'])
  const [bead, other, epic] = [await bd('create', 'a'), await bd('create', 'b'), await bd('create', 'c', '-t', 'epic')]
  await bd('create', 'step', '--parent', epic)
  const gated = await bd('create', 'gated')
  mkdirSync(town.at('folder'))
  mkdirSync(join(town.city, 'formulas'), { recursive: true })
  const vapor = 'formula = "mol-patrol"\nphase = "vapor"\n[vars.a]\ndefault = ""\n[[steps]]\nid = "a"\ntitle = "A"\n'
  writeFileSync(join(town.city, 'formulas', 'mol-patrol.toml'), vapor)
  writeFileSync(
    join(town.city, 'formulas', 'mol-x.toml'),
    'formula = "mol-x"\nphase = "vapor"\n[vars.a]\ndefault = ""\n[[steps]]\nid = "a"\ntitle = "A"\n',
  )
  const cityToml = readFileSync(join(town.city, 'city.toml'), 'utf8')
  writeFileSync(
    join(town.city, 'city.toml'),
    `${cityToml.replace('"shop"', '"shop"\nformulas_dir = "shop/formulas"')}\n${SERVICE}`,
  )
  for (const folder of ['orders', 'shop/orders']) {
    mkdirSync(join(town.city, folder), { recursive: true })
    writeFileSync(join(town.city, folder, 'sweep.toml'), '[order]\ntrigger = "manual"\nexec = "true"\n')
  }
  mkdirSync(town.at('pack'))
  writeFileSync(town.at('pack', 'pack.toml'), '[pack]\nname = "fetched"\nschema = 2\n')
  writeFileSync(join(town.city, 'pack.toml'), '[pack]\nname = "town"\nschema = 2\n')
  writeFileSync(town.at('prompt.md'), 'Work.\n')
  const session = await town.json<{ session_name: string }>(['session', 'new', 'clerk', '--alias', 'first'])
  return {
    ...{ bead, other, epic, agent: 'clerk', rig: 'shop', prefix: 'sh', city: town.city },
    ...{ session: 'first', name: session.session_name, file: town.at('beads.jsonl'), copy: town.at('copy') },
    ...{ folder: town.at('folder'), pack: town.at('pack'), prompt: town.at('prompt.md') },
    gate: await bd('gate', 'create', '--blocks', gated, '--reason', 'ask'),
    ...(await fillMore(town, bd)),
    burnt: await bd('create', 'burnt', '-t', 'epic'),
    gone: await bd('create', 'gone'),
    wisp: await bd('create', 'wisp', '--ephemeral'),
    closed: await bd('create', 'closed'),
  }
}

/** Fills in values that only some invocations need. */
async function fillMore(town: Town, bd: (...args: string[]) => Promise<string>): Promise<Record<string, string>> {
  const create = (title: string, ...more: string[]) => bd('create', title, ...more)
  const molecule = await create('molecule', '-t', 'epic')
  const step = await create('first', '--parent', molecule)
  await create('second', '--parent', molecule, '--deps', step)
  const squashed = await create('patrol', '-t', 'molecule')
  await create('look', '--parent', squashed, '--ephemeral')
  const { id: convoy } = await town.json<{ id: string }>(['convoy', 'create', 'Told'])
  writeFileSync(town.at('batch.txt'), '# changes\ncreate task 2 "Made by a batch"\n')
  return {
    ...{ step, squashed, convoy, batch: town.at('batch.txt'), linked: await create('linked') },
    ...{ last: await create('last'), done: await create('done'), old: await create('old'), twin: await create('twin') },
    ...{ 'put-off': await create('put off'), 'burnt-wisp': await create('burnt wisp', '--ephemeral') },
    ...{ 'burnt-again': await create('burnt again', '--ephemeral') },
    asked: await bd('gate', 'create', '--blocks', await create('asks'), '--reason', 'may I'),
  }
}

/** Result of an invocation. */
function stateOf({ status, out, err }: CommandResult): string {
  const text = `${out}${err}`
  if (status === 0)
    return /nothing to do|no effect in gc|not set|there is nothing to do/.test(text) ? 'nothing' : 'works'
  const sentence =
    /(?:^(?:gc|bd): |"message":")(?:gc (?:has|keeps no|does not|attaches|pins)|the prefix of a rig|a bead keeps)/
  return status === 1 && sentence.test(text) ? 'not-here' : text ? 'not-here' : text
}

/** Checks that end with status 1 when something is wrong or nothing is due, as may be in a city of a test. */
const MAY_FAIL = ['doctor', 'lint', 'order check']

test('every command that packs call is answered as the table says', async () => {
  await using town = await openTown()
  const values = await fill(town)
  const shell = { env: { PATH: process.env.PATH ?? '' } }
  const wrong: string[] = []
  for (const { state, words } of invocations) {
    if (state === 'takes') continue
    const args = words.map((word) => word.replace(/\{([a-z-]+)\}/g, (all, name: string) => values[name] ?? all))
    const [program, ...rest] = args
    const result = await (program === 'bd' ? town.bd(rest, shell) : town.gc(rest, shell))
    const mayFail =
      MAY_FAIL.some((check) => rest.join(' ').startsWith(check)) && result.status === 1 && result.out !== ''
    const actual = mayFail ? 'works' : stateOf(result)
    if (actual !== state) wrong.push(`${words.join(' ')}: ${state} expected, but ${actual}`)
  }
  expect(wrong).toEqual([])
}, 60_000)

test('every other command and option that packs name is known', async () => {
  const { io } = recorder()
  const programs: Record<string, Command> = { gc: await createProgram(io), bd: await createBd(io) }
  const unknown = invocations.flatMap(({ state, words }) => {
    const [name = '', ...rest] = words
    const program = programs[name]
    return state !== 'takes' || (program && isTaken(program, rest)) ? [] : [words.join(' ')]
  })
  expect(unknown).toEqual([])
})

/** True if a program has a command of these words, with these options; some commands take any. */
function isTaken(program: Command, words: readonly string[]): boolean {
  let command = program
  for (const [at, word] of words.entries()) {
    if (takesAny(command)) return true
    if (!word.startsWith('-')) {
      const inner = findCommand(command, word)
      if (inner === undefined) return false
      command = inner
    } else if (!findOption(command, word) && !defaultOf(command)?.options.some(({ long }) => long === word)) {
      return word === '--json' && at === words.length - 1 && takesAny(command)
    }
  }
  return true
}

const defaultOf = (command: Command): Command | undefined =>
  command.commands.find((each) => ['list', 'link', 'mark', 'get', 'create'].includes(each.name()))

const takesAny = (command: Command): boolean => '_allowUnknownOption' in command && command._allowUnknownOption === true

test('the table names each invocation once, and only states that there are', () => {
  const lines = invocations.map(({ words }) => words.join(' '))
  expect(new Set(lines).size).toBe(lines.length)
  expect(invocations.filter(({ state }) => !STATES.includes(state))).toEqual([])
  const counts = Object.groupBy(invocations, ({ state }) => state)
  const shown = STATES.map((state) => `${counts[state]?.length ?? 0} ${state}`)
  process.stdout.write(`${invocations.length} invocations of packs: ${shown.join(', ')}\n`)
})

test('an invocation that no one knows ends with status 2', async () => {
  expect((await gc(['transcript', 'x'])).status).toBe(2)
})
