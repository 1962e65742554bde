import type { Command } from 'commander'
import type { CommandContext } from '../context/context.ts'
import { withItems } from '../context/envelope.ts'
import { type JsonOption, withJson } from '../context/options.ts'
import { printLine } from '../io/io.ts'
import { openPacks, printResult, visibleOf } from './open.ts'
import { importJson, lockedWord, printCells } from './print.ts'

export function packCommands(program: Command, context: CommandContext): void {
  const pack = program.command('pack').description('list remote packs; `gc import` changes them')
  withJson(pack.command('list').description('list remote packs, and whether they are fetched')).action(
    (options: JsonOption, command: Command) => list(context, options, command),
  )
  withJson(pack.command('fetch').description('fetch the packs in packs.lock')).action(
    (options: JsonOption, command: Command) => fetch(context, options, command),
  )
}

async function list(context: CommandContext, { json }: JsonOption, command: Command): Promise<void> {
  const { path, packs } = await openPacks(context, command)
  const visible = await visibleOf(context, path)
  const remote = visible(packs.states()).filter(
    ({ parsed, location }) => parsed.kind === 'git' && location.kind !== 'builtin',
  )
  if (json) {
    const shown = remote.map((state) => ({ ...importJson(state), cached: state.location.kind !== 'missing' }))
    return printResult(context, withItems({ packs: shown }, shown))
  }
  if (remote.length === 0) return printLine(context.io, 'No remote packs configured.')
  for (const state of remote) {
    const fetched = state.location.kind === 'missing' ? 'missing' : 'cached'
    printCells(context.io, state.declared.binding, state.declared.source, lockedWord(state), fetched)
  }
}

async function fetch(context: CommandContext, { json }: JsonOption, command: Command): Promise<void> {
  const { packs } = await openPacks(context, command)
  const lock = await packs.manager.install()
  if (json)
    return printResult(context, {
      command: 'pack fetch',
      packs: [...lock].map(([source, pin]) => ({ source, ...pin })),
    })
  printLine(context.io, lock.size === 0 ? 'No remote packs configured.' : `Fetched ${lock.size} remote pack(s)`)
}
