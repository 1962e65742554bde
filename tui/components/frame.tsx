import { Box } from 'ink'
import { memo, type ReactNode } from 'react'
import { PREVIEW, pageOf } from '../../client/views/index.ts'
import { type Area, areasOf, hasCounts } from '../state/layout.ts'
import { focused } from '../state/navigation.ts'
import { here, type State, viewKey, viewOf } from '../state/state.ts'
import { Counts } from './counts.tsx'
import { Footer } from './footer.tsx'
import { Header } from './header.tsx'
import { type Look, LookContext } from './look.ts'
import { OverlayPanel } from './overlay.tsx'
import { RowPanel } from './row-panel.tsx'
import { TablePanel } from './table.tsx'
import { TextPanel } from './text.tsx'

interface FrameProps {
  readonly state: State
  readonly look: Look
}

/** The whole screen: where this is, the page and what lies over it, and what can be done. */
export function Frame({ state, look }: FrameProps): ReactNode {
  const { overlay, width, height } = state
  const isCovered = overlay?.kind === 'help' || overlay?.kind === 'palette'
  return (
    <LookContext value={look}>
      <Box flexDirection="column" width={width} height={height + 2}>
        <Header state={state} />
        <Box flexGrow={1} flexShrink={1} flexBasis={0} width={width}>
          {!isCovered && <Panels state={state} />}
          {overlay && <OverlayPanel {...{ state, overlay }} />}
        </Box>
        <Footer state={state} />
      </Box>
    </LookContext>
  )
}

function Panels({ state }: { state: State }): ReactNode {
  const areas = areasOf(state)
  const hasPreview = areas.some(({ isPreview }) => isPreview)
  return (
    <>
      {hasCounts(state) && <Counts state={state} />}
      {areas.map((area) => (
        <AreaPanel
          key={area.isPreview ? PREVIEW : area.location.page}
          {...{ state, area, hasPreview }}
          isFocused={!area.isPreview && viewKey(focused(state)) === viewKey(area.location)}
        />
      ))}
    </>
  )
}

interface AreaPanelProps {
  readonly state: State
  readonly area: Area
  readonly isFocused: boolean
  readonly hasPreview: boolean
}

/** A panel, which is drawn again only when something of it changes: most of what happens changes one panel. */
const AreaPanel = memo(function AreaPanel({ state, area, isFocused, hasPreview }: AreaPanelProps): ReactNode {
  const page = pageOf(area.location)
  if (area.isPreview && page.kind !== 'text') return <RowPanel {...{ state, area }} />
  if (page.kind === 'table') return <TablePanel {...{ state, page, area, isFocused, hasPreview }} />
  return page.kind === 'text' ? <TextPanel {...{ state, area, isFocused }} /> : null
}, isSamePanel)

/** What of the state no panel shows. A panel shows one of the views, and ages to the second. */
const ELSEWHERE: ReadonlySet<string> = new Set<keyof State>([
  'views',
  'now',
  'path',
  'focus',
  'overlay',
  'prompt',
  'history',
  'notice',
  'undo',
  'cities',
  'tabs',
  'lastCity',
  'known',
  'keymap',
  'hasMouse',
  'connection',
  'facts',
  'activity',
  'unanswered',
  'underWay',
])

function isSamePanel(before: AreaPanelProps, { state, area, isFocused, hasPreview }: AreaPanelProps): boolean {
  const { location, ...place } = area
  const { location: old, ...oldPlace } = before.area
  if (before.isFocused !== isFocused || before.hasPreview !== hasPreview || viewKey(old) !== viewKey(location))
    return false
  if (here(before.state) !== here(state) || viewOf(before.state, old) !== viewOf(state, location)) return false
  if (Math.floor(before.state.now / 1000) !== Math.floor(state.now / 1000)) return false
  return isSame(oldPlace, place) && isSame(before.state, state, ELSEWHERE)
}

/** Whether two objects have the same values, but for some names. */
function isSame<T extends object>(before: T, after: T, except: ReadonlySet<string> = new Set()): boolean {
  const old = new Map<string, unknown>(Object.entries(before))
  return Object.entries(after).every(([name, value]) => except.has(name) || Object.is(old.get(name), value))
}
