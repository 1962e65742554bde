import type { Client } from '../../src/client/client.ts'
import type { Timers } from '../../src/client/follow.ts'
import type { Action, Location, Machine, Outcome } from '../pages/page.ts'
import type { Effect } from '../state/effects.ts'
import type { Message } from '../state/reducer.ts'
import type { Run, State } from '../state/state.ts'
import { errorMessage } from './errors.ts'
import type { Feed } from './feed.ts'
import { reachOf } from './feed-options.ts'
import type { Finder } from './finder.ts'
import type { Waits } from './waits.ts'

/** What the dashboard is shown on: a screen, or lines that are read aloud. */
export interface Surface {
  exit(): void
  /** Opens the terminal of a session in place of the dashboard; resolves with how that ended. */
  attach(city: string, session: string): Promise<string>
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
  readonly waits: Waits
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
  run: (asked, means) => void run(means, asked),
  undo: ({ undo }, means) => void takeBack(means, undo),
}

/** Carries out what a step of the reducer asks for. */
export function perform<Type extends Effect['type']>(effect: Extract<Effect, { type: Type }>, means: Means): void {
  PERFORMERS[effect.type as Type](effect, means)
}

/** An answer that takes longer is waited for aloud. */
const PATIENCE_MS = 700

async function run(means: Means, asked: Run): Promise<void> {
  const { action, location } = asked.chosen
  const isDone = await act(means, location, action, asked.values)
  means.dispatch({ type: 'ended', run: asked, isDone })
}

/** What could not be taken back can be tried again. */
async function takeBack(means: Means, { location, undo }: NonNullable<State['undo']>): Promise<void> {
  const isDone = await act(means, location, undo, {})
  if (!isDone) means.dispatch({ type: 'outcome', location, outcome: { undo } })
}

/** Runs an action; whatever becomes of it is shown, and the page is read again. Whether it was done. */
async function act(
  means: Means,
  location: Location,
  action: Pick<Action, 'name' | 'run'>,
  values: Run['values'],
): Promise<boolean> {
  const { dispatch, feed, timers, waits } = means
  const late = timers.after(PATIENCE_MS, () => dispatch({ type: 'awaited', name: action.name }))
  let request: string | null = null
  const client = means.client.observed(({ headers }) => {
    request = headers.get('X-GC-Request-Id')
  })
  try {
    const outcome: Outcome = await waits.for(action.run(reachOf({ ...means, client }, location), values))
    dispatch({ type: 'outcome', outcome: withRequest(outcome, request), location })
    return true
  } catch (error) {
    const text = named(`${action.name}: ${errorMessage(error)}`, request)
    dispatch({ type: 'notice', text, isBad: true })
    return false
  } finally {
    late.cancel()
    feed?.refresh()
  }
}

/** An answer names the request that it came of, as the log of the supervisor does. */
const withRequest = (outcome: Outcome, request: string | null): Outcome =>
  outcome.text === undefined ? outcome : { ...outcome, text: named(outcome.text, request) }

const named = (text: string, request: string | null): string =>
  request === null ? text : `${text} · request ${request}`

async function attach({ surface, dispatch }: Means, city: string, session: string): Promise<void> {
  try {
    dispatch({ type: 'notice', text: await surface.attach(city, session), isBad: false })
  } catch (error) {
    dispatch({ type: 'notice', text: errorMessage(error), isBad: true })
  }
}
