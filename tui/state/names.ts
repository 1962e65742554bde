import type { FormField, Known } from './state.ts'

/** Names of the city that a field of a form may hold, those that begin with its text first, then those that have it elsewhere. */
export function namesFor({ names, edit: { text } }: FormField, known: readonly Known[]): readonly string[] {
  if (names === undefined) return []
  const all = known.flatMap((each) => (each.kind === names ? [each.text] : []))
  const begins = all.filter((name) => name.startsWith(text))
  return [...begins, ...all.filter((name) => !name.startsWith(text) && name.includes(text))]
}

/** The names that a text may mean: itself where it is a name or nothing is known of it, else those that begin with it or have it. */
export function meantNames(field: FormField, known: readonly Known[]): readonly string[] {
  const { text } = field.edit
  const found = namesFor(field, known)
  if (text === '' || found.length === 0 || found.includes(text)) return [text]
  const begins = found.filter((name) => name.startsWith(text))
  return begins.length > 0 ? begins : found
}
