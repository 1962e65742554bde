import { createWriteStream, existsSync, renameSync, rmSync } from 'node:fs'
import { resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { Command } from 'commander'
import { sanitizeLine, showHidden } from '../../src/client/text.ts'
import type { BeadsImported } from '../../src/work/transfer/index.ts'
import type { CommandContext } from '../context/context.ts'
import { type JsonOption, oldSpelling, withJson } from '../context/options.ts'
import { failure } from '../io/exit.ts'
import { type Io, printJson, printLine } from '../io/io.ts'

export function transferCommands(bead: Command, context: CommandContext): void {
  bead
    .command('export')
    .description('write all beads as JSON Lines')
    .option('-o, --output <file>', 'write to a new file instead of standard output')
    .action((options: { output?: string }) => exportBeads(context, options.output))
  withJson(bead.command('import').description('import beads from JSON Lines, with their ids'))
    .argument('[file]', 'file; default is standard input')
    .option('--force', 'replace newer beads and beads that sessions hold')
    .addOption(oldSpelling('-f', 'force'))
    .action((file: string | undefined, options: JsonOption & ImportOptions) =>
      importBeads(context, file ?? '-', options),
    )
}

/** Writes all beads to a file or to standard output; only with `overwrite` to a file that exists. */
export async function exportBeads(
  context: CommandContext,
  output: string | undefined,
  { overwrite = false }: { overwrite?: boolean } = {},
): Promise<void> {
  const file = output === undefined ? undefined : resolve(context.io.cwd, output)
  if (file && !overwrite && existsSync(file)) throw failure(`${file} exists; choose another file name`)
  const city = await context.city()
  const { body } = await city.send('GET ~/beads/export')
  if (!body) return
  if (!file) return print(context.io, body)
  const part = `${file}.part`
  try {
    await pipeline(body, createWriteStream(part, { mode: 0o600 }))
    renameSync(part, file)
  } catch (error) {
    rmSync(part, { force: true })
    throw error
  }
}

/** Unchanged, but on a terminal: there nothing that beads hold may be hidden or control it. */
async function print(io: Io, body: AsyncIterable<Uint8Array>): Promise<void> {
  const decoder = new TextDecoder()
  const show = (text: string) => io.out(text.split('\n').map(showHidden).join('\n'))
  for await (const bytes of body) {
    if (io.width === undefined) io.outBytes(bytes)
    else show(decoder.decode(bytes, { stream: true }))
  }
}

export interface ImportOptions {
  force?: true
}

/** Imports a file, or standard input for `-`, and prints the outcome. */
export async function importBeads(
  context: CommandContext,
  file: string,
  { force, json }: JsonOption & ImportOptions,
): Promise<void> {
  const text = await context.readFile(file)
  const city = await context.city()
  const done: BeadsImported = { created: 0, updated: 0, unchanged: 0, skipped: 0, skips: {}, skipped_lines: [] }
  let line = 0
  for (const lines of splitChunks(text)) {
    const response = await city.call('POST ~/beads/import', { query: { ...(force && { force }) }, bytes: lines })
    for (const key of ['created', 'updated', 'unchanged', 'skipped'] as const) done[key] += response[key]
    for (const [kind, n] of Object.entries(response.skips)) done.skips[kind] = (done.skips[kind] ?? 0) + n
    done.skipped_lines.push(...response.skipped_lines.map((skip) => ({ ...skip, line: skip.line + line })))
    line += lines.split('\n').length - 1
  }
  if (json) return printJson(context.io, done)
  printLine(
    context.io,
    `${done.created} created, ${done.updated} updated, ${done.unchanged} unchanged, ${done.skipped} skipped.`,
  )
  for (const [kind, n] of Object.entries(done.skips)) {
    printLine(context.io, `  ${n} ${KINDS[kind] ?? sanitizeLine(kind)}: ${describeLines(done, kind, n)}`)
  }
}

/** The reasons for which a bead is skipped; other records have their own name. */
const KINDS: Readonly<Record<string, string>> = {
  older: 'not newer than the bead here',
  held: 'held by a live session',
  tombstone: 'deleted',
}

/** Maximum skipped lines that are printed for one reason. */
const MAX_NAMED = 20

/** The beads or lines that were skipped for one reason. */
function describeLines({ skipped_lines: lines }: BeadsImported, kind: string, count: number): string {
  const named = lines.filter((line) => line.kind === kind).slice(0, MAX_NAMED)
  const names = named.map(({ id, line }) => (id === undefined ? `line ${line}` : sanitizeLine(id)))
  return [...names, ...(count > named.length ? [`and ${count - named.length} more`] : [])].join(', ')
}

/** The maximum size of a request. */
const MAX_REQUEST_BYTES = 64 * 1024 * 1024

/** Splits the text into chunks of complete lines that fit in a request. */
function* splitChunks(text: string): Generator<string> {
  if (text.trim() === '') return
  if (Buffer.byteLength(text) <= MAX_REQUEST_BYTES) return yield text
  let lines = ''
  let bytes = 0
  for (const line of text.split('\n')) {
    const size = Buffer.byteLength(line) + 1
    if (bytes + size > MAX_REQUEST_BYTES && lines !== '') {
      yield lines
      lines = ''
      bytes = 0
    }
    lines += `${line}\n`
    bytes += size
  }
  if (lines.trim() !== '') yield lines
}
