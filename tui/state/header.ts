import { pageOf } from '../../client/views/index.ts'
import { displayWidth, sanitizeLine } from '../../src/client/text.ts'
import { here, type State } from './state.ts'
import { waitingCount } from './waiting.ts'

/** A city that is open, in the header: the one that is shown says where the person is in it. */
export interface HeaderTab {
  readonly city: string
  readonly text: string
  readonly isShown: boolean
  /** Number of things that wait for a person there, where that is not said elsewhere. */
  readonly waiting: number
  readonly x: number
  readonly width: number
}

const NAME = ' gc  '
const BETWEEN = ' │ '

/** The cities that are open and where they are in the header. */
export function tabsOf(state: State): readonly HeaderTab[] {
  const shown = here(state)
  const names = state.tabs.map(({ city }) => city)
  let x = displayWidth(NAME)
  return (names.includes(shown.city) ? names : [shown.city, ...names]).map((city) => {
    const isShown = city === shown.city
    const waiting = isShown ? 0 : waitingCount(state, city)
    const text = sanitizeLine(isShown ? placeOf(state) : city) + (waiting === 0 ? '' : ` !${waiting}`)
    const tab = { city, text, isShown, waiting, x, width: displayWidth(text) }
    x += tab.width + displayWidth(BETWEEN)
    return tab
  })
}

/** `town › session › gc-12`; the overview of a city is its name. */
export function placeOf(state: State): string {
  const { page, city, subject } = here(state)
  const title = page === 'overview' ? '' : pageOf(here(state)).title
  return [city, title, subject].filter((part) => part !== '').join(' › ')
}

export const HEADER = { name: NAME, between: BETWEEN }
