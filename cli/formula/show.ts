import type { Command } from 'commander'
import { sanitizeLine } from '../../src/client/text.ts'
import type { CompiledFormula } from '../../src/orchestration/formulas/index.ts'
import type { CommandContext } from '../context/context.ts'
import { envelope } from '../context/envelope.ts'
import { collectPair, type JsonOption, withJson } from '../context/options.ts'
import { type Io, printJson, printLine } from '../io/io.ts'

interface ShowOptions extends JsonOption {
  var: Record<string, string>
  rig?: string
  mermaid?: true
}

/** `gc formula show`: the graph that a formula compiles to. */
export function showCommand(formula: Command, context: CommandContext): void {
  withJson(formula.command('show').description('show what a formula compiles to'))
    .argument('<formula>')
    .option('--var <key=value>', 'a variable of the formula; may be repeated', collectPair, {})
    .option('--rig <rig>', 'include formulas of this rig')
    .option('--mermaid', 'print a Mermaid diagram')
    .action(async (name: string, options: ShowOptions) => {
      const city = await context.city()
      const rig = await context.rig(city, options.rig)
      const body = { vars: options.var, ...(rig && { rig }) }
      const compiled = await city.call('POST ~/formulas/{name}/compile', { params: { name }, body })
      const { io } = context
      if (options.json) {
        const { path: city_path } = await city.call('GET ~')
        return printJson(io, envelope({ city_path, ...compiled }))
      }
      if (options.mermaid) return mermaid(compiled).forEach((line) => void printLine(io, line))
      printFormula(io, compiled)
    })
}

function printFormula(io: Io, compiled: CompiledFormula): void {
  const { name, description, vars, steps, deps, warnings } = compiled
  printLine(io, `Formula: ${sanitizeLine(name)}`)
  if (description !== '') printLine(io, `Description: ${sanitizeLine(description)}`)
  const required = vars.filter((each) => each.required)
  const optional = vars.filter((each) => !each.required)
  printVariables(io, 'Required vars:', required)
  printVariables(io, 'Optional vars:', optional)
  const shown = steps.filter(({ is_root, metadata }) => !is_root && metadata?.['gc.kind'] !== 'spec')
  const needs = Map.groupBy(
    deps.filter(({ type }) => type !== 'parent-child'),
    ({ step_id }) => step_id,
  )
  printLine(io, `\nSteps (${shown.length}):`)
  shown.forEach(({ id, title, type }, index) => {
    const waits = [...new Set((needs.get(id) ?? []).map(({ depends_on_id }) => depends_on_id))]
    const branch = index === shown.length - 1 ? '└──' : '├──'
    const kind = type === 'task' ? '' : ` (${type})`
    const waiting = waits.length > 0 ? ` [needs: ${waits.join(', ')}]` : ''
    printLine(io, `  ${branch} ${sanitizeLine(`${id}: ${title}${kind}${waiting}`)}`)
  })
  for (const { line, message } of warnings) io.err(`warning: line ${line}: ${sanitizeLine(message)}\n`)
}

function printVariables(io: Io, heading: string, vars: CompiledFormula['vars']): void {
  if (vars.length === 0) return
  printLine(io, `\n${heading}`)
  for (const { name, description = '', default: initial } of vars) {
    const value = typeof initial === 'string' && initial !== '' ? ` (default=${initial})` : ''
    printLine(io, sanitizeLine(`  {{${name}}}: ${description}${value}`))
  }
}

/** Diagrams give no meaning to these where text stands between quotes. */
const escapeText = (text: string): string =>
  text.replace(/[#"<>\\\p{Cc}\p{Cf}]/gu, (character) => `#${character.codePointAt(0)};`)

/** A compiled formula as the lines of a Mermaid diagram. */
function mermaid({ steps, deps }: CompiledFormula): string[] {
  const nodes = new Map(steps.map(({ id }, index) => [id, `n${index}`]))
  const drawn = steps.filter(({ metadata }) => metadata?.['gc.kind'] !== 'spec')
  const lines = drawn.map(({ id, title, metadata }) => {
    const kind = metadata?.['gc.kind']
    const text = escapeText(`${id}: ${title}`)
    return `  ${nodes.get(id)}${kind === undefined ? `["${text}"]` : `(["${text} · ${escapeText(kind)}"])`}`
  })
  const edges = deps.flatMap(({ step_id, depends_on_id, type }) => {
    const [from, to] = [nodes.get(depends_on_id), nodes.get(step_id)]
    if (from === undefined || to === undefined) return []
    return [`  ${from} ${type === 'parent-child' ? '-.-' : type === 'waits-for' ? '-.->' : '-->'} ${to}`]
  })
  return ['flowchart TD', ...lines, ...edges]
}
