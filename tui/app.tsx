import { Box, useApp, useInput, useWindowSize } from 'ink'
import { type ReactNode, useCallback, useEffect, useReducer, useRef } from 'react'
import type { Client } from '../src/client/client.ts'
import type { Timers } from '../src/client/follow.ts'
import { Feed } from './data/feed.ts'
import { perform } from './data/perform.ts'
import { PageView } from './parts/page-view.tsx'
import type { Theme } from './parts/theme.ts'
import type { Effect } from './state/effects.ts'
import { keysOf } from './state/keys.ts'
import { type Message, step } from './state/reducer.ts'
import { here, initialState, type State, viewKey, viewOf } from './state/state.ts'

export interface DashboardProps {
  readonly client: Client
  readonly timers: Timers
  now(): number
  readonly theme: Theme
  readonly city: string | undefined
  /** Opens the terminal of a session in place of the dashboard; resolves when the person leaves it. */
  attach(city: string, session: string): Promise<void>
  /** Writes to the terminal past the page, such as for its clipboard. */
  write(text: string): void
}

/** The dashboard: one reducer over keys and what the server sends, drawn to the size of the terminal. */
export function Dashboard(props: DashboardProps): ReactNode {
  const { client, timers, now, theme, attach, write } = props
  const { exit, suspendTerminal } = useApp()
  const { columns, rows } = useWindowSize()
  const current = useRef(initialState(now(), props.city))
  const feed = useRef<Feed>(undefined)
  const act = useRef((_: Effect) => {})
  const [state, show] = useReducer((_: State, next: State) => next, current.current)

  const dispatch = useCallback((message: Message) => {
    const [next, effect] = step(current.current, message)
    if (next !== current.current) show(next)
    current.current = next
    if (effect) act.current(effect)
  }, [])
  act.current = (effect) =>
    perform(effect, { client, dispatch, exit, suspendTerminal, attach, write, feed: feed.current })

  useInput((input, key) => {
    for (const name of keysOf(input, key)) dispatch({ type: 'key', key: name })
  })
  const location = here(state)
  const key = viewKey(location)
  // biome-ignore lint/correctness/useExhaustiveDependencies: two locations with one key are the same place
  useEffect(() => {
    const viewAt = (at: typeof location) => viewOf(current.current, at)
    const opened = new Feed({ client, timers, now, dispatch, viewOf: viewAt }, location)
    feed.current = opened
    opened.start()
    return () => opened.close()
  }, [client, timers, now, dispatch, key])
  useCities(client, dispatch)
  useTick(timers, now, dispatch)
  const height = Math.max(4, rows - 2)
  useEffect(() => dispatch({ type: 'height', lines: height }), [dispatch, height])

  return (
    <Box flexDirection="column" width={columns} height={rows}>
      <PageView state={state} width={columns} height={height} theme={theme} />
    </Box>
  )
}

/** Reads the names of the cities once, for `:city`; the page of cities shows whatever keeps them from being read. */
function useCities(client: Client, dispatch: (message: Message) => void): void {
  useEffect(() => {
    client.call('GET /v0/cities').then(
      ({ items }) => dispatch({ type: 'cities', names: items.map(({ name }) => name) }),
      () => {},
    )
  }, [client, dispatch])
}

/** Updates the shown ages every second. */
function useTick(timers: Timers, now: () => number, dispatch: (message: Message) => void): void {
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
