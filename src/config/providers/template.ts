import { AppError } from '../../core/errors.ts'

/** The fields of a template by name. A field without a value is empty; one that is missing is an error. */
export type TemplateFields = Readonly<Record<string, string | undefined>>

interface TemplateBranch {
  line: number
  isShown: boolean
  isElseShown: boolean
}

const ACTION = /\{\{(-(?=\s))?([\s\S]*?)(\s-)?\}\}/g

/**
 * Renders a template: `{{.Agent}}`, `{{basename .WorkDir}}`, `{{cmd}}`, `{{if .Rig}}…{{else}}…{{end}}`,
 * `{{if not .Rig}}`, comments, and `{{- … -}}` which takes blanks away. Values are written as they are and never
 * interpreted. Anything else is an error with its line.
 */
export function renderTemplate(template: string, fields: TemplateFields, name = 'the template'): string {
  const renderer = new TemplateRenderer(fields)
  let start = 0
  let isTrimmed = false
  const textUpTo = (end?: number) => (isTrimmed ? template.slice(start, end).trimStart() : template.slice(start, end))
  for (const match of template.matchAll(ACTION)) {
    renderer.write(match[1] ? textUpTo(match.index).trimEnd() : textUpTo(match.index))
    const line = template.slice(0, match.index).split('\n').length
    const error = renderer.execute((match[2] ?? '').trim(), line)
    if (error) throw new AppError('validation-failed', `${name}, line ${line}: ${error}`)
    start = match.index + match[0].length
    isTrimmed = match[3] !== undefined
  }
  renderer.write(textUpTo())
  const open = renderer.openBranch
  if (open) throw new AppError('validation-failed', `${name}, line ${open.line}: this {{if}} has no {{end}}`)
  return renderer.text
}

class TemplateRenderer {
  text = ''
  readonly #branches: TemplateBranch[] = []

  constructor(private readonly fields: TemplateFields) {}

  get openBranch(): TemplateBranch | undefined {
    return this.#branches.at(-1)
  }

  write(text: string): void {
    if (this.openBranch?.isShown ?? true) this.text += text
  }

  /** Executes the action between two braces; returns what is wrong with it. */
  execute(action: string, line: number): string | undefined {
    if (/^\/\*[\s\S]*\*\/$/.test(action)) return undefined
    const [verb = '', ...rest] = action.split(/\s+/)
    if (verb === 'if') return this.#if(rest, line)
    if (action === 'else') return this.#else()
    if (action === 'end') return this.#branches.pop() ? undefined : 'this {{end}} ends nothing'
    const value = this.#value(action)
    if (typeof value !== 'string') return value.error
    this.write(value)
    return undefined
  }

  #if(words: string[], line: number): string | undefined {
    const isNegated = words[0] === 'not'
    const value = this.#value(words.slice(isNegated ? 1 : 0).join(' '))
    if (typeof value !== 'string') return value.error
    const isOuterShown = this.openBranch?.isShown ?? true
    const isTrue = (value !== '') !== isNegated
    this.#branches.push({ line, isShown: isOuterShown && isTrue, isElseShown: isOuterShown && !isTrue })
    return undefined
  }

  #else(): string | undefined {
    const branch = this.openBranch
    if (!branch) return 'this {{else}} belongs to no {{if}}'
    branch.isShown = branch.isElseShown
    branch.isElseShown = false
    return undefined
  }

  #value(expression: string): string | { error: string } {
    if (expression === 'cmd') return 'gc'
    const [, fn, field] = /^(?:(basename)\s+)?\.([A-Za-z]\w*)$/.exec(expression) ?? []
    if (field === undefined) return { error: `{{${expression}}} is not understood; write {{.Name}} for a field` }
    if (!Object.hasOwn(this.fields, field)) {
      return { error: `{{.${field}}} is not known; known are ${Object.keys(this.fields).join(', ')}` }
    }
    const value = this.fields[field] ?? ''
    return fn === 'basename' ? (value.split('/').pop() ?? '') : value
  }
}
