import type { Command } from 'commander'
import { sanitizeLine, sanitizeLines } from '../../src/client/text.ts'
import type { Bead } from '../../src/work/beads/index.ts'
import { Exit, usageError } from '../io/exit.ts'
import type { BdContext } from './context.ts'

/** The type of the beads that hold values: their title is the key, their description the value. */
const TYPE = 'kv'
/** Begins the keys of memories, as `bd` has it. */
const MEMORY = 'memory.'
const MAX_SLUG = 60
const MAX_SLUG_WORDS = 8

/** Values that agents keep by a key, and memories, which are values that `bd prime` prints. */
export function memoryCommands(program: Command, bd: BdContext): void {
  program
    .command('remember')
    .description('store a memory that `bd prime` shows to every agent')
    .argument('<text...>')
    .option('--key <key>', 'key of the memory; default is derived from the text')
    .action(bd.run((words: string[], options: { key?: string }) => remember(bd, words.join(' '), options.key)))
  program
    .command('recall')
    .description('print a memory')
    .argument('<key>')
    .action(bd.run((key: string) => get(bd, MEMORY, key)))
  program
    .command('memories')
    .description('list the memories')
    .argument('[words]', 'only memories with these words')
    .action(bd.run((words: string | undefined) => list(bd, MEMORY, words)))
  program
    .command('forget')
    .description('forget a memory')
    .argument('<key>')
    .action(bd.run((key: string) => clear(bd, MEMORY, key, 'Forgot')))
  const kv = program.command('kv').description('manage key-value pairs of agents')
  kv.command('set')
    .description('set a value')
    .argument('<key>')
    .argument('<value>')
    .action(bd.run((key: string, value: string) => set(bd, key, value)))
  kv.command('get')
    .description('print a value')
    .argument('<key>')
    .action(bd.run((key: string) => get(bd, '', key)))
  kv.command('clear')
    .description('remove a value')
    .argument('<key>')
    .action(bd.run((key: string) => clear(bd, '', key, 'Cleared')))
  kv.command('list')
    .description('list the values')
    .action(bd.run(() => list(bd, '', undefined)))
}

/** The memories of the city or the rig, by key. */
export const memoriesOf = async (bd: BdContext): Promise<Record<string, string>> => valuesOf(await entries(bd), MEMORY)

/** The beads that hold values, oldest first: of two with one key, the later counts. */
async function entries(bd: BdContext): Promise<Bead[]> {
  const rig = await bd.rig()
  const { name } = await bd.city()
  const beads = await bd.list({ type: TYPE, rig: rig ?? name })
  return beads.sort((a, b) => ((a.updated_at ?? a.created_at) < (b.updated_at ?? b.created_at) ? -1 : 1))
}

function valuesOf(beads: readonly Bead[], prefix: string): Record<string, string> {
  const own = beads.filter(({ title }) => (prefix === MEMORY ? title.startsWith(MEMORY) : !title.startsWith(MEMORY)))
  const pairs = own.map(({ title, description = '' }) => [title.slice(prefix.length), description] as const)
  return Object.fromEntries(pairs.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)))
}

const withKey = (beads: readonly Bead[], key: string): Bead[] => beads.filter(({ title }) => title === key)

/** Stores a value; returns whether there was one before. */
async function store(bd: BdContext, key: string, value: string): Promise<boolean> {
  const city = await bd.city()
  const present = withKey(await entries(bd), key).at(-1)
  if (present) {
    await city.call('PATCH ~/bead/{id}', { params: { id: present.id }, body: { description: value } })
    return true
  }
  const rig = await bd.rig()
  const body = { title: key, type: TYPE, description: value, ...(rig && rig !== city.name && { rig }) }
  await city.call('POST ~/beads', { body })
  return false
}

async function remember(bd: BdContext, text: string, given: string | undefined): Promise<void> {
  if (text.trim() === '') throw usageError('memory content cannot be empty')
  const key = given ?? slugOf(text)
  if (key === '') throw usageError('no key can be made from this text; give one with --key')
  const action = (await store(bd, MEMORY + key, text)) ? 'updated' : 'remembered'
  if (bd.print.json) return bd.print.value({ key, value: text, action })
  bd.print.line(sanitizeLine(`✓ ${action} [${key}]`))
}

/** A key of the first words of a text. */
function slugOf(text: string): string {
  const words = text
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter(Boolean)
  return words.slice(0, MAX_SLUG_WORDS).join('-').slice(0, MAX_SLUG).replace(/-$/, '')
}

async function set(bd: BdContext, key: string, value: string): Promise<void> {
  if (key.trim() === '' || key.startsWith(MEMORY)) {
    throw usageError('a key is not empty and does not begin with `memory.`; `bd remember` keeps memories')
  }
  await store(bd, key, value)
  if (bd.print.json) return bd.print.value({ key, value })
  bd.print.line(sanitizeLine(`✓ Set ${key}`))
}

async function get(bd: BdContext, prefix: string, key: string): Promise<void> {
  const value = withKey(await entries(bd), prefix + key).at(-1)?.description
  const found = value !== undefined
  if (bd.print.json) bd.print.value({ key, value: value ?? '', found })
  else if (found) bd.print.line(sanitizeLines(value))
  else bd.print.error(`there is no ${prefix === MEMORY ? 'memory' : 'value'} ${key}`)
  if (!found) throw new Exit(1)
}

async function clear(bd: BdContext, prefix: string, key: string, word: string): Promise<void> {
  const present = withKey(await entries(bd), prefix + key)
  const city = await bd.city()
  for (const { id } of present) await city.call('DELETE ~/bead/{id}', { params: { id } })
  const found = present.length > 0
  if (bd.print.json) bd.print.value(found || prefix === '' ? { key, deleted: 'true' } : { key, found: 'false' })
  else if (found || prefix === '') bd.print.line(sanitizeLine(`✓ ${word} ${key}`))
  else bd.print.error(`there is no memory ${key}`)
  if (!found && prefix === MEMORY) throw new Exit(1)
}

async function list(bd: BdContext, prefix: string, words: string | undefined): Promise<void> {
  const part = words?.toLowerCase() ?? ''
  const all = Object.entries(valuesOf(await entries(bd), prefix))
  const shown = all.filter((pair) => pair.some((text) => text.toLowerCase().includes(part)))
  if (bd.print.json) return bd.print.value(Object.fromEntries(shown))
  if (shown.length === 0) return bd.print.line(prefix === MEMORY ? 'No memories.' : 'No values.')
  for (const [key, value] of shown) bd.print.line(sanitizeLine(`${key}: ${value}`))
}
