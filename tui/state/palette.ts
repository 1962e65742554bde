import { type Location, pages } from '../../client/views/index.ts'
import { namedActions } from './actions.ts'
import { filtersOf } from './custom.ts'
import { matchFuzzy } from './fuzzy.ts'
import { focused } from './navigation.ts'
import { type Chosen, here, type State } from './state.ts'

/** Something that the palette finds: a place that it opens, or an action that it begins. */
export interface Entry {
  readonly kind: string
  readonly text: string
  readonly does: { readonly open: Location } | { readonly begin: Chosen } | { readonly filter: string }
}

const MAX_FOUND = 100

/** Entries of the palette for a text, best first. */
export function findEntries(state: State, text: string): readonly Entry[] {
  const scored = entriesOf(state).flatMap((entry, at) => {
    const score = matchFuzzy(text, entry.text)
    return score === undefined ? [] : [{ entry, score, at }]
  })
  scored.sort((a, b) => b.score - a.score || a.at - b.at)
  return scored.slice(0, MAX_FOUND).map(({ entry }) => entry)
}

function entriesOf(state: State): Entry[] {
  const { city } = here(state)
  const actions = namedActions(state).filter(({ action }) => action.disabled === undefined)
  const reachable = pages.filter(({ about, isGlobal }) => about === undefined && (isGlobal || city !== ''))
  return [
    ...actions.map(
      (chosen): Entry => ({
        kind: 'command',
        text: [chosen.action.name, chosen.row, chosen.action.help].filter(Boolean).join(' · '),
        does: { begin: chosen },
      }),
    ),
    ...reachable.map(
      ({ name, help, isGlobal }): Entry => ({
        kind: 'page',
        text: `${name} · ${help}`,
        does: { open: { page: name, city: isGlobal ? '' : city, subject: '' } },
      }),
    ),
    ...[...filtersOf(state, focused(state).page)].map(
      ([name, filter]): Entry => ({ kind: 'filter', text: `${name} · ${filter}`, does: { filter } }),
    ),
    ...state.cities.map(
      (name): Entry => ({
        kind: 'city',
        text: name,
        does: { open: { page: 'overview', city: name, subject: '' } },
      }),
    ),
    ...state.known.map(({ kind, text, location }): Entry => ({ kind, text, does: { open: location } })),
  ]
}
