import { RE2JS } from 're2js'
import { suggestion, withHint } from '../../config/files/index.ts'
import { invalidField } from '../../core/errors.ts'
import type { Variable } from './formula.ts'
import { type TableReader, textOf } from './reader.ts'
import type { Recipe, RecipeVariables, VariableDefinition } from './recipe.ts'

/** The most that the values of all variables may hold together. */
export const MAX_VARIABLE_BYTES = 64 * 1024
/** The longest pattern. */
const MAX_PATTERN = 1000

/** Reads `[vars]`: `name = "default"`, or a table. */
export function parseVariables(table: TableReader): Map<string, Variable> {
  const vars = table.sub('vars')
  const variables = new Map<string, Variable>()
  for (const [name, node] of vars?.entries() ?? []) {
    const place = { file: table.file, line: node.line }
    if (node.kind === 'string') {
      variables.set(name, { definition: { name, type: 'string', default: node.value }, place })
      continue
    }
    const definition = node.kind === 'table' ? vars?.sub(name, `vars.${name}`) : undefined
    if (definition) variables.set(name, { definition: parseDefinition(name, definition), place })
    else vars?.problem(name, `vars.${name} must be text or a table`)
  }
  return variables
}

function parseDefinition(name: string, table: TableReader): VariableDefinition {
  const description = table.string('description')
  const node = table.entries().find(([key]) => key === 'default')?.[1]
  const initial = node && textOf(node)
  if (node && initial === undefined) table.problem('default', `vars.${name}.default must be text`)
  const required = table.boolean('required')
  if (required && node) table.problem('default', `vars.${name} is required and has a default: leave one of them out`)
  const values = table.strings('enum')
  const pattern = table.string('pattern')
  if (pattern !== undefined && !compilePattern(pattern)) {
    table.problem('pattern', `vars.${name}.pattern is not a regular expression of RE2: ${pattern.slice(0, 100)}`)
  }
  return {
    ...{ name, type: table.string('type') ?? 'string' },
    ...(description !== undefined && { description }),
    ...(initial !== undefined && { default: initial }),
    ...(required && { required }),
    ...(values.length > 0 && { enum: values }),
    ...(pattern !== undefined && { pattern }),
  }
}

const compiled = new Map<string, RE2JS | undefined>()
const MAX_COMPILED = 500

/** A pattern in RE2's syntax, which takes time in proportion to the text; undefined when it is none. */
function compilePattern(pattern: string): RE2JS | undefined {
  if (compiled.has(pattern)) return compiled.get(pattern)
  if (compiled.size >= MAX_COMPILED) compiled.clear()
  const result = tryCompile(pattern)
  compiled.set(pattern, result)
  return result
}

function tryCompile(pattern: string): RE2JS | undefined {
  if (pattern.length > MAX_PATTERN) return undefined
  try {
    return RE2JS.compile(pattern)
  } catch {
    return undefined
  }
}

/** The values active: the defaults under what was given. */
export function valuesOf(
  definitions: Iterable<VariableDefinition>,
  given: Readonly<Record<string, string>>,
): Record<string, string> {
  const values: Record<string, string> = {}
  for (const definition of definitions) {
    if (definition.default !== undefined) values[definition.name] = definition.default
  }
  return { ...values, ...given }
}

/** Variables that gc gives to every formula, or to those that ask for them, under what the caller says. */
const GIVEN = ['rig_name', 'binding_name', 'binding_prefix', 'base_branch', 'target_branch', 'issue']

/** Variables that the launch of a graph gives. */
export const RESERVED = ['convoy_id', 'bead_id']

/** True if gc itself gives a variable to runs. */
export const isGiven = (name: string): boolean => GIVEN.includes(name) || RESERVED.includes(name)

/** A sentence for each unknown variable of a formula, with the closest known one. */
export function unknownVariables(given: readonly string[], known: readonly string[]): string[] {
  const names = new Set([...known, ...GIVEN])
  return given
    .filter((name) => !names.has(name))
    .map((name) => withHint(`unknown variable "${name.slice(0, 100)}"`, suggestion(name, known) || listOf(known)))
}

const MAX_NAMED = 20

function listOf(known: readonly string[]): string {
  if (known.length === 0) return 'the formula has no variables'
  const more = known.length > MAX_NAMED ? ` and ${known.length - MAX_NAMED} more` : ''
  return `the formula has ${known.slice(0, MAX_NAMED).join(', ')}${more}`
}

/** Problems with the values of a recipe, a sentence each; checked when work is made of it. */
export const validateVariables = ({ variables }: Pick<Recipe, 'variables'>): string[] => validateValues(variables)

export function validateValues({ definitions, values }: RecipeVariables): string[] {
  const problems = definitions.flatMap((definition) => {
    const value = Object.hasOwn(values, definition.name) ? values[definition.name] : undefined
    return value === undefined || (definition.required && value === '') ? missing(definition) : judge(definition, value)
  })
  const tooLarge = sizeProblem(values)
  return tooLarge === undefined ? problems : [...problems, tooLarge]
}

function sizeProblem(values: Readonly<Record<string, string>>): string | undefined {
  const bytes = Object.values(values).reduce((sum, value) => sum + Buffer.byteLength(value), 0)
  if (bytes <= MAX_VARIABLE_BYTES) return undefined
  return `the variables hold ${bytes} bytes: ${MAX_VARIABLE_BYTES} is the most; put long text in a bead`
}

/** Throws when the variables that a request gives hold too much. */
export function requireSmallVariables(values: Readonly<Record<string, string>>): void {
  const problem = sizeProblem(values)
  if (problem !== undefined) throw invalidField('body.vars', problem)
}

const missing = ({ name, required }: VariableDefinition): string[] =>
  required ? [`variable "${name}" is required`] : []

function judge({ name, enum: choices, pattern }: VariableDefinition, value: string): string[] {
  const problems: string[] = []
  const shown = value.length > 100 ? `${value.slice(0, 100)}…` : value
  if (choices && !choices.includes(value)) {
    problems.push(`variable "${name}": value "${shown}" is not one of ${choices.join(', ')}`)
  }
  if (pattern !== undefined && !compilePattern(pattern)?.matcher(value).find()) {
    problems.push(`variable "${name}": value "${shown}" does not match the pattern ${pattern}`)
  }
  return problems
}
