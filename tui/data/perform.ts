import type { SuspendTerminal } from 'ink'
import type { Client } from '../../src/client/client.ts'
import type { Action, Location, Outcome } from '../pages/page.ts'
import type { Effect } from '../state/effects.ts'
import type { Message } from '../state/reducer.ts'
import type { Values } from '../state/state.ts'
import { errorMessage } from './errors.ts'
import type { Feed } from './feed.ts'
import { reachOf } from './feed-options.ts'

/** What effects are carried out with. */
export interface Means {
  readonly client: Client
  readonly feed: Feed | undefined
  dispatch(message: Message): void
  exit(): void
  readonly suspendTerminal: SuspendTerminal
  attach(city: string, session: string): Promise<void>
  write(text: string): void
}

type Performers = { readonly [Type in Effect['type']]: (effect: Extract<Effect, { type: Type }>, means: Means) => void }

const PERFORMERS: Performers = {
  quit: (_, { exit }) => exit(),
  more: ({ location }, { feed }) => feed?.more(location),
  reload: ({ location }, { feed }) => feed?.reload(location),
  copy: ({ text }, { write }) => write(clipboardSequence(text)),
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
  const { client, dispatch, feed } = means
  try {
    const outcome: Outcome = await action.run(reachOf(client, location), values)
    dispatch({ type: 'outcome', outcome, location })
  } catch (error) {
    dispatch({ type: 'notice', text: `${action.name}: ${errorMessage(error)}`, isBad: true })
  }
  feed?.refresh()
}

async function attach(
  { suspendTerminal, attach: open, dispatch }: Means,
  city: string,
  session: string,
): Promise<void> {
  try {
    await suspendTerminal(() => open(city, session))
  } catch (error) {
    dispatch({ type: 'notice', text: errorMessage(error), isBad: true })
  }
}

/** What puts a text on the clipboard of the terminal, also over SSH (OSC 52). */
export const clipboardSequence = (text: string): string => `\x1b]52;c;${Buffer.from(text).toString('base64')}\x07`
