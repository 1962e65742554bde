import { Box, useApp, useInput, useWindowSize } from 'ink'
import { type ReactNode, useCallback, useEffect, useReducer, useRef } from 'react'
import type { Client } from '../src/client/client.ts'
import type { Timers } from '../src/client/follow.ts'
import { errorMessage, type FeedOptions, feed } from './feed.ts'
import { BeadPage } from './panels/bead.tsx'
import { CitiesPage } from './panels/cities.tsx'
import { CityPage } from './panels/city.tsx'
import { HelpPage } from './panels/help.tsx'
import { SessionPage } from './panels/session.tsx'
import { Footer, Header } from './parts/chrome.tsx'
import type { Theme } from './parts/theme.ts'
import { runCommand } from './run.ts'
import { keysOf } from './state/keys.ts'
import { type Action, type Effect, step } from './state/reducer.ts'
import { initial, type State } from './state/state.ts'

export interface DashboardProps {
  client: Client
  timers: Timers
  now(): number
  theme: Theme
  city: string | undefined
}

/** The dashboard: one reducer over keys and server events, drawn to the size of the terminal. */
export function Dashboard(props: DashboardProps): ReactNode {
  const { client, timers, now, theme } = props
  const { exit } = useApp()
  const { columns, rows } = useWindowSize()
  const current = useRef(initial(now(), props.city))
  const [state, show] = useReducer((_: State, next: State) => next, current.current)

  const perform = useCallback(
    (effect: Effect, dispatch: (action: Action) => void) => {
      if (effect.type === 'quit') return exit()
      runCommand(client, effect).then(
        (text) => dispatch({ type: 'notice', text, bad: false }),
        (error) => dispatch({ type: 'notice', text: errorMessage(error), bad: true }),
      )
    },
    [client, exit],
  )
  const dispatch = useCallback(
    (action: Action) => {
      const [next, effect] = step(current.current, action)
      current.current = next
      show(next)
      if (effect) perform(effect, dispatch)
    },
    [perform],
  )

  useInput((input, key) => {
    for (const name of keysOf(input, key)) dispatch({ type: 'key', key: name })
  })
  useFeed(state.view, { client, timers, now, dispatch })
  useTick(timers, now, dispatch)

  const size = { width: columns, height: Math.max(4, rows - 2), theme }
  return (
    <Box flexDirection="column" width={columns} height={rows}>
      <Header state={state} width={columns} theme={theme} />
      <Page state={state} {...size} />
      <Footer state={state} width={columns} theme={theme} />
    </Box>
  )
}

function Page({ state, ...size }: { state: State; width: number; height: number; theme: Theme }): ReactNode {
  if (state.help) return <HelpPage {...size} />
  if (state.view.page === 'cities') return <CitiesPage state={state} {...size} />
  if (state.view.page === 'city') return <CityPage state={state} {...size} />
  if (state.view.page === 'bead') return <BeadPage state={state} {...size} />
  return <SessionPage state={state} session={state.view.session} {...size} />
}

function useFeed(view: State['view'], options: FeedOptions): void {
  const { client, timers, now, dispatch } = options
  useEffect(() => {
    const ended = new AbortController()
    feed({ client, timers, now, dispatch }, view, ended.signal)
    return () => ended.abort()
  }, [client, timers, now, dispatch, view])
}

/** Updates the shown ages every second. */
function useTick(timers: Timers, now: () => number, dispatch: (action: Action) => void): void {
  useEffect(() => {
    let timer = { cancel: () => {} }
    const tick = () => {
      dispatch({ type: 'tick', now: now() })
      timer = timers.after(1000, tick)
    }
    timer = timers.after(1000, tick)
    return () => timer.cancel()
  }, [timers, now, dispatch])
}
