import type { ReactNode } from 'react'
import { List } from '../parts/list.tsx'
import { type Theme, toneOf } from '../parts/theme.ts'
import { rows } from '../state/rows.ts'
import type { State } from '../state/state.ts'

/** Every registered city, whether it runs, and why not. */
export function CitiesPage({
  state,
  width,
  height,
  theme,
}: {
  state: State
  width: number
  height: number
  theme: Theme
}): ReactNode {
  return (
    <List
      title="cities"
      rows={rows(state, 'cities')}
      selected={state.selected.cities}
      focused
      width={width}
      height={height}
      theme={theme}
      empty="none yet: gc init ~/my-city"
      keyOf={(city) => city.name}
      cells={(city, room) => {
        const status = city.running ? 'running' : (city.status ?? 'starting')
        return [
          { text: city.name, width: 20 },
          { text: status, width: 20, tone: toneOf(status) },
          { text: city.error ?? city.path, width: Math.max(8, room - 42), tone: city.error ? 'bad' : 'quiet' },
        ]
      }}
    />
  )
}
