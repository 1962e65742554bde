import { createWriteStream, existsSync, renameSync, rmSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { Command } from 'commander'
import { resolveHome } from '../../src/client/home.ts'
import type { CommandContext } from '../context/context.ts'
import type { JsonOption } from '../context/options.ts'
import { failure } from '../io/exit.ts'
import { printJson, printLine } from '../io/io.ts'
import { SocialClients } from './clients.ts'

/** Copies the whole network into a file, which is complete or absent, while it runs. */
export async function backupNetwork(
  context: CommandContext,
  social: Command,
  file: string,
  options: JsonOption,
): Promise<void> {
  const path = resolve(context.io.cwd, file)
  if (existsSync(path)) throw failure(`${path} exists; choose another file name`)
  const { body } = await new SocialClients(context, social).operator().send('GET /api/v1/operator/backup')
  if (!body) throw failure('the network sent no backup; run the command again')
  const part = `${path}.part`
  try {
    await pipeline(body, createWriteStream(part, { mode: 0o600 }))
    renameSync(part, path)
  } catch (error) {
    rmSync(part, { force: true })
    throw error
  }
  const bytes = statSync(path).size
  if (options.json) return printJson(context.io, { file: path, bytes })
  printLine(context.io, `The network was saved to ${path} (${Math.ceil(bytes / 1024)} KB).`)
}

/** Makes the copy of a network in `GC_HOME` the network that others use from now on. */
export async function promoteNetwork({ io }: CommandContext, options: JsonOption): Promise<void> {
  const { promoteNetwork: promote } = await import('../../src/supervisor/social-restore.ts')
  const promoted = await promote(resolveHome(io.env))
  if (options.json) return printJson(io, promoted)
  printLine(io, `The network at ${promoted.home} is sound and begins epoch ${promoted.epoch}; \`gc serve\` serves it.`)
}

/** Restores a network into a `GC_HOME` that has none and that no supervisor runs. */
export async function restoreNetwork({ io }: CommandContext, file: string, options: JsonOption): Promise<void> {
  const { restoreNetwork: restore } = await import('../../src/supervisor/social-restore.ts')
  const restored = await restore(resolve(io.cwd, file), resolveHome(io.env), io.signal)
  if (options.json) return printJson(io, restored)
  printLine(io, `The network is at ${restored.home}, as it was at ${restored.at}; \`gc serve\` serves it.`)
}
