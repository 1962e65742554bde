import { Box } from 'ink'
import type { ReactNode } from 'react'
import type { Location, OverviewPage } from '../pages/page.ts'
import { pageOf } from '../pages/pages.ts'
import { focused, panelAt, panelsOf } from '../state/navigation.ts'
import { shownRows } from '../state/selection.ts'
import { here, type State } from '../state/state.ts'
import { Footer, Header } from './chrome.tsx'
import { OverlayPanel } from './overlay.tsx'
import { Table } from './table.tsx'
import { TextPanel } from './text-panel.tsx'
import type { Theme } from './theme.ts'

interface Props {
  readonly state: State
  readonly width: number
  readonly height: number
  readonly theme: Theme
}

/** The whole screen: a line of where this is, the page or what lies over it, and a line of what can be done. */
export function PageView({ state, width, height, theme }: Props): ReactNode {
  return (
    <>
      <Header {...{ state, width, theme }} />
      <Body {...{ state, width, height, theme }} />
      <Footer {...{ state, width, theme }} />
    </>
  )
}

function Body(props: Props): ReactNode {
  const { state } = props
  if (state.overlay) return <OverlayPanel {...props} overlay={state.overlay} />
  const page = pageOf(here(state))
  if (page.kind === 'overview') return <Overview {...props} page={page} />
  return <Panel {...props} location={here(state)} />
}

/** The tables of an overview, in bands of their share of the height. */
function Overview({ page, state, width, height, theme }: Props & { page: OverviewPage }): ReactNode {
  const visible = new Set(panelsOf(state).map((location) => location.page))
  const bands = page.bands.filter(({ panels }) => panels.some((name) => visible.has(name)))
  const heights = bandHeights(state, bands, height)
  return (
    <Box flexDirection="column" height={height}>
      {bands.map(({ panels }, at) => (
        <Box key={panels.join()} height={heights[at] ?? 0}>
          {panels.map((name, column) => (
            <Panel
              key={name}
              {...{ state, theme, height: heights[at] ?? 0, location: panelAt(here(state), name) }}
              width={panelWidth(width, panels.length, column)}
            />
          ))}
        </Box>
      ))}
    </Box>
  )
}

/** A band that hides when it is empty takes no more lines than it has rows; the last takes what is left. */
function bandHeights(state: State, bands: OverviewPage['bands'], height: number): number[] {
  const shares = bands.reduce((sum, { share }) => sum + share, 0)
  let left = height
  return bands.map(({ share, hidesWhenEmpty, panels }, at) => {
    const rows = Math.max(...panels.map((name) => shownRows(state, panelAt(here(state), name)).length))
    const wanted = Math.max(3, Math.floor((height * share) / shares))
    const lines = at === bands.length - 1 ? left : hidesWhenEmpty ? Math.min(rows + 1, wanted) : wanted
    left -= lines
    return lines
  })
}

const panelWidth = (width: number, panels: number, column: number): number => {
  const each = Math.floor(width / panels)
  return column === panels - 1 ? width - each * (panels - 1) : each
}

function Panel({ state, location, ...size }: Props & { location: Location }): ReactNode {
  const page = pageOf(location)
  const props = { ...size, state, location, isFocused: focused(state).page === location.page }
  if (page.kind === 'table') return <Table {...props} page={page} />
  return page.kind === 'text' ? <TextPanel {...props} page={page} /> : null
}
