import { fieldOf } from './access.ts'
import { TemplateError } from './error.ts'
import type { TemplateFunction, TemplateFunctions } from './function.ts'
import type { Meter } from './limits.ts'
import type { BranchNode, Command, Node, Operand, Pipeline } from './node.ts'
import { printed } from './printf.ts'
import { isTrue, sortedEntries, typeName, type Value } from './value.ts'

export interface InterpreterOptions {
  readonly functions: TemplateFunctions
  readonly meter: Meter
  /** Value of a field that the data lack. */
  readonly missing: 'empty' | 'error'
  template(name: string): readonly Node[] | undefined
}

/** Last argument of a function without a pipe. */
const NOTHING = Symbol('nothing')
type Final = Value | typeof NOTHING

/** End of a body: normal, or by a keyword for the loop around it. */
type Completion = 'done' | 'break' | 'continue'

interface Variable {
  readonly name: string
  value: Value
}

/** Runs one body with its own variables. */
export class Interpreter {
  #variables: Variable[]
  #line = 1

  constructor(
    private readonly options: InterpreterOptions,
    data: Value,
    private readonly output: string[],
  ) {
    this.#variables = [{ name: '$', value: data }]
  }

  run(body: readonly Node[], dot: Value): Completion {
    for (const node of body) {
      this.#line = node.line
      this.options.meter.step(node.line)
      const completion = this.#node(node, dot)
      if (completion !== 'done') return completion
    }
    return 'done'
  }

  #node(node: Node, dot: Value): Completion {
    if (node.kind === 'text') this.#write(node.text)
    else if (node.kind === 'action') this.#action(node.pipe, dot)
    else if (node.kind === 'template') this.#template(node.name, node.pipe, dot)
    else if (node.kind === 'break' || node.kind === 'continue') return node.kind
    else return this.#scoped(() => (node.kind === 'range' ? this.#range(node, dot) : this.#branch(node, dot)))
    return 'done'
  }

  #action(pipe: Pipeline, dot: Value): void {
    const value = this.#pipeline(pipe, dot)
    if (pipe.variables.length === 0) this.#write(printed(value, '<no value>'))
  }

  #write(text: string): void {
    this.options.meter.write(text, this.#line)
    this.output.push(text)
  }

  #template(name: string, pipe: Pipeline | undefined, dot: Value): void {
    const body = this.options.template(name)
    if (!body) throw this.#error(`there is no template "${name}"`)
    const value = pipe && this.#pipeline(pipe, dot)
    this.options.meter.nested(this.#line, () => new Interpreter(this.options, value, this.output).run(body, value))
  }

  #branch({ kind, pipe, body, otherwise }: BranchNode, dot: Value): Completion {
    const value = this.#pipeline(pipe, dot)
    if (isTrue(value)) return this.run(body, kind === 'with' ? value : dot)
    return otherwise ? this.run(otherwise, dot) : 'done'
  }

  #range(node: BranchNode, dot: Value): Completion {
    const { pipe, body, otherwise } = node
    const value = this.#pipeline(pipe, dot)
    let isEmpty = true
    for (const [key, item] of this.#items(value, pipe)) {
      isEmpty = false
      this.options.meter.step(node.line)
      this.#setLoopVariables(pipe, key, item)
      const completion = this.#scoped(() => this.run(body, item))
      if (completion === 'break') break
    }
    return isEmpty && otherwise ? this.run(otherwise, dot) : 'done'
  }

  *#items(value: Value, { variables }: Pipeline): Generator<[Value, Value]> {
    if (value === undefined) return
    if (typeof value === 'object') yield* sortedEntries(value)
    else if (typeof value !== 'bigint') throw this.#error(`{{range}} cannot go through a ${typeName(value)}`)
    else if (variables.length > 1) throw this.#error('{{range}} over a number sets one variable')
    else for (let number = 0n; number < value; number++) yield [undefined, number]
  }

  #setLoopVariables({ variables, isAssignment }: Pipeline, key: Value, item: Value): void {
    const [first, second] = variables
    if (first === undefined) return
    const values = second === undefined ? [item] : [key, item]
    values.forEach((value, index) => {
      const name = variables[index] ?? ''
      if (isAssignment) this.#assign(name, value)
      else {
        const variable = this.#variables.at(index - variables.length)
        if (variable) variable.value = value
      }
    })
  }

  #scoped(run: () => Completion): Completion {
    const mark = this.#variables.length
    const completion = run()
    this.#variables.length = mark
    return completion
  }

  #pipeline(pipe: Pipeline, dot: Value): Value {
    let value: Final = NOTHING
    for (const command of pipe.commands) value = this.#command(command, dot, value)
    const result = value === NOTHING ? undefined : value
    for (const name of pipe.variables) {
      if (pipe.isAssignment) this.#assign(name, result)
      else this.#variables.push({ name, value: result })
    }
    return result
  }

  #assign(name: string, value: Value): void {
    const variable = this.#variables.findLast((candidate) => candidate.name === name)
    if (!variable) throw this.#error(`there is no variable ${name}`)
    variable.value = value
  }

  #command({ first, args }: Command, dot: Value, final: Final): Value {
    this.options.meter.step(this.#line)
    if (first.kind === 'function') return this.#call(first.name, args, dot, final)
    if (args.length > 0 || final !== NOTHING) throw this.#error('only a function takes arguments')
    if (first.kind === 'nil') throw this.#error('nil is not a value')
    return this.#operand(first, dot)
  }

  #operand(operand: Operand, dot: Value): Value {
    if (operand.kind === 'constant') return operand.value
    if (operand.kind === 'dot') return dot
    if (operand.kind === 'nil') return undefined
    if (operand.kind === 'field') return this.#path(dot, operand.path)
    if (operand.kind === 'function') return this.#call(operand.name, [], dot, NOTHING)
    if (operand.kind === 'pipe') return this.#pipeline(operand.pipe, dot)
    if (operand.kind === 'chain') return this.#path(this.#operand(operand.base, dot), operand.path)
    const variable = this.#variables.findLast(({ name }) => name === operand.name)
    if (!variable) throw this.#error(`there is no variable ${operand.name}`)
    return this.#path(variable.value, operand.path)
  }

  #path(start: Value, path: readonly string[]): Value {
    return path.reduce<Value>((value, name) => this.#safely(() => fieldOf(value, name, this.options.missing)), start)
  }

  #call(name: string, args: readonly Operand[], dot: Value, final: Final): Value {
    const called = this.options.functions.get(name)
    if (!called) throw this.#error(`there is no function "${name}"`)
    const count = args.length + (final === NOTHING ? 0 : 1)
    const { length } = called.params
    if (count < length || (called.rest === undefined && count > length)) {
      throw this.#error(`${name} takes ${length} ${length === 1 ? 'argument' : 'arguments'}, and not ${count}`)
    }
    if (name === 'and' || name === 'or') return this.#firstThat(name === 'or', args, dot, final)
    const values = args.map((arg) => this.#operand(arg, dot))
    if (final !== NOTHING) values.push(final)
    this.#checkTypes(name, called, values)
    const result = this.#safely(() => called.call(values))
    if (typeof result === 'string') this.options.meter.value(result, this.#line)
    return result
  }

  /** The first argument that is true, or false; else the last. What stands behind it is not looked at. */
  #firstThat(truth: boolean, args: readonly Operand[], dot: Value, final: Final): Value {
    let value: Value
    for (const arg of args) {
      value = this.#operand(arg, dot)
      if (isTrue(value) === truth) return value
    }
    return final === NOTHING ? value : final
  }

  #checkTypes(name: string, { params, rest }: TemplateFunction, values: readonly Value[]): void {
    values.forEach((value, index) => {
      const type = params[index] ?? rest
      if (type !== 'string' || typeof value === 'string') return
      throw this.#error(`${name} takes a text, and not ${typeName(value)}`)
    })
  }

  #safely<Result>(run: () => Result): Result {
    const line = this.#line
    try {
      return run()
    } catch (error) {
      if (error instanceof TemplateError && error.line === 0) throw this.#error(error.message, line)
      throw error
    }
  }

  #error(message: string, line = this.#line): TemplateError {
    return new TemplateError(message, line)
  }
}
