import { StepsExceededError, TemplateError, type TemplateLimits, TemplateSet } from '../../core/template/index.ts'
import { FUNCTION_NAMES, promptFunctions } from './functions.ts'
import type { TextFile } from './prompt-template.ts'

/** Input of a rendered prompt; it can be sent to another thread. */
export interface PromptRequest {
  readonly file: string
  readonly text: string
  /** Fragments that the prompt can call by name; later definitions win. */
  readonly fragments: readonly TextFile[]
  /** The fragments that are put behind the prompt. */
  readonly append: readonly string[]
  readonly data: Readonly<Record<string, string>>
}

export interface RenderedPrompt {
  readonly text: string
  /** Problems with its templates, a sentence each. */
  readonly warnings: readonly string[]
}

const PROMPT = ''

/** True if a file is a template; any other is used unchanged. */
export const isTemplateFile = (file: string): boolean => /\.(?:template\.md|md\.tmpl)$/.test(file)

/**
 * Renders a prompt and the fragments behind it. A template that has an error is used as it is written, with a warning. Only
 * a prompt that takes more steps than allowed is thrown.
 */
export function renderPrompt(request: PromptRequest, limits: TemplateLimits): RenderedPrompt {
  const warnings: string[] = []
  const { set, broken } = parseFragments(request.fragments)
  warnings.push(...broken)
  const data = new Map(Object.entries(request.data))
  const body = withoutFrontmatter(request.text)
  const render = (name: string) => set.render(name, data, promptFunctions, { limits })
  const texts = [
    isTemplateFile(request.file)
      ? attempt(warnings, request.file, body, () => {
          const own = set.copy()
          own.add(PROMPT, body)
          return own.render(PROMPT, data, promptFunctions, { limits })
        })
      : body,
  ]
  for (const name of new Set(request.append)) {
    if (set.has(name)) texts.push(attempt(warnings, `the fragment "${name}"`, '', () => render(name)))
    else warnings.push(`${request.file}: there is no fragment "${name}" to put behind it`)
  }
  return {
    text: texts
      .map((text) => text.trim())
      .filter(Boolean)
      .join('\n\n'),
    warnings,
  }
}

/** The text without the block of YAML that some files begin with. */
export function withoutFrontmatter(text: string): string {
  const [block = ''] = /^\uFEFF?---[ \t]*\r?\n(?:[\s\S]*?\r?\n)?---[ \t]*(?:\r?\n|$)/.exec(text) ?? []
  return text.slice(block.length)
}

interface ParsedFragments {
  readonly set: TemplateSet
  readonly broken: readonly string[]
}

const parsed = new WeakMap<readonly TextFile[], ParsedFragments>()

/** The fragments of an agent; the same list is parsed once. */
function parseFragments(files: readonly TextFile[]): ParsedFragments {
  const cached = parsed.get(files)
  if (cached) return cached
  const set = new TemplateSet(FUNCTION_NAMES)
  const broken: string[] = []
  for (const { file, text } of files) {
    attempt(broken, file, '', () => {
      set.addDefinitions(withoutFrontmatter(text))
      return ''
    })
  }
  const result = { set, broken }
  parsed.set(files, result)
  return result
}

/** Runs what may be wrong with a template; then it is a warning and the other text stands. */
function attempt(warnings: string[], what: string, otherwise: string, run: () => string): string {
  try {
    return run()
  } catch (error) {
    if (!(error instanceof TemplateError) || error instanceof StepsExceededError) throw error
    const line = error.line > 0 ? `, line ${error.line}` : ''
    const remedy = otherwise === '' ? 'it is left out' : 'the text is used as it is written'
    warnings.push(`${what}${line}: ${error.message}; ${remedy}`)
    return otherwise
  }
}

/** A prompt as it is written, since it could not be rendered. */
export const unrendered = ({ file, text }: PromptRequest, problem: string): RenderedPrompt => ({
  text: withoutFrontmatter(text).trim(),
  warnings: [`${file}: ${problem}; the text is used as it is written`],
})
