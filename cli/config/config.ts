import type { Command } from 'commander'
import { resolveHome } from '../../src/client/home.ts'
import type { ExplainedField } from '../../src/config/views/index.ts'
import { cityFolder } from '../context/city-folder.ts'
import type { CommandContext } from '../context/context.ts'
import { type JsonOption, withJson } from '../context/options.ts'
import { failure } from '../io/exit.ts'
import { printJson } from '../io/io.ts'
import { printTable } from '../io/table.ts'
import { configShowCommand } from './show.ts'

interface ExplainOptions extends JsonOption {
  agent?: string
  rig?: string
  provider?: string
}

export function configCommands(program: Command, context: CommandContext): void {
  const config = program.command('config').description('show the configuration of a city')
  configShowCommand(config, context)
  withJson(config.command('explain').description('show the source of each field of an agent or rig'))
    .option('--agent <agent>', 'only this agent')
    .option('--rig <rig>', 'only this rig')
    .option('--provider <provider>', 'only this provider')
    .action(async (options: ExplainOptions, command: Command) => {
      const folder = await cityFolder(context, command.optsWithGlobals<{ city?: string }>().city)
      await explain(context, folder, options)
    })
}

async function explain({ io }: CommandContext, folder: string, options: ExplainOptions): Promise<void> {
  const { explainFolder } = await import('../../src/config/offline/explain.ts')
  const { toVisible } = await import('../../src/config/offline/visible.ts')
  const home = resolveHome(io.env)
  const { fields, errors } = toVisible(explainFolder(folder, home), { env: io.env, path: folder, home })
  if (errors.length > 0) throw failure(errors.join('\n'))
  const selected = selectFields(fields, options)
  if (options.json) return printJson(io, { fields: selected })
  printTable(
    io,
    selected,
    [
      { header: 'OF', value: ({ kind, name }) => `${kind} ${name}` },
      { header: 'KEY', value: ({ key }) => key },
      { header: 'VALUE', value: ({ value }) => formatValue(value), minWidth: 10 },
      { header: 'DECLARED AT', value: formatOrigin },
    ],
    'Nothing is declared yet; `gc agent add` and `gc rig add` declare the first.',
  )
}

/** The fields of what the options name, or all; fails for a name that nothing has. */
function selectFields(fields: readonly ExplainedField[], options: ExplainOptions): readonly ExplainedField[] {
  const kinds = ['agent', 'rig', 'provider'] as const
  const selected = kinds.flatMap((kind) => {
    const ofKind = fields.filter((field) => field.kind === kind)
    const matches = ofKind.filter(({ name }) => name === options[kind])
    if (options[kind] === undefined || matches.length > 0) return matches
    const names = [...new Set(ofKind.map(({ name }) => name))].join(', ') || 'none'
    throw failure(`there is no ${kind} "${options[kind]}"; declared: ${names}`)
  })
  return kinds.some((kind) => options[kind] !== undefined) ? selected : fields
}

const formatOrigin = ({ layer, file, line, section }: ExplainedField): string =>
  layer === 'builtin' ? `built in ${section}` : `${file}:${line} ${section}`.trim()

function formatValue(value: unknown): string {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return JSON.stringify(value) ?? ''
  return `{ ${Object.keys(value).join(', ')} }`
}
