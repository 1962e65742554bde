import type { Client } from '../../src/client/client.ts'
import type { Timers } from '../../src/client/follow.ts'
import type { Action, Location, Machine, Outcome } from '../pages/page.ts'
import type { Effect } from '../state/effects.ts'
import type { Message } from '../state/reducer.ts'
import type { Values } from '../state/state.ts'
import { errorMessage } from './errors.ts'
import type { Feed } from './feed.ts'
import { reachOf } from './feed-options.ts'
import type { Finder } from './finder.ts'

/** What the dashboard is shown on: a screen, or lines that are read aloud. */
export interface Surface {
  exit(): void
  /** Opens the terminal of a session in place of the dashboard; resolves when the person leaves it. */
  attach(city: string, session: string): Promise<void>
  copy(text: string): void
  alert(text: string): void
  setMouse(on: boolean): void
  redraw(): void
  suspend(): void
}

/** What effects are carried out with. */
export interface Means {
  readonly client: Client
  readonly machine: Machine
  readonly timers: Timers
  readonly feed: Feed | undefined
  readonly finder: Finder
  readonly surface: Surface
  dispatch(message: Message): void
}

type Performers = { readonly [Type in Effect['type']]: (effect: Extract<Effect, { type: Type }>, means: Means) => void }

const PERFORMERS: Performers = {
  quit: (_, { surface }) => surface.exit(),
  more: ({ location }, { feed }) => feed?.more(location),
  reload: ({ location }, { feed }) => feed?.reload(location),
  copy: ({ text }, { surface }) => surface.copy(text),
  alert: ({ text }, { surface }) => surface.alert(text),
  find: ({ city, text }, { finder }) => finder.find(city, text),
  mouse: ({ on }, { surface }) => surface.setMouse(on),
  redraw: (_, { surface }) => surface.redraw(),
  suspend: (_, { surface }) => surface.suspend(),
  attach: ({ location, session }, means) => void attach(means, location.city, session),
  run: ({ chosen, values }, means) => void run(means, chosen.location, chosen.action, values),
  undo: ({ undo: { location, undo } }, means) => void run(means, location, undo, {}),
}

/** Carries out what a step of the reducer asks for. */
export function perform<Type extends Effect['type']>(effect: Extract<Effect, { type: Type }>, means: Means): void {
  PERFORMERS[effect.type as Type](effect, means)
}

/** Runs an action; whatever becomes of it is shown, and the page is read again. */
async function run(
  means: Means,
  location: Location,
  action: Pick<Action, 'name' | 'run'>,
  values: Values,
): Promise<void> {
  const { dispatch, feed } = means
  let request: string | null = null
  const client = means.client.observed(({ headers }) => {
    request = headers.get('X-GC-Request-Id')
  })
  try {
    const outcome: Outcome = await action.run(reachOf({ ...means, client }, location), values)
    dispatch({ type: 'outcome', outcome: withRequest(outcome, request), location })
  } catch (error) {
    const text = named(`${action.name}: ${errorMessage(error)}`, request)
    dispatch({ type: 'notice', text, isBad: true })
  }
  feed?.refresh()
}

/** An answer names the request that it came of, as the log of the supervisor does. */
const withRequest = (outcome: Outcome, request: string | null): Outcome =>
  outcome.text === undefined ? outcome : { ...outcome, text: named(outcome.text, request) }

const named = (text: string, request: string | null): string =>
  request === null ? text : `${text} · request ${request}`

async function attach({ surface, dispatch }: Means, city: string, session: string): Promise<void> {
  try {
    await surface.attach(city, session)
  } catch (error) {
    dispatch({ type: 'notice', text: errorMessage(error), isBad: true })
  }
}
