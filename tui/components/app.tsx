import { useApp, useInput, usePaste, useWindowSize } from 'ink'
import { type ReactNode, useEffect, useLayoutEffect, useSyncExternalStore } from 'react'
import type { Message } from '../state/reducer.ts'
import type { State } from '../state/state.ts'
import { keysOf } from '../terminal/keys.ts'
import { Frame } from './frame.tsx'
import type { Look } from './look.ts'

/** A state as it is shown, and how. */
export interface Shown {
  readonly state: State
  readonly look: Look
}

/** Renders the tree of components, and receives the user's input. */
export interface Stage {
  readonly shown: Shown
  subscribe(listener: () => void): () => void
  dispatch(message: Message): void
  /** Shows the state as it is now: after all that arrived together. */
  settle(): void
  /** Takes what hands the terminal to another program. */
  mounted(app: ReturnType<typeof useApp>): void
}

/** More of a pasted text is left out. */
const MAX_PASTE = 1_048_576

export function App({ stage }: { stage: Stage }): ReactNode {
  const app = useApp()
  const { columns, rows } = useWindowSize()
  const { state, look } = useSyncExternalStore(stage.subscribe, () => stage.shown)
  const dispatchAll = (messages: readonly Message[]): void => {
    for (const message of messages) stage.dispatch(message)
    stage.settle()
  }
  useInput((input, key) => dispatchAll(keysOf(input, key).map((each) => ({ type: 'key', key: each }))))
  usePaste((text) => dispatchAll([{ type: 'paste', text: text.slice(0, MAX_PASTE) }]))
  useEffect(() => stage.mounted(app), [stage, app])
  useLayoutEffect(() => {
    stage.dispatch({ type: 'size', columns, rows })
    stage.settle()
  }, [stage, columns, rows])
  return <Frame state={state} look={look} />
}
