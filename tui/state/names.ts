import type { FormField, Known } from './state.ts'

/** Names of the city that a field of a form may hold, those that begin with its text first, then those that have it elsewhere. */
export function namesFor({ names, edit: { text } }: FormField, known: readonly Known[]): readonly string[] {
  if (names === undefined) return []
  const all = known.flatMap((each) => (each.kind === names ? [each.text] : []))
  const begins = all.filter((name) => name.startsWith(text))
  return [...begins, ...all.filter((name) => !name.startsWith(text) && name.includes(text))]
}

/** The name that a text means: itself where it is a name, else the only one that begins with it or has it. */
export function completedName(field: FormField, known: readonly Known[]): string {
  const { text } = field.edit
  const found = namesFor(field, known)
  const begins = found.filter((name) => name.startsWith(text))
  const [only, ...others] = begins.length > 0 ? begins : found
  return text === '' || found.includes(text) || only === undefined || others.length > 0 ? text : only
}
