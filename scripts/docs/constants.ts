import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { type Expression, type Node, type PropertyKey, parseSync, Visitor } from 'oxc-parser'

const ROOT = resolve(import.meta.dir, '../..')

/** Expressions of a source file by name. */
interface Named {
  /** Constants, and the options of calls such as `integer('batch', { min: 1, max: 64 })` under their first argument. */
  readonly constants: ReadonlyMap<string, Node>
  /** Properties of objects and defaults of parameters. */
  readonly properties: ReadonlyMap<string, readonly Node[]>
}

/**
 * The value of a number in the sources, by file and name, exported or not. A name is a constant of the file, a member of
 * one such as `LIMITS.output` or `VERSION.0`, or a property or default whose name has one value in the file.
 */
export function constantOf(path: string, name: string): number {
  const named = readNames(path)
  const [first = '', key] = name.split('.')
  const constant = named.constants.get(first)
  const value = key === undefined ? constant : memberOf(constant, key)
  const nodes = value ? [value] : (named.properties.get(name) ?? [])
  const values = new Set(nodes.map((node) => evaluate(node, named)).filter((value) => value !== undefined))
  const [number] = values
  if (number === undefined) throw new Error(`${path} has no number called ${name}`)
  if (values.size > 1) throw new Error(`${path} has several numbers called ${name}: ${[...values].join(', ')}`)
  return number
}

const known = new Map<string, Named>()

function readNames(path: string): Named {
  const read = known.get(path)
  if (read) return read
  const constants = new Map<string, Node>()
  const properties = new Map<string, Node[]>()
  const addProperty = (name: string, node: Node) => properties.set(name, [...(properties.get(name) ?? []), node])
  new Visitor({
    VariableDeclarator: ({ id, init }) => {
      if (!init) return
      if (id.type === 'Identifier') constants.set(id.name, init)
      if (id.type === 'ArrayPattern' && init.type === 'ArrayExpression')
        for (const [at, element] of id.elements.entries()) {
          const value = init.elements[at]
          if (element?.type === 'Identifier' && value) constants.set(element.name, value)
        }
    },
    CallExpression: ({ arguments: [name, options] }) => {
      if (name?.type === 'Literal' && typeof name.value === 'string' && options?.type === 'ObjectExpression')
        constants.set(name.value, options)
    },
    Property: ({ key, value }) => addProperty(nameOf(key), value),
  }).visit(parseSync(path, readFileSync(join(ROOT, path), 'utf8')).program)
  const named = { constants, properties }
  known.set(path, named)
  return named
}

function memberOf(node: Node | undefined, key: string): Node | undefined {
  if (node?.type === 'TSAsExpression') return memberOf(node.expression, key)
  if (node?.type === 'ArrayExpression') return node.elements[Number(key)] ?? undefined
  if (node?.type !== 'ObjectExpression') return undefined
  return node.properties.flatMap((each) => (each.type === 'Property' && nameOf(each.key) === key ? each.value : []))[0]
}

const nameOf = (key: PropertyKey | Expression): string =>
  'name' in key && typeof key.name === 'string' ? key.name : ''

const OPERATORS: Readonly<Record<string, (one: number, other: number) => number>> = {
  '+': (one, other) => one + other,
  '-': (one, other) => one - other,
  '*': (one, other) => one * other,
  '/': (one, other) => one / other,
  '**': (one, other) => one ** other,
  '<<': (one, other) => one * 2 ** other,
}

function evaluate(node: Node, named: Named): number | undefined {
  if (node.type === 'Literal') return typeof node.value === 'number' ? node.value : undefined
  if (node.type === 'AssignmentPattern') return evaluate(node.right, named)
  if (node.type === 'ParenthesizedExpression') return evaluate(node.expression, named)
  if (node.type === 'Identifier') {
    const constant = named.constants.get(node.name)
    return constant && evaluate(constant, named)
  }
  if (node.type === 'MemberExpression' && node.object.type === 'Identifier' && node.property.type === 'Identifier') {
    const member = memberOf(named.constants.get(node.object.name), node.property.name)
    return member && evaluate(member, named)
  }
  // The right side is the default.
  if (node.type === 'LogicalExpression') return evaluate(node.right, named)
  if (node.type !== 'BinaryExpression') return undefined
  const operate = OPERATORS[node.operator]
  const one = evaluate(node.left, named)
  const other = evaluate(node.right, named)
  return operate && one !== undefined && other !== undefined ? operate(one, other) : undefined
}

/** A version in the sources: a list of numbers. */
export const versionOf = (path: string, name: string): string =>
  [0, 1, 2].map((at) => constantOf(path, `${name}.${at}`)).join('.')
