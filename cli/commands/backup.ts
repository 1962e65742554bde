import { createWriteStream, existsSync, renameSync, rmSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { Command } from 'commander'
import type { CommandContext } from '../context/context.ts'
import { type JsonOption, withJson } from '../context/options.ts'
import { waitForSupervisor } from '../context/outcome.ts'
import { failure } from '../io/exit.ts'
import { printJson, printLine } from '../io/io.ts'

export function backupCommands(program: Command, context: CommandContext): void {
  withJson(program.command('backup').description('copy a city into one file, also while it runs'))
    .argument('<file>', 'a new file, such as town.tar.gz')
    .action((file: string, options: JsonOption) => backup(context, resolve(context.io.cwd, file), options))
  withJson(program.command('restore').description('restore a city from a backup into any folder and register it'))
    .argument('<file>')
    .argument('<folder>', 'a new or an empty folder')
    .option('--name <name>', 'the name to register it under, for example when the original city still runs')
    .option('--no-register', 'unpack it without registering it')
    .action((file: string, folder: string, options: Restore) => restoreCity(context, file, folder, options))
}

/** Writes the backup to a temporary file first, so that the file is complete or absent. */
async function backup(context: CommandContext, file: string, options: JsonOption): Promise<void> {
  if (existsSync(file)) throw failure(`${file} exists; choose another file name`)
  const city = await context.city()
  const { body } = await city.send('GET ~/backup')
  if (!body) throw failure('the supervisor sent no backup; run the command again')
  const part = `${file}.part`
  try {
    await pipeline(body, createWriteStream(part, { mode: 0o600 }))
    renameSync(part, file)
  } catch (error) {
    rmSync(part, { force: true })
    throw error
  }
  const bytes = statSync(file).size
  if (options.json) return printJson(context.io, { city: city.name, file, bytes })
  printLine(context.io, `City ${city.name} was saved to ${file} (${Math.ceil(bytes / 1024)} KB).`)
}

interface Restore extends JsonOption {
  name?: string
  register: boolean
}

async function restoreCity(context: CommandContext, file: string, folder: string, options: Restore): Promise<void> {
  const { restore } = await import('../../src/supervisor/restore.ts')
  const restored = await restore(resolve(context.io.cwd, file), resolve(context.io.cwd, folder))
  if (!options.register) {
    if (options.json) return printJson(context.io, restored)
    printLine(context.io, `City ${restored.city} is at ${restored.path}; \`gc register ${restored.path}\` starts it.`)
    return
  }
  const body = { path: restored.path, ...(options.name !== undefined && { name: options.name }) }
  const accepted = await context.client.call('POST /v0/city/register', { body })
  const { payload } = await waitForSupervisor(context, accepted)
  if (options.json) return printJson(context.io, payload)
  printLine(context.io, `City ${payload.name} is up at ${payload.path}, as it was at ${restored.at}.`)
}
