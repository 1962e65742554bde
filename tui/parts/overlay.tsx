import { Box, Text } from 'ink'
import type { ReactNode } from 'react'
import { padTo, sanitizeLine, sanitizeLines, truncate } from '../../src/client/text.ts'
import { pageOf, pages } from '../pages/pages.ts'
import { namedActions, rowActions } from '../state/actions.ts'
import { usageOf } from '../state/commands.ts'
import { bindings } from '../state/keys.ts'
import type { LineEdit } from '../state/line.ts'
import { focused } from '../state/navigation.ts'
import type { Overlay, State } from '../state/state.ts'
import type { Theme } from './theme.ts'

interface Props {
  readonly state: State
  readonly width: number
  readonly height: number
  readonly theme: Theme
}

/** What lies over the page: the help, a question before something that hurts, or a form. */
export function OverlayPanel({ overlay, ...props }: Props & { overlay: Overlay }): ReactNode {
  if (overlay.kind === 'help') return <Help {...props} />
  if (overlay.kind === 'confirm') return <Confirm {...props} overlay={overlay} />
  return <Form {...props} overlay={overlay} />
}

/** The keys and commands of this page, from the tables that the dashboard itself uses. */
function Help({ state, width, height, theme }: Props): ReactNode {
  const own = rowActions(state)
  const named = namedActions(state).filter((chosen) => !own.some(({ action }) => action.name === chosen.action.name))
  const actions = own.map(({ action }) => {
    const why = action.disabled === undefined ? '' : ` (${action.disabled})`
    return `  ${padTo(action.key, 4)}${padTo(usageOf(action), 22)} ${action.help}${why}`
  })
  const lines = [
    `${pageOf(focused(state)).title}: its keys`,
    ...actions,
    'everywhere',
    ...named.map(({ action }) => `  ${padTo(usageOf(action), 26)} ${action.help}`),
    ...bindings.map(({ keys, help }) => `  ${padTo(keys.join(' '), 16)} ${help}`),
    'pages',
    ...pages.map(
      ({ name, about, help }) => `  ${padTo(`:${name}${about ? ` ${about.toUpperCase()}` : ''}`, 22)} ${help}`,
    ),
    `  ${padTo(':city NAME', 22)} another city`,
  ]
  const columns = lines.length > height && width >= 120 ? 2 : 1
  const perColumn = columns === 1 ? height : Math.ceil(lines.length / 2)
  return (
    <Box height={height} width={width}>
      {Array.from({ length: columns }, (_, at) => lines.slice(at * perColumn, (at + 1) * perColumn)).map((part) => (
        <Box key={part[0]} flexDirection="column" width={Math.floor(width / columns)}>
          {part.slice(0, height).map((line) => (
            <Text key={line} wrap="truncate" {...theme(line.startsWith(' ') ? 'plain' : 'strong')}>
              {` ${sanitizeLine(line)}`}
            </Text>
          ))}
        </Box>
      ))}
    </Box>
  )
}

function Confirm({ overlay, width, height, theme }: Props & { overlay: Overlay & { kind: 'confirm' } }): ReactNode {
  return (
    <Box flexDirection="column" height={height} width={width} padding={1}>
      <Text {...theme('warning')}>{sanitizeLines(overlay.chosen.action.confirm ?? '')}</Text>
      <Text> </Text>
      <Text>y does it · any other key leaves everything as it is</Text>
    </Box>
  )
}

function Form({ overlay, width, height, theme }: Props & { overlay: Overlay & { kind: 'form' } }): ReactNode {
  const { action } = overlay.chosen
  return (
    <Box flexDirection="column" height={height} width={width} padding={1}>
      <Text {...theme('strong')}>{action.help}</Text>
      <Text> </Text>
      {overlay.fields.map(({ name, title, edit }, at) => (
        <Box key={name} flexDirection="column">
          <Text {...theme(at === overlay.at ? 'strong' : 'quiet')}>{truncate(sanitizeLine(title), width - 4)}</Text>
          {at === overlay.at ? (
            <EditLine edit={edit} width={width - 6} />
          ) : (
            <Text>{`  ${sanitizeLine(edit.text)}`}</Text>
          )}
        </Box>
      ))}
      <Text> </Text>
      <Text {...theme('quiet')}>enter goes on · tab another field · esc leaves everything as it is</Text>
    </Box>
  )
}

/** A line with its caret; its end stays visible. */
export function EditLine({ edit, width, mark = '  ' }: { edit: LineEdit; width: number; mark?: string }): ReactNode {
  const characters = [...sanitizeLine(edit.text)]
  const first = Math.max(0, edit.caret - Math.max(1, width - 2))
  const before = characters.slice(first, edit.caret).join('')
  const after = characters.slice(edit.caret + 1).join('')
  return (
    <Text wrap="truncate">
      {mark}
      {before}
      <Text inverse>{characters[edit.caret] ?? ' '}</Text>
      {after}
    </Text>
  )
}
