import { expect, test } from 'bun:test'
import { allCommands } from './command-tree.ts'
import { shareTown, type Town } from './town.ts'

let town: Town
let bead = ''
shareTown(async (opened) => {
  town = opened
  bead = (await town.bead('Oil the gate')).id
  await town.json(['agent', 'add', 'clerk', '--command', 'exec sleep 600'])
  await town.json(['social', 'register', 'ada', '-d', 'I count'])
  await town.json(['social', 'submolts', 'create', 'gates', '-d', 'Gates', '--as', 'ada'])
})

/** Words after lists that need some. A list without an entry of its own here runs without arguments. */
const WORDS: Readonly<Record<string, () => string[]>> = {
  'bead dep list': () => [bead],
  'bead search': () => ['gate'],
  'bead comments': () => [bead],
  'bead history': () => [bead],
  'mail inbox': () => ['human'],
  'session search': () => ['gate'],
  'social moderators list': () => ['gates'],
  'social labels list': () => ['gates'],
  'social roles list': () => ['gates'],
  'social report list': () => ['gates'],
}

/** Lists of one run, session or conversation, which this city does not have; their parts are tested where they are made. */
const ABSENT = ['run steps', 'extmsg transcript', 'session network']

/** Lists whose JSON is an array in the known gc, or the relations of one bead. */
const OTHERS = ['ready', 'bead dep list']

test('the JSON of every list has items and total beside its known keys', async () => {
  const lists = allCommands()
    .filter(({ command }) => command.name() === 'list' || /^(?:list|search) /.test(command.description()))
    .filter(({ name, command }) => command.options.some(({ long }) => long === '--json') && !ABSENT.includes(name))
  expect(lists.length).toBeGreaterThan(50)
  const wrong: string[] = []
  for (const { name } of lists) {
    const words = [
      ...name.split(' '),
      ...(WORDS[name]?.() ?? []),
      ...(name.startsWith('social ') ? ['--as', 'ada'] : []),
    ]
    const { out, err } = await town.gc([...words, '--json'])
    const answer: unknown = /^[[{]/.test(out) ? JSON.parse(out) : out + err
    const isArray = Array.isArray(answer)
    const { items, total } = Object(answer)
    const isList = Array.isArray(items) && typeof total === 'number' && total >= items.length
    if (OTHERS.includes(name) ? isList : isArray || !isList)
      wrong.push(`${name}: ${JSON.stringify(answer).slice(0, 160)}`)
  }
  expect(wrong).toEqual([])
})

test('a command below a list takes its own --json, fields and template', async () => {
  const { items } = await town.json<{ items: { kind: string }[] }>(['attention', 'kinds'])
  expect(items.map(({ kind }) => kind)).toContain('permission')
  const fields = await town.gc(['attention', 'kinds', '--json=kind'])
  expect(JSON.parse(fields.out)).toContainEqual({ kind: 'permission' })
  const lines = (await town.gc(['attention', 'kinds', '--format', '{{.kind}}'])).out.split('\n')
  expect(lines).toContain('permission')
  expect(JSON.parse((await town.gc(['formula', 'catalog', '--json=name'])).out)).toEqual([])
})
