import { SHORT_LIMITS, TemplateError, TemplateSet } from '../../core/template/index.ts'
import { FUNCTION_NAMES, promptFunctions } from './functions.ts'
import { type TemplateFields, toData } from './subject.ts'

const MAX_LENGTH = 64 * 1024

/**
 * Fills in a command, an argument or a path. What is not a template of ours, such as the format of another program, stays
 * as it is written.
 */
export function renderCommand(text: string, fields: TemplateFields): string {
  if (!text.includes('{{') || text.length > MAX_LENGTH) return text
  try {
    return renderStrictly(text, fields)
  } catch (error) {
    if (error instanceof TemplateError) return text
    throw error
  }
}

/** Renders a template in which every field must be known; throws a TemplateError for what is wrong with it. */
export function renderStrictly(text: string, fields: TemplateFields): string {
  const set = new TemplateSet(FUNCTION_NAMES)
  set.add('', text)
  return set.render('', toData(fields), promptFunctions, { limits: SHORT_LIMITS, missing: 'error' })
}
