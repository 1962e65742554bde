import type { Command } from 'commander'
import { resolveHome } from '../../src/client/home.ts'
import { sanitizeLine, showHidden } from '../../src/client/text.ts'
import type { ExplainedField } from '../../src/config/views/index.ts'
import { cityFolder } from '../context/city-folder.ts'
import type { CommandContext } from '../context/context.ts'
import { type JsonOption, withJson } from '../context/options.ts'
import { failure } from '../io/exit.ts'
import { printJson, printLine } from '../io/io.ts'

interface ShowOptions extends JsonOption {
  provenance?: boolean
  validate?: boolean
}

/** `gc config show`: what the files of a city come to, without a supervisor. */
export function configShowCommand(config: Command, context: CommandContext): void {
  withJson(config.command('show').description('show the resolved configuration of a city'))
    .option('--provenance', 'show the file and line of each value')
    .option('--validate', 'only check files and formulas')
    .action(async (options: ShowOptions, command: Command) => {
      const folder = await cityFolder(context, command.optsWithGlobals<{ city?: string }>().city)
      await show(context, folder, options)
    })
}

async function show({ io }: CommandContext, folder: string, options: ShowOptions): Promise<void> {
  const { showFolder } = await import('../../src/config/offline/explain.ts')
  const { toVisible } = await import('../../src/config/offline/visible.ts')
  const { lintFormulasIn } = await import('../../src/orchestration/formulas/lint-folder.ts')
  const check = options.validate ? lintFormulasIn : undefined
  const home = resolveHome(io.env)
  const shown = toVisible(showFolder(folder, home, check), { env: io.env, path: folder, home })
  const { fields, packFolders, errors, warnings } = shown
  if (options.json) {
    printJson(io, {
      city_path: folder,
      config: grouped(fields, ({ value }) => value),
      pack_dirs: packFolders,
      warnings,
      validation: { ok: errors.length === 0, warnings, errors },
      ...(options.provenance && { provenance: grouped(fields, placeOf) }),
    })
  }
  if (errors.length > 0) throw failure(errors.join('\n'))
  if (options.json) return
  if (options.validate) {
    for (const warning of warnings) printLine(io, `warning: ${sanitizeLine(warning)}`)
    return printLine(io, `${folder} is valid.`)
  }
  const declared = fields.filter(({ value }) => value !== undefined)
  for (const [, ofThing] of Map.groupBy(declared, ({ kind, name }) => `${kind} ${name}`)) {
    const [first] = ofThing
    if (first) printLine(io, `[${first.kind}.${JSON.stringify(first.name)}]`)
    for (const field of ofThing) printLine(io, showHidden(lineOf(field, options.provenance ?? false)))
    printLine(io, '')
  }
}

const placeOf = ({ layer, file, line }: ExplainedField): string =>
  layer === 'builtin' ? 'built in' : `${file}:${line}`

const lineOf = (field: ExplainedField, withPlace: boolean): string =>
  `${field.key} = ${JSON.stringify(field.value)}${withPlace ? `  # ${placeOf(field)}` : ''}`

/** Values by kind, name and key. */
function grouped(fields: readonly ExplainedField[], read: (field: ExplainedField) => unknown) {
  const result: Record<string, Record<string, Record<string, unknown>>> = { agents: {}, rigs: {}, providers: {} }
  for (const field of fields) {
    const things = result[`${field.kind}s`] ?? {}
    things[field.name] = { ...things[field.name], [field.key]: read(field) }
  }
  return result
}
