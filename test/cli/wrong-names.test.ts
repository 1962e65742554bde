import { expect, test } from 'bun:test'
import { kindsOf } from '../../cli/names/kinds.ts'
import { allCommands, type TreeCommand, wordsOf } from './command-tree.ts'
import type { CommandResult } from './shell.ts'
import { shareTown, type Town } from './town.ts'

let town: Town
shareTown(async (opened) => {
  town = opened
  await town.gc(['agent', 'add', 'shop/worker', '--command', 'cat', '--suspended'])
})

/** Commands for which any name will do: it may be that of what is made, of what is over, or a hook must not fail. */
const TAKES_ANY =
  /^(sling|register|city register|start|restart|prime|mail (inbox|threads|count|check)|nudge (drain|poll)|(workflow|convoy) control|session watch)$/

const NAMED = allCommands().filter(
  ({ name, args }) => args.some((each) => kindsOf(each.name()).length > 0) && !TAKES_ANY.test(name),
)

/** Faults in a command's failure: a missing status, a missing sentence, or raw output. */
function faults({ status, out, err }: CommandResult): string[] {
  return [
    ...(status === 1 || status === 2 ? [] : [`status ${status}`]),
    ...(out === '' ? [] : ['printed something']),
    ...(/^gc: .{10,}\n/.test(err) ? [] : ['no sentence']),
    ...(/\n +at |undefined|\[object|ENOENT|ECONN|TypeError|nothing at this address/.test(err) ? ['something raw'] : []),
  ]
}

async function wrongOf(commands: readonly TreeCommand[], word: string, judge: (result: CommandResult) => string[]) {
  const wrong: unknown[] = []
  for (const each of commands) {
    const words = wordsOf(each, word)
    const result = await town.gc(words)
    const found = judge(result)
    if (found.length > 0) wrong.push({ words: words.join(' '), found, ...result })
  }
  return wrong
}

test('every command says of a name that nothing has that it is not there', async () => {
  expect(NAMED.length).toBeGreaterThan(125)
  expect(await wrongOf(NAMED, 'zeppelin-99', faults)).toEqual([])
})

test('every command says of an empty name that it is empty, and does nothing', async () => {
  const needed = NAMED.filter(({ args }) => args[0]?.required)
  const judge = (result: CommandResult) => [
    ...faults(result),
    ...(result.status === 2 && result.err.includes('is empty; is a variable not set?') ? [] : ['not said']),
  ]
  expect(await wrongOf(needed, '', judge)).toEqual([])
  for (const verb of ['stop', 'restart', 'suspend', 'unregister', 'reload']) {
    expect(await town.gc([verb, ''])).toMatchObject({ status: 2, out: '' })
  }
})

test('a name that nothing has and that is near none is reported with the command that lists what there is', async () => {
  for (const [words, listing] of [
    ['agent show zeppelin', 'gc agent list'],
    ['session show zeppelin', 'gc session list'],
    ['rig show zeppelin', 'gc rig list'],
    ['bead show zeppelin', 'gc bead list'],
    ['convoy show zeppelin', 'gc convoy list'],
    ['import remove zeppelin', 'gc import list'],
    ['status zeppelin', 'gc cities'],
    ['doctor zeppelin', 'gc cities'],
  ] as const) {
    expect((await town.gc(words.split(' '))).err).toEndWith(`; \`${listing}\` lists valid names\n`)
  }
})

test('a name near that of an agent does not look like one without mail or work', async () => {
  const result = async (...words: string[]) => {
    const { status, out, err } = await town.gc(words)
    return [status, out + err]
  }
  const meant = 'did you mean shop/worker?\n'
  expect(await result('mail', 'inbox', 'shop/wroker')).toEqual([0, `There is no mail for shop/wroker; ${meant}`])
  expect(await result('mail', 'count', 'shop/wroker')).toEqual([0, `0 for shop/wroker, 0 unread; ${meant}`])
  expect(await result('mail', 'inbox', 'shop/worker')).toEqual([0, 'There is no mail for shop/worker.\n'])
  expect(await result('mail', 'send', 'shop/wroker', 'Hello')).toEqual([
    ...[1, 'gc: there is no recipient called "shop/wroker"; did you mean "shop/worker"?\n'],
  ])
  expect(await result('hook', 'shop/wroker')).toEqual([1, `gc: there is no agent shop/wroker; ${meant}`])
  expect(await result('hook', 'shop/worker')).toEqual([1, ''])
})

test('an empty list is reported as empty', async () => {
  for (const words of ['import list', 'import status']) {
    expect((await town.gc(words.split(' '))).out).toBe(
      'The city imports no packs; `gc import add <source>` imports one.\n',
    )
  }
})
