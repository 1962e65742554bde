import { copyFileSync, linkSync, renameSync, rmSync } from 'node:fs'
import { resolveHome } from '../../src/client/home.ts'
import { countOf } from '../../src/client/text.ts'
import type { Launched } from '../context/background.ts'
import type { CommandContext } from '../context/context.ts'
import { findKeptUnconfined } from '../context/kept-unconfined.ts'
import { commit, version } from '../context/version.ts'
import { failure } from '../io/exit.ts'
import { printLine } from '../io/io.ts'
import type { Plan } from './plan.ts'
import { findSupervisor, isAnswered, type RunningSupervisor, stopSupervisor } from './restart.ts'

/** Replaces the program, and the supervisor that runs; from here on ctrl-c is not heard. */
export async function replace(given: CommandContext, plan: Plan, target: string): Promise<void> {
  const context = given.printingTo({ ...given.io, signal: new AbortController().signal })
  const home = resolveHome(context.io.env)
  const running = findSupervisor(context.io)
  if (running && !running.start && plan.back.length > 0)
    throw failure(
      `end the supervisor (process ${running.pid}) with ctrl-c first: its databases go back. Nothing was changed`,
    )
  const sessions = running ? await countSessions(context) : 0
  if (plan.back.length > 0) await goBack(context, plan, running, home)
  keepPrevious(target)
  renameSync(plan.candidate.path, target)
  const { io } = context
  printLine(io, `${target} is replaced; the one before is ${target}.previous.`)
  if (!running) return
  if (!running.start) {
    return printLine(
      io,
      `Process ${running.pid} is still the gc before: end it with ctrl-c and start it again; its agents go on meanwhile.`,
    )
  }
  await restart(context, plan, { target, home, start: running.start, pid: running.pid })
  const after = await countSessions(context.renewed())
  printLine(
    io,
    `The supervisor runs again as gc ${plan.candidate.version}; ${countOf(after, 'session')} of ${sessions} went on.`,
  )
  const kept = await findKeptUnconfined(io.env)
  if (kept) printLine(io, `Confinement: ${kept.what}; ${kept.remedy}.`)
}

async function countSessions({ client }: CommandContext): Promise<number> {
  const { items } = await client.call('GET /v0/host')
  return items.reduce((sum, host) => sum + host.sessions, 0)
}

async function goBack(context: CommandContext, { back }: Plan, running: RunningSupervisor | undefined, home: string) {
  if (running) await stopSupervisor(context, running.pid)
  const databases = await import('../../src/supervisor/databases.ts')
  databases.goBack(home, back)
}

/** Keeps the program under a second name, so that there is always one under its own. */
function keepPrevious(target: string): void {
  const part = `${target}.previous.part`
  rmSync(part, { force: true })
  try {
    linkSync(target, part)
  } catch {
    copyFileSync(target, part)
  }
  renameSync(part, `${target}.previous`)
}

interface Restart {
  readonly target: string
  readonly home: string
  readonly pid: number
  start(): Launched
}

/** Starts the supervisor anew; when that fails, everything goes back to how it was. */
async function restart(
  context: CommandContext,
  { candidate, back }: Plan,
  { target, home, pid, start }: Restart,
): Promise<void> {
  if (back.length === 0) await stopSupervisor(context, pid)
  if (await isAnswered(context, candidate, start())) return
  const databases = await import('../../src/supervisor/databases.ts')
  copyFileSync(`${target}.previous`, candidate.path)
  renameSync(candidate.path, target)
  const steps = databases.stepsBack(databases.databasesIn(home), databases.ownVersions)
  databases.goBack(
    home,
    steps.flatMap(({ database, copy }) => (copy ? [{ database, copy }] : [])),
  )
  const isBack = await isAnswered(context, { version, commit }, start())
  throw failure(
    `gc ${candidate.version} did not start the supervisor, so this gc is back in its place; \`gc logs\` says why${isBack ? '' : ', and that this one does not start either'}`,
  )
}
