import { mkdirSync } from 'node:fs'
import { programOnTerminal } from '../../../src/agents/launch/terminal-profiles.ts'
import { buildLaunch } from '../../../src/config/providers/launch.ts'
import { resolveProvider } from '../../../src/config/providers/resolve.ts'
import { systemClock } from '../../../src/core/clock.ts'
import { Deadlines } from '../../../src/core/deadlines.ts'
import { HostClient } from '../../../src/host/client/host-client.ts'
import type { Question } from '../../../src/host/protocol/question.ts'
import { deliver } from '../../../src/host/terminal/deliver.ts'
import { waitUntilSettled } from '../../../src/host/terminal/wait-for-state.ts'
import { profileOf } from '../../../src/programs/screens.ts'
import { type TempFolder, tempFolder } from '../../support/folder.ts'
import { ModelServer, type Script } from './model-server.ts'
import { patiently } from './patience.ts'
import { GC, type Program } from './programs.ts'

const deadlines = new Deadlines()
const KEY = 's'

/** Folder for a program's files and settings before it starts. */
export interface Place {
  folder: TempFolder
  /** The folder it works in. */
  work: string
  home: string
}

export interface StartOptions {
  /** Options of its provider, such as its permission mode. */
  options?: Record<string, string>
  env?: Record<string, string>
  args?: readonly string[]
  prompt?: string
  script?: Script
  prepare?(place: Place): void
  size?: { cols: number; rows: number }
  /** The host does not look for questions. */
  isUnwatched?: boolean
}

/** A real program in a session host of its own, with a model that follows a script. */
export async function startProgram(program: Program, start: StartOptions = {}) {
  const folder = tempFolder()
  const place = { folder, work: folder.at('work'), home: folder.at('home') }
  mkdirSync(place.work)
  const model = new ModelServer(start.script ?? (() => ({ text: 'Done.' })))
  const env = program.env(folder, model, [place.work])
  start.prepare?.(place)
  const args = [...(program.args ?? []), ...(start.args ?? [])]
  const base = resolveProvider(program.provider, new Map())
  const provider = { ...base, command: program.command, args: [...base.args, ...args] }
  const { argv, env: own } = buildLaunch({
    provider,
    ...(start.options && { options: start.options }),
    ...(start.prompt !== undefined && { prompt: start.prompt }),
  })
  const host = await HostClient.connect({
    ...{ home: folder.at('gc'), launch: [...GC, 'host'], env: process.env, clock: systemClock, deadlines },
  })
  const known = programOnTerminal(provider)
  const { cols, rows } = start.size ?? { cols: 120, rows: 40 }
  const PATH = process.env.PATH ?? ''
  await host.start({
    ...{ key: KEY, argv, cwd: place.work, cols, rows, ...(!start.isUnwatched && { program: known }) },
    env: { PATH, TERM: 'xterm-256color', ...own, ...env, ...start.env },
  })
  const pid = (await host.list())[0]?.pid
  const until = <T>(look: () => T | undefined | Promise<T | undefined>): Promise<T | undefined> => patiently(pid, look)
  const screen = async () => (await host.screen(KEY)).lines.map((line) => line.trimEnd()).join('\n')
  const sees = async (text: string) => {
    const isShown = await patiently(pid, async () => (await screen()).includes(text) || undefined)
    if (!isShown) throw new Error(`it never showed "${text}":\n${await screen()}`)
  }
  return {
    ...place,
    host,
    sees,
    model,
    profile: profileOf(known),
    screen,
    until,
    /** Its question, once it asks. */
    async asked(other?: Question): Promise<Question> {
      const question = await until(() => {
        const now = host.question(KEY)
        return now && now.id !== other?.id ? now : undefined
      })
      if (question) return question
      throw new Error(`it never asked; its screen shows:\n${await screen().catch(String)}`)
    },
    answer: (question: Question, option: string, text?: string) => host.choose(KEY, question.id, option, text),
    settle: (within = 90_000) => waitUntilSettled(host, KEY, { profile: profileOf(known) }, { deadlines, within }),
    /** True if this could be typed into its input line and submitted. */
    say: async (text: string): Promise<boolean> => {
      const { state } = await deliver(host, KEY, { profile: profileOf(known) }, text, { deadlines, within: 60_000 })
      return state === 'delivered'
    },
    press: async (keys: string): Promise<void> => void (await host.write(KEY, keys)),
    resize: (to: { cols: number; rows: number }) => host.resize(KEY, to.cols, to.rows),
    /** Its output so far, as it wrote it. */
    async output(): Promise<Uint8Array> {
      const chunks: Uint8Array[] = []
      const { bytes = 0 } = (await host.list())[0] ?? {}
      const stop = new AbortController()
      let read = 0
      for await (const chunk of host.follow(KEY, 0, stop.signal)) {
        if ('gap' in chunk) continue
        chunks.push(chunk.bytes)
        read = chunk.offset + chunk.bytes.length
        if (read >= bytes) break
      }
      return Buffer.concat(chunks)
    },
    async [Symbol.asyncDispose]() {
      await host.shutdown({ grace: 500 })
      host.close()
      await model.stop()
      folder[Symbol.dispose]()
    },
  }
}

export type StartedProgram = Awaited<ReturnType<typeof startProgram>>
