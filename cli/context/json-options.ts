import type { Command } from 'commander'
import { usageError } from '../io/exit.ts'
import type { JsonShape } from '../io/shape-json.ts'

/**
 * Reads `--json=<fields>` and `--format` of the command that runs; each makes its output JSON. Takes both away from its
 * options, so that a command which sends the rest of them sends neither.
 */
export async function readShape(command: Command): Promise<JsonShape> {
  const { fields, format: given } = command.opts<{ fields?: string; format?: string }>()
  if (!command.options.some((option) => option.attributeName() === 'fields')) return {}
  // Scripts of the known system name a format; templates have braces.
  const format = given === 'json' || given === 'text' ? undefined : given
  if (given === 'json') command.setOptionValue('json', true)
  if (fields !== undefined || format !== undefined) command.setOptionValue('json', true)
  if (fields !== undefined) command.setOptionValue('fields', undefined)
  if (format !== undefined) command.setOptionValue('format', undefined)
  return {
    ...(fields !== undefined && { fields: fields.split(',').map((field) => field.trim()) }),
    ...(format !== undefined && { render: await renderer(format) }),
  }
}

/** `--json=id,title` as options that the commands declare. */
export function splitFields(args: readonly string[]): string[] {
  const end = args.indexOf('--')
  return args.flatMap((word, at) => {
    const fields = end < 0 || at < end ? /^--json=(.+)$/s.exec(word)?.[1] : undefined
    return fields === undefined ? [word] : ['--json', `--fields=${fields}`]
  })
}

/** A Go template over the fields of one item: texts as they are, what is not one as JSON. */
export async function renderer(template: string): Promise<(item: Readonly<Record<string, unknown>>) => string> {
  const { TemplateSet } = await import('../../src/core/template/template-set.ts')
  const set = new TemplateSet()
  const explain = (error: unknown): never => {
    const reason = error instanceof Error ? error.message : String(error)
    throw usageError(`--format "${template}": ${reason}; a template looks like '{{.id}} {{.title}}'`)
  }
  const attempt = <T>(step: () => T): T => {
    try {
      return step()
    } catch (error) {
      return explain(error)
    }
  }
  attempt(() => set.add('format', template.replaceAll('\\t', '\t').replaceAll('\\n', '\n')))
  return (item) => {
    const data = Object.entries(item).map(([name, value]) => [name, textOf(value)] as const)
    return attempt(() => set.render('format', new Map(data)))
  }
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''))
