import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PROGRAM, type World } from '../support/world.ts'
import { KEYS, Screen } from './screen.ts'

interface SeatOptions {
  cols?: number
  rows?: number
  env?: Record<string, string>
  args?: readonly string[]
  /** Whether the hints of a first run come up. */
  isFirstRun?: boolean
  /** The program that is run in place of the dashboard, such as a shell. */
  program?: readonly string[]
}

/** A terminal with a dashboard of a world, as a person opens it. */
export function openSeat(world: World, options: SeatOptions = {}): Screen {
  if (!options.isFirstRun) writeFileSync(join(world.home, 'tui-hints-shown'), '')
  const { cols = 100, rows = 30, env = {}, args = [], program = [...PROGRAM, ...args, 'tui'] } = options
  return new Screen(program, {
    cols,
    rows,
    cwd: world.folder.path,
    env: {
      PATH: process.env.PATH,
      HOME: world.folder.at('user'),
      GC_HOME: world.home,
      TERM: 'xterm-256color',
      GC_NO_AUTOSTART: '1',
      ...env,
    },
  })
}

/** Enters a command after `:`. */
export const enter = (screen: Screen, command: string): void => screen.press(`:${command}`, KEYS.enter)

/** The only child of a process. */
export function childOf(pid: number): number {
  const [child] = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean)
  if (child === undefined) throw new Error(`process ${pid} has no child`)
  return Number(child)
}
