import { BUILTINS } from './builtins.ts'
import type { TemplateFunctions } from './function.ts'
import { Interpreter } from './interpreter.ts'
import { FULL_LIMITS, Meter, type TemplateLimits } from './limits.ts'
import { isEmptyBody, type Node } from './node.ts'
import { type ParsedTemplate, parseTemplate } from './parser.ts'
import type { Value } from './value.ts'

export interface RenderOptions {
  readonly limits?: TemplateLimits
  /** What a field is that the data lack; `empty` unless it says otherwise. */
  readonly missing?: 'empty' | 'error'
}

/** Functions of the caller; `render` writes another template of the set, for functions that choose one. */
export type MakeFunctions = (set: {
  has(name: string): boolean
  render(name: string, data: Value): string
}) => TemplateFunctions

/** Templates that can call each other by name, in the language of Go's text/template. */
export class TemplateSet {
  readonly #bodies = new Map<string, readonly Node[]>()
  readonly #names: ReadonlySet<string>

  /** `functionNames` are the functions that templates may call beside the builtins. */
  constructor(functionNames: Iterable<string> = []) {
    this.#names = new Set([...BUILTINS.keys(), ...functionNames])
  }

  get names(): string[] {
    return [...this.#bodies.keys()]
  }

  has(name: string): boolean {
    return this.#bodies.has(name)
  }

  /** Parses a template and adds it under its name, and what it defines under theirs; the later one of a name wins. */
  add(name: string, source: string): void {
    const { body, definitions } = this.#parse(source)
    for (const [defined, nodes] of [...definitions, [name, body] as const]) {
      if (this.#bodies.has(defined) && isEmptyBody(nodes)) continue
      this.#bodies.set(defined, nodes)
    }
  }

  /** Adds only what a file defines. */
  addDefinitions(source: string): void {
    for (const [name, body] of this.#parse(source).definitions) {
      if (!this.#bodies.has(name) || !isEmptyBody(body)) this.#bodies.set(name, body)
    }
  }

  /** The same templates, to which others can be added. */
  copy(): TemplateSet {
    const copy = new TemplateSet(this.#names)
    for (const [name, body] of this.#bodies) copy.#bodies.set(name, body)
    return copy
  }

  /** Renders one template; throws a TemplateError when it cannot. */
  render(name: string, data: Value, makeFunctions?: MakeFunctions, options: RenderOptions = {}): string {
    const meter = new Meter(options.limits ?? FULL_LIMITS)
    const template = (called: string) => this.#bodies.get(called)
    const run = (called: string, value: Value): string => {
      const output: string[] = []
      new Interpreter(interpreting, value, output).run(template(called) ?? [], value)
      return output.join('')
    }
    const own = makeFunctions?.({
      has: (called) => this.has(called),
      render: (called, value) => meter.nested(0, () => run(called, value)),
    })
    const functions = new Map([...BUILTINS, ...(own ?? [])])
    const interpreting = { functions, meter, missing: options.missing ?? 'empty', template }
    return run(name, data)
  }

  #parse(source: string): ParsedTemplate {
    return parseTemplate(source, this.#names)
  }
}
