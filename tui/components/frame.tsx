import { Box } from 'ink'
import type { ReactNode } from 'react'
import { pageOf } from '../pages/pages.ts'
import { type Area, areasOf } from '../state/layout.ts'
import { focused } from '../state/navigation.ts'
import { type State, viewKey } from '../state/state.ts'
import { Footer } from './footer.tsx'
import { Header } from './header.tsx'
import { type Look, LookContext } from './look.ts'
import { OverlayPanel } from './overlay.tsx'
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
        <Box flexGrow={1} flexShrink={1} flexBasis={0} width={width} overflow="hidden">
          {!isCovered && areasOf(state).map((area) => <AreaPanel key={area.location.page} {...{ state, area }} />)}
          {overlay && <OverlayPanel {...{ state, overlay }} />}
        </Box>
        <Footer state={state} />
      </Box>
    </LookContext>
  )
}

function AreaPanel({ state, area }: { state: State; area: Area }): ReactNode {
  const page = pageOf(area.location)
  const isFocused = viewKey(focused(state)) === viewKey(area.location)
  if (page.kind === 'table') return <TablePanel {...{ state, page, area, isFocused }} />
  return page.kind === 'text' ? <TextPanel {...{ state, area, isFocused }} /> : null
}
