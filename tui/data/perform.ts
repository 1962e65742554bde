import type { Action, Location, Machine, Outcome } from '../../client/views/index.ts'
import type { Client } from '../../src/client/client.ts'
import type { Timers } from '../../src/client/follow.ts'
import type { Effect } from '../state/effects.ts'
import type { Message } from '../state/reducer.ts'
import type { Run, State } from '../state/state.ts'
import { errorMessage } from './errors.ts'
import type { Feed } from './feed.ts'
import { reachOf } from './feed-options.ts'
import type { Finder } from './finder.ts'
import type { Waits } from './waits.ts'

/** Output of the dashboard: a screen, or lines that are read aloud. */
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

/** Context in which effects run. */
export interface EffectContext {
  readonly client: Client
  readonly machine: Machine
  readonly timers: Timers
  readonly feed: Feed | undefined
  readonly finder: Finder
  readonly waits: Waits
  readonly surface: Surface
  dispatch(message: Message): void
}

type Performers = {
  readonly [Type in Effect['type']]: (effect: Extract<Effect, { type: Type }>, context: EffectContext) => void
}

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
  attach: ({ location, session }, context) => void attach(context, location.city, session),
  run: (asked, context) => void run(context, asked),
  undo: ({ undo }, context) => void takeBack(context, undo),
}

/** Carries out what a step of the reducer asks for. */
export function perform<Type extends Effect['type']>(
  effect: Extract<Effect, { type: Type }>,
  context: EffectContext,
): void {
  PERFORMERS[effect.type as Type](effect, context)
}

/** An answer that takes longer is waited for aloud. */
const FEEDBACK_DELAY_MS = 700

async function run(context: EffectContext, asked: Run): Promise<void> {
  const { action, location } = asked.chosen
  const isDone = await act(context, location, action, asked.values)
  context.dispatch({ type: 'ended', run: asked, isDone })
}

/** Undo that can be repeated after a failure. */
async function takeBack(context: EffectContext, { location, undo }: NonNullable<State['undo']>): Promise<void> {
  const isDone = await act(context, location, undo, {})
  if (!isDone) context.dispatch({ type: 'outcome', location, outcome: { undo } })
}

/** Runs an action; whatever becomes of it is shown, and the page is read again. Whether it was done. */
async function act(
  context: EffectContext,
  location: Location,
  action: Pick<Action, 'name' | 'run'>,
  values: Run['values'],
): Promise<boolean> {
  const { dispatch, feed, timers, waits } = context
  const late = timers.after(FEEDBACK_DELAY_MS, () => dispatch({ type: 'awaited', name: action.name }))
  let request: string | null = null
  const client = context.client.observed(({ headers }) => {
    request = headers.get('X-GC-Request-Id')
  })
  try {
    const outcome: Outcome = await waits.for(action.run(reachOf({ ...context, client }, location), values))
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

/** An answer names the request that it came of, as the log of the supervisor does; one on several rows names those that failed. */
const withRequest = (outcome: Outcome, request: string | null): Outcome =>
  outcome.text === undefined || outcome.left ? outcome : { ...outcome, text: named(outcome.text, request) }

const named = (text: string, request: string | null): string =>
  request === null ? text : `${text} · request ${request}`

async function attach({ surface, dispatch }: EffectContext, city: string, session: string): Promise<void> {
  try {
    dispatch({ type: 'notice', text: await surface.attach(city, session), isBad: false })
  } catch (error) {
    dispatch({ type: 'notice', text: errorMessage(error), isBad: true })
  }
}
