import { AppError } from '../../core/errors.ts'

/** What a template may ask for, by name. A field without a value is empty; one that is not there is a mistake. */
export type TemplateFields = Readonly<Record<string, string | undefined>>

interface Branch {
  line: number
  /** Whether its text is written out. */
  shown: boolean
  /** What `else` turns to. */
  otherwise: boolean
}

const ACTION = /\{\{(-(?=\s))?([\s\S]*?)(\s-)?\}\}/g

/**
 * Fills a template in: `{{.Agent}}`, `{{basename .WorkDir}}`, `{{cmd}}`, `{{if .Rig}}…{{else}}…{{end}}`,
 * `{{if not .Rig}}`, comments, and `{{- … -}}` which takes blanks away. Values are written as they are and never
 * read again. Anything else is refused with its line.
 */
export function renderTemplate(template: string, fields: TemplateFields, name = 'the template'): string {
  const filling = new Filling(fields)
  let at = 0
  let trimmed = false
  const textUpTo = (end?: number) => (trimmed ? template.slice(at, end).trimStart() : template.slice(at, end))
  for (const found of template.matchAll(ACTION)) {
    filling.write(found[1] ? textUpTo(found.index).trimEnd() : textUpTo(found.index))
    const line = template.slice(0, found.index).split('\n').length
    const mistake = filling.act((found[2] ?? '').trim(), line)
    if (mistake) throw new AppError('validation-failed', `${name}, line ${line}: ${mistake}`)
    at = found.index + found[0].length
    trimmed = found[3] !== undefined
  }
  filling.write(textUpTo())
  const open = filling.open
  if (open) throw new AppError('validation-failed', `${name}, line ${open.line}: this {{if}} has no {{end}}`)
  return filling.text
}

class Filling {
  text = ''
  readonly #branches: Branch[] = []

  constructor(private readonly fields: TemplateFields) {}

  get open(): Branch | undefined {
    return this.#branches.at(-1)
  }

  write(text: string): void {
    if (this.open?.shown ?? true) this.text += text
  }

  /** Does what stands between two braces; returns what is wrong with it. */
  act(action: string, line: number): string | undefined {
    if (/^\/\*[\s\S]*\*\/$/.test(action)) return undefined
    const [verb = '', ...rest] = action.split(/\s+/)
    if (verb === 'if') return this.#if(rest, line)
    if (action === 'else') return this.#else()
    if (action === 'end') return this.#branches.pop() ? undefined : 'this {{end}} ends nothing'
    const value = this.#value(action)
    if (typeof value !== 'string') return value.mistake
    this.write(value)
    return undefined
  }

  #if(words: string[], line: number): string | undefined {
    const negated = words[0] === 'not'
    const value = this.#value(words.slice(negated ? 1 : 0).join(' '))
    if (typeof value !== 'string') return value.mistake
    const outside = this.open?.shown ?? true
    const holds = (value !== '') !== negated
    this.#branches.push({ line, shown: outside && holds, otherwise: outside && !holds })
    return undefined
  }

  #else(): string | undefined {
    const branch = this.open
    if (!branch) return 'this {{else}} belongs to no {{if}}'
    branch.shown = branch.otherwise
    branch.otherwise = false
    return undefined
  }

  #value(expression: string): string | { mistake: string } {
    if (expression === 'cmd') return 'gc'
    const [, fn, field] = /^(?:(basename)\s+)?\.([A-Za-z]\w*)$/.exec(expression) ?? []
    if (field === undefined) return { mistake: `{{${expression}}} is not understood; write {{.Name}} for a field` }
    if (!Object.hasOwn(this.fields, field)) {
      return { mistake: `{{.${field}}} is not known; known are ${Object.keys(this.fields).join(', ')}` }
    }
    const value = this.fields[field] ?? ''
    return fn === 'basename' ? (value.split('/').pop() ?? '') : value
  }
}
