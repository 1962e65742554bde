import type { QuestionOption } from './question.ts'

type Field = Pick<QuestionOption, 'choices' | 'several'>

/** The places of the choices that a text names, by their words or numbers; undefined when it names others, or too many. */
export function findChoices(text: string, { choices = [], several = false }: Field): number[] | undefined {
  const one = findChoice(text, choices)
  if (one !== undefined) return [one]
  if (!several) return undefined
  const places = text.split(',').map((name) => findChoice(name, choices))
  const found = places.filter((place) => place !== undefined)
  return found.length === places.length ? [...new Set(found)].sort((a, b) => a - b) : undefined
}

/** The choices in words that name them; a number where the words would be taken for several. */
export const nameChoices = (places: readonly number[], { choices = [] }: Field): string =>
  places.map((place) => (choices[place]?.includes(',') ? String(place + 1) : (choices[place] ?? ''))).join(', ')

function findChoice(text: string, choices: readonly string[]): number | undefined {
  const name = text.trim().toLowerCase()
  const place = choices.findIndex((choice) => choice.toLowerCase() === name)
  if (place >= 0) return place
  const number = /^\d{1,4}$/.test(name) ? Number(name) - 1 : -1
  return choices[number] === undefined ? undefined : number
}
