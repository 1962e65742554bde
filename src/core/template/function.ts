import type { Value } from './value.ts'

/** A function that templates can call. `rest` is what all further arguments are. */
export interface TemplateFunction {
  readonly params: readonly ('any' | 'string')[]
  readonly rest?: 'any' | 'string'
  call(args: readonly Value[]): Value
}

export type TemplateFunctions = ReadonlyMap<string, TemplateFunction>

const asText = (value: Value): string => (typeof value === 'string' ? value : '')

/** A function of texts. */
export const textFunction = (params: readonly 'string'[], call: (...args: string[]) => string): TemplateFunction => ({
  params,
  call: (args) => call(...args.map(asText)),
})
