import { RE2JS } from 're2js'
import type { FormField, Known } from './state.ts'

/** Values from the city for a field of a form: those that begin with its text first, then those that contain it. */
export function namesFor({ names, edit: { text } }: FormField, known: readonly Known[]): readonly Known[] {
  if (names === undefined) return []
  const all = known.filter(({ kind }) => kind === names)
  const typed = text.toLowerCase()
  const begins = all.filter(({ text }) => text.toLowerCase().startsWith(typed))
  return [...begins, ...all.filter((each) => !begins.includes(each) && each.text.toLowerCase().includes(typed))]
}

/** The names that a text may mean: itself where it is a name or nothing is known of it, else those that begin with it or have it. */
export function meantNames(field: FormField, known: readonly Known[]): readonly string[] {
  const { text } = field.edit
  const found = namesFor(field, known)
  if (text === '' || found.length === 0 || found.some(({ id }) => id === text)) return [text]
  const begins = found.filter((name) => name.text.startsWith(text))
  return (begins.length > 0 ? begins : found).map(({ id }) => id)
}

/** Reason a field cannot be left unchanged. */
export function problemOf(field: FormField | undefined): string | undefined {
  if (field === undefined) return undefined
  const { edit, title, name, isOptional, choices, pattern } = field
  if (edit.text.trim() === '') return isOptional ? undefined : `${title} is needed`
  if (choices !== undefined && !choices.includes(edit.text)) return `${name} is one of ${choices.join(', ')}`
  return pattern === undefined || matches(pattern, edit.text) ? undefined : `${name} does not match ${pattern}`
}

/** Reason no further typing makes a value of what a field holds, or that what it holds now is none. */
export function typedProblem(field: FormField, known: readonly Known[]): string | undefined {
  const { edit, names, choices = [] } = field
  if (edit.text === '') return undefined
  if (names !== undefined) {
    const isRead = known.some(({ kind }) => kind === names)
    return isRead && namesFor(field, known).length === 0 ? `there is no ${names} like it` : undefined
  }
  return choices.some((choice) => choice.startsWith(edit.text)) ? undefined : problemOf(field)
}

/** True for a pattern that cannot be read as well: the supervisor says what is wrong with it. */
function matches(pattern: string, text: string): boolean {
  try {
    return RE2JS.compile(pattern).matcher(text).find()
  } catch {
    return true
  }
}
