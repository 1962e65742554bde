import { renderToString } from 'ink'
import { createElement } from 'react'
import type { Action, Location, Row } from '../../../client/views/page.ts'
import { Frame } from '../../../tui/components/frame.tsx'
import { ICONS } from '../../../tui/components/icons.ts'
import { createTheme } from '../../../tui/components/theme.ts'
import type { Effect } from '../../../tui/state/effects.ts'
import { type Message, step } from '../../../tui/state/reducer.ts'
import { initialState, type State } from '../../../tui/state/state.ts'

export const at = (page: string, subject = ''): Location => ({ page, city: page === 'cities' ? '' : 'alpha', subject })

/** A row whose first cell is its id. */
export const row = (id: string, more: Partial<Row> = {}): Row => ({
  id,
  cells: [{ text: id }],
  opens: undefined,
  isSystem: false,
  actions: () => [],
  ...more,
})

export const action = (key: string, name: string, more: Partial<Action> = {}): Action => ({
  ...{ key, name, help: `what ${name} does` },
  run: async () => ({}),
  ...more,
})

/** The server’s answer for a table. */
export const rows = (
  page: string,
  items: readonly Row[],
  more: { total?: number; hasMore?: boolean } = {},
): Message => ({
  ...{ type: 'rows', location: at(page), rows: items, total: more.total, hasMore: more.hasMore ?? false, now: 1 },
})

export const after = (state: State, ...messages: Message[]): State =>
  messages.reduce((state, message) => step(state, message)[0], state)

export const press = (state: State, ...keys: string[]): State =>
  after(state, ...keys.map((key): Message => ({ type: 'key', key })))

/** Enters a command; the state and what should be done. */
export const enter = (state: State, command: string): readonly [State, Effect?] =>
  step(press(state, ':', ...command), { type: 'key', key: 'enter' })

/** The overview of the city alpha. */
export const alpha = initialState(0, 'alpha')

const PLAIN = { theme: createTheme({ name: 'none', colours: 0, isLight: false }), icons: ICONS.unicode }

/** Screen of a state: its lines at this size, without styles. */
export function frame(state: State, columns = 80, rows = 24): string[] {
  const sized = after(state, { type: 'size', columns, rows })
  return Bun.stripANSI(renderToString(createElement(Frame, { state: sized, look: PLAIN }), { columns })).split('\n')
}

/** Contents of the panels of a screen, without borders. */
export const inside = (lines: readonly string[]): string[] =>
  lines.map((line) => line.replaceAll(/[│╭╮╰╯─]/g, ' ').trim())
