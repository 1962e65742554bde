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
