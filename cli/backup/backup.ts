import { createWriteStream, existsSync, renameSync, rmSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { Command } from 'commander'
import { resolveHome } from '../../src/client/home.ts'
import { showHidden } from '../../src/client/text.ts'
import type { CommandContext } from '../context/context.ts'
import { type JsonOption, withJson } from '../context/options.ts'
import { waitForSupervisor } from '../context/requests.ts'
import { errorSentence } from '../io/describe-error.ts'
import { failure } from '../io/exit.ts'
import { printJson, printLine } from '../io/io.ts'
import { type Column, printTable } from '../io/table.ts'
import { listAutomaticPrograms } from '../pack/prepare.ts'

export function backupCommands(program: Command, context: CommandContext): void {
  withJson(program.command('backup').description('copy a city into one file, even while it runs'))
    .argument('<file>', 'new file, such as town.tar.gz')
    .action((file: string, options: JsonOption) => backup(context, resolve(context.io.cwd, file), options))
  withJson(program.command('restore').description('restore a city from a backup into a folder'))
    .argument('<file>')
    .argument('<folder>', 'new or empty folder')
    .option('--name <name>', 'name to register it under')
    .option('--no-register', 'unpack without registering')
    .option('--skip-unknown', 'skip links and foreign files instead of failing')
    .action((file: string, folder: string, options: Restore) => restoreCity(context, file, folder, options))
}

const MAX_LISTED = 20

/** Writes the backup to a temporary file first, so that the file is complete or absent. */
async function backup(context: CommandContext, file: string, options: JsonOption): Promise<void> {
  if (existsSync(file)) throw failure(`${file} exists; choose another file name`)
  const city = await context.city()
  const { body } = await city.send('GET ~/backup', { query: { file } })
  if (!body) throw failure('the supervisor sent no backup; run the command again')
  const part = `${file}.part`
  const { checkBackup } = await import('../../src/supervisor/restore.ts')
  let leftOut: readonly string[]
  try {
    await pipeline(body, createWriteStream(part, { mode: 0o600 }))
    leftOut = await checkBackup(part, context.io.signal)
    renameSync(part, file)
  } catch (error) {
    rmSync(part, { force: true })
    throw error
  }
  const bytes = statSync(file).size
  if (options.json) return printJson(context.io, { city: city.name, file, bytes, left_out: leftOut })
  printLine(context.io, `City ${city.name} was saved to ${file} (${Math.ceil(bytes / 1024)} KB).`)
  if (leftOut.length > 0) printLine(context.io, `Not in it, since they are not part of a city: ${listed(leftOut)}`)
}

interface Restore extends JsonOption {
  name?: string
  register: boolean
  skipUnknown?: boolean
}

async function restoreCity(context: CommandContext, file: string, folder: string, options: Restore): Promise<void> {
  const { io } = context
  const { restore } = await import('../../src/supervisor/restore.ts')
  const current = options.register ? await context.withSupervisor() : context
  const how = { skipUnknown: options.skipUnknown ?? false, signal: io.signal, home: resolveHome(io.env) }
  const restored = await restore(resolve(io.cwd, file), resolve(io.cwd, folder), how)
  if (!options.register) {
    if (options.json) return printJson(io, restored)
    printLine(
      io,
      `City ${restored.city} is at ${restored.path}; \`gc register ${restored.path}\` starts it, suspended.`,
    )
    return printRestored(context, restored, restored.city)
  }
  const body = { path: restored.path, ...(options.name !== undefined && { name: options.name }) }
  const registered = async () =>
    waitForSupervisor(current, await current.client.call('POST /v0/city/register', { body }))
  const { payload } = await registered().catch((error: unknown) => {
    const next = `the city is unpacked, suspended: \`gc register ${restored.path} --name <name>\` starts it`
    throw failure(`${errorSentence(error, io.env)}\n${next}`)
  })
  const { skipped, programs } = restored
  if (options.json) return printJson(io, { ...payload, suspended: true, skipped, programs })
  printLine(io, `City ${payload.name} is up at ${payload.path}, as it was at ${restored.at}.`)
  await printRestored(context, restored, String(payload.name))
}

/** A program that a city starts once it is resumed. */
interface Program {
  readonly name: string
  readonly command: string
  readonly folder: string
}

interface RestoredCity {
  readonly path: string
  readonly skipped: readonly string[]
  readonly programs: readonly Program[]
  readonly problem?: string
}

/** Notes for a person before they resume a restored city. */
async function printRestored(
  context: CommandContext,
  { path, skipped, programs, problem }: RestoredCity,
  city: string,
): Promise<void> {
  const { io } = context
  if (skipped.length > 0) printLine(io, `Left out: ${listed(skipped)}`)
  if (problem !== undefined) printLine(io, `Its configuration has errors:\n${problem}`)
  printLine(io, `It is suspended: nothing starts until you run \`gc city resume ${city}\`. Then it may start:`)
  const columns: Column<Program>[] = [
    { header: 'NAME', value: ({ name }) => name },
    { header: 'PROGRAM', value: ({ command }) => showHidden(command), minWidth: 20 },
    { header: 'FOLDER', value: ({ folder }) => folder, minWidth: 12 },
  ]
  printTable(io, programs, columns, 'no program: no agent and no service is declared.')
  await listAutomaticPrograms(context, path, 'Once restored, it starts these on its own:')
}

/** Quoted names, so that control codes and line breaks in them are harmless. */
function listed(names: readonly string[]): string {
  const some = names.slice(0, MAX_LISTED).map((name) => JSON.stringify(name))
  const more = names.length - some.length
  return some.join(', ') + (more > 0 ? ` and ${more} more` : '')
}
