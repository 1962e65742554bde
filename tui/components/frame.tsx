import { Box } from 'ink'
import type { ReactNode } from 'react'
import { PREVIEW, pageOf } from '../../client/views/index.ts'
import { type Area, areasOf, hasCounts } from '../state/layout.ts'
import { focused } from '../state/navigation.ts'
import { type State, viewKey } from '../state/state.ts'
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
        <AreaPanel key={area.isPreview ? PREVIEW : area.location.page} {...{ state, area, hasPreview }} />
      ))}
    </>
  )
}

function AreaPanel({ state, area, hasPreview }: { state: State; area: Area; hasPreview: boolean }): ReactNode {
  const page = pageOf(area.location)
  if (area.isPreview && page.kind !== 'text') return <RowPanel {...{ state, area }} />
  const isFocused = !area.isPreview && viewKey(focused(state)) === viewKey(area.location)
  if (page.kind === 'table') return <TablePanel {...{ state, page, area, isFocused, hasPreview }} />
  return page.kind === 'text' ? <TextPanel {...{ state, area, isFocused }} /> : null
}
