import type { Location, Row } from '../../client/views/index.ts'
import type { Effect } from './effects.ts'
import { type State, viewOf } from './state.ts'

/** Notifies the person of new attention items; what waited when the city was opened is no news. */
export function alertFor(state: State, location: Location, rows: readonly Row[]): Effect | undefined {
  if (location.page !== 'attention') return undefined
  const { rows: before, loadedAt } = viewOf(state, location)
  if (loadedAt === undefined) return undefined
  const known = new Set(before.map(({ id }) => id))
  const added = rows.filter(({ id }) => !known.has(id))
  const [first] = added
  if (!first) return undefined
  const more = added.length > 1 ? ` and ${added.length - 1} more` : ''
  return { type: 'alert', text: `${location.city}: ${wordsOf(first)}${more}` }
}

/** Asker and question. */
const wordsOf = ({ cells }: Row): string => [cells[0]?.text, cells[2]?.text].filter(Boolean).join(' ')

/** Number of things that wait for a person in the city of a location. */
export const waitingCount = (state: State, city: string): number =>
  city === '' ? 0 : viewOf(state, { page: 'attention', city, subject: '' }).rows.length
