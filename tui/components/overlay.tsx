import { Box, Text } from 'ink'
import type { ReactNode } from 'react'
import { displayWidth, padTo, sanitizeLine } from '../../src/client/text.ts'
import { confirmText } from '../state/confirm.ts'
import { HELP_COLUMN, shownHelp } from '../state/help.ts'
import { hintsOf } from '../state/hints.ts'
import { type Area, contentOf } from '../state/layout.ts'
import { findEntries } from '../state/palette.ts'
import { here, type Overlay, type State } from '../state/state.ts'
import { lineSpans } from './edit-line.ts'
import { formLines } from './form.ts'
import { useLook } from './look.ts'
import { Panel } from './panel.tsx'
import { type Span, selectedLine, styled, widthOf } from './styled.ts'

interface OverlayProps {
  readonly state: State
  readonly overlay: Overlay
}

type Lines = readonly (readonly Span[])[]

/** Overlay of the page: help and palette cover all of it; prompts are below their subject. */
export function OverlayPanel({ state, overlay }: OverlayProps): ReactNode {
  switch (overlay.kind) {
    case 'help':
      return <Help {...{ state, overlay }} />
    case 'palette':
      return <Palette {...{ state, overlay }} />
    case 'confirm':
      return <Sheet state={state} title={overlay.run.chosen.action.name} lines={confirmLines(state, overlay)} />
    case 'hints':
      return <Sheet state={state} title="five keys to begin with" lines={hintLines(state)} />
    case 'wait':
      return <Sheet state={state} title={overlay.chosen.action.help} lines={WAIT_LINES} />
    case 'form': {
      const { chosen } = overlay
      const title = [chosen.row, chosen.action.help].filter(Boolean).join(': ')
      return <Sheet {...{ state, title }} lines={formLines(overlay, state.known, state.width - 2, state.height)} />
    }
  }
}

/** All of the body. */
const wholeArea = (state: State): Area => ({
  ...{ location: here(state), x: 0, y: 1, width: state.width, height: state.height },
  isFramed: state.width > 20 && state.height > 4,
})

interface SheetProps {
  readonly state: State
  readonly title: string
  readonly lines: Lines
}

/** A panel at the bottom, as high as its lines, with the page above it. */
function Sheet({ state, title, lines }: SheetProps): ReactNode {
  const whole = wholeArea(state)
  const height = Math.min(state.height, lines.length + 2)
  const area = { ...whole, y: 1 + state.height - height, height }
  const { columns, lines: room } = contentOf(area)
  const filled = Array.from({ length: room }, (_, at) => lines[at] ?? [])
  return (
    <Panel area={area} isFocused title={[{ text: sanitizeLine(title), tone: 'strong' }]}>
      <SpanLines lines={filled} columns={columns} />
    </Panel>
  )
}

/** Lines as wide as their panel, so that nothing of what is below shows. */
function SpanLines({ lines, columns }: { lines: Lines; columns: number }): ReactNode {
  const { theme } = useLook()
  return lines.map((spans, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: a line is where it is
    <Box key={at} height={1} width={columns}>
      <Text wrap="truncate">
        {styled([...spans, { text: ' '.repeat(Math.max(0, columns - widthOf(spans))) }], theme)}
      </Text>
    </Box>
  ))
}

function confirmLines(state: State, overlay: Overlay & { kind: 'confirm' }): Lines {
  const { lines, room } = confirmText(state, overlay)
  const below = lines.length - overlay.first - room
  const more = lines.length > room ? ` · ${below > 0 ? `${below} more below, ` : ''}down and up scroll` : ''
  return [
    ...lines
      .slice(overlay.first, overlay.first + room)
      .map((text): readonly Span[] => [{ text: ` ${text}`, tone: 'warning' }]),
    [],
    [
      { text: ' y', tone: 'busy' },
      { text: ` confirm · any other key cancel${more}`, tone: 'quiet' },
    ],
  ]
}

const hintLines = ({ keymap }: State): Lines => {
  const hints = hintsOf(keymap)
  const width = Math.max(...hints.map(([key]) => displayWidth(key)))
  return [
    ...hints.map(([key, does]): readonly Span[] => [
      { text: ` ${padTo(key, width)}  `, tone: 'busy' },
      { text: does, tone: 'plain' },
    ]),
    [],
    [{ text: ' any key closes this; it does not come back', tone: 'quiet' }],
  ]
}

/** An action reads what it asks for. */
const WAIT_LINES: Lines = [[{ text: ' reading … · esc leaves', tone: 'quiet' }]]

/** The keys and commands of this page, from the tables that the dashboard itself uses. */
function Help({ state, overlay: { first } }: { state: State; overlay: Overlay & { kind: 'help' } }): ReactNode {
  const { theme } = useLook()
  const area = wholeArea(state)
  const { lines: room } = contentOf(area)
  const { lines: all, columns } = shownHelp(state)
  const lines = columns === 2 ? all : all.slice(first, first + room)
  const perColumn = columns === 1 ? room : Math.ceil(lines.length / 2)
  const below = columns === 1 ? all.length - first - room : 0
  const title = `keys and commands${below > 0 ? ` · ${below} more below` : ''}`
  return (
    <Panel area={area} isFocused title={[{ text: title, tone: 'strong' }]}>
      <Box>
        {Array.from({ length: columns }, (_, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a column is where it is
          <Box key={at} flexDirection="column" width={Math.floor(contentOf(area).columns / columns)}>
            {lines.slice(at * perColumn, (at + 1) * perColumn).map((text, line) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: and so is a line
              <Text key={line} wrap="truncate">
                {styled(helpSpans(text), theme)}
              </Text>
            ))}
          </Box>
        ))}
      </Box>
    </Panel>
  )
}

/** A heading, or what is pressed or typed and what that does. */
function helpSpans(text: string): Span[] {
  if (!text.startsWith(' ')) return [{ text: ` ${text}`, tone: 'strong' }]
  const at = text[HELP_COLUMN - 1] === ' ' ? HELP_COLUMN : 0
  return [{ text: ` ${text.slice(0, at)}`, tone: 'busy' }, { text: text.slice(at) }]
}

/** Results for the typed text; the marked entry stays visible. */
function Palette({ state, overlay }: { state: State; overlay: Overlay & { kind: 'palette' } }): ReactNode {
  const { theme, icons } = useLook()
  const { edit, at } = overlay
  const area = wholeArea(state)
  const { columns, lines } = contentOf(area)
  const found = findEntries(state, edit.text)
  const room = Math.max(1, lines - 2)
  const first = Math.max(0, Math.min(at - Math.floor(room / 2), found.length - room))
  const prompt = [{ text: ` ${icons.search} ` }, ...lineSpans(edit, columns - 6)]
  return (
    <Panel area={area} isFocused title={[{ text: `find · ${found.length}`, tone: 'strong' }]}>
      <Text wrap="truncate">{styled(prompt, theme)}</Text>
      <Text> </Text>
      {found.length === 0 && (
        <Text wrap="truncate">{styled([{ text: ' nothing has this name', tone: 'quiet' }], theme)}</Text>
      )}
      {found.slice(first, first + room).map(({ kind, text }, index) => {
        const spans: Span[] = [{ text: ` ${padTo(kind, 9)}`, tone: 'quiet' }, { text: sanitizeLine(text) }]
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: an entry is where it is
          <Text key={index} wrap="truncate">
            {first + index === at ? selectedLine(spans, columns, theme) : styled(spans, theme)}
          </Text>
        )
      })}
    </Panel>
  )
}
