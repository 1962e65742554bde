import { afterAll, beforeAll } from 'bun:test'
import { mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { writeDefaultMode } from '../../src/config/confinement/default-mode.ts'
import { serve } from '../../src/supervisor/serve.ts'
import type { Bead } from '../../src/work/schema.ts'
import { tempFolder } from '../support/folder.ts'
import { bd, type CommandResult, gc, type Shell } from './shell.ts'

/** Pattern of the log line for a privileged change. */
const CHANGE_LINE = /^[0-9a-f]{16} [A-Z]+ \S+: .+, by \S+$/

const MAIN = resolve(import.meta.dir, '../../cli/main.ts')

/** A supervisor of its own with one city, `town`, and one rig, `shop`; ended with everything it runs. */
export interface Town extends AsyncDisposable {
  readonly url: string
  readonly home: string
  readonly city: string
  readonly rig: string
  readonly env: Record<string, string>
  /** Reports of the supervisor; no error goes unseen. */
  readonly reports: string[]
  gc(args: readonly string[], shell?: Shell): Promise<CommandResult>
  bd(args: readonly string[], shell?: Shell): Promise<CommandResult>
  /** Runs a command that must succeed and reads the JSON it printed. */
  json<T>(args: readonly string[], shell?: Shell): Promise<T>
  /** Creates a bead with these options. */
  bead(title: string, ...options: string[]): Promise<Bead>
  at(...names: string[]): string
}

/** Opens a town for all tests of a file to share, and ends it after them. */
export function shareTown(take: (opened: Town) => Promise<void> | void, options: Options = {}): void {
  let town: Town | undefined
  beforeAll(async () => {
    town = await openTown(options)
    await take(town)
  }, 20_000)
  afterAll(() => town?.[Symbol.asyncDispose]())
}

interface Options {
  readOnly?: boolean
  requireToken?: boolean
  /** More of the supervisor's environment. */
  env?: Readonly<Record<string, string>>
  /** Own address of the agents' network, if it has one. */
  social?: { host: string; port: number }
}

export async function openTown(options: Options = {}): Promise<Town> {
  const folder = tempFolder()
  const home = folder.at('home')
  const reports: string[] = []
  // Sessions run gc from its sources by bun, which confined ones may not read.
  writeDefaultMode(home, 'off')
  const running = await serve({
    home,
    host: '127.0.0.1',
    port: 0,
    requireToken: false,
    readOnly: false,
    allowHosts: [],
    allowOrigins: [],
    program: [process.execPath, MAIN],
    version: '0.0.0',
    build: 'test',
    report(message) {
      if (!CHANGE_LINE.test(message)) reports.push(message)
    },
    ...options,
    env: { PATH: process.env.PATH, HOME: folder.path, ...options.env },
  })
  const env = { HOME: folder.path, GC_HOME: home, GC_URL: running.url }
  const shell = (given: Shell = {}): Shell => ({ cwd: folder.at('town'), ...given, env: { ...env, ...given.env } })
  const town = folder.at('town')
  const rig = folder.at('shop')
  for (const path of [town, rig]) mkdirSync(path)
  const run = (args: readonly string[], given?: Shell) => gc(args, shell(given))
  const must = async (args: readonly string[], given?: Shell): Promise<CommandResult> => {
    const result = await run(args, given)
    if (result.status !== 0) throw new Error(`gc ${args.join(' ')}: ${result.err}\n${reports.join('\n')}`)
    return result
  }
  if (!options.readOnly) {
    await must(['init', town])
    await must(['rig', 'add', rig])
  }
  const json = async <T>(args: readonly string[], given?: Shell): Promise<T> =>
    JSON.parse((await must([...args, '--json'], given)).out)
  return {
    url: running.url,
    home,
    city: town,
    rig,
    env,
    reports,
    gc: run,
    bd: (args, given) => bd(args, shell(given)),
    json,
    bead: (title, ...options) => json(['bead', 'create', title, ...options]),
    at: (...names) => join(folder.path, ...names),
    async [Symbol.asyncDispose]() {
      await running.stop({ endSessions: true })
      folder[Symbol.dispose]()
    },
  }
}
