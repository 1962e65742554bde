import { confirmationOf } from '../../client/views/index.ts'
import { sanitizeLine, sanitizeLines } from '../../src/client/text.ts'
import type { Dashboard, View } from '../dashboard.ts'
import { helpLines } from '../state/help.ts'
import { focused, panelsOf } from '../state/navigation.ts'
import { selectedRow } from '../state/selection.ts'
import { here, type State, viewKey } from '../state/state.ts'
import { bell } from '../terminal/sequences.ts'
import { panelChanges, panelText, placeText, selectedText } from './reading.ts'
import { isYes, keysOf, WORDS } from './words.ts'

/** Minimum interval between spoken updates of the server. */
const SAY_MS = 400

interface PlainOptions {
  write(text: string): void
  readonly bell: boolean
}

/** The dashboard as lines: every change is a sentence, every command a line. */
export class PlainView implements View {
  #said: State | undefined
  #state: State | undefined
  #timer: NodeJS.Timeout | undefined
  readonly #ended = Promise.withResolvers<void>()

  constructor(private readonly options: PlainOptions) {}

  /** Takes a command from each line, until there are no more or the person quits; begins with hints, where there are any. */
  async run(lines: AsyncIterable<string>, dashboard: Dashboard, hints = ''): Promise<void> {
    this.#state = dashboard.state
    this.#write('The dashboard, line by line. Type help for its words, quit to leave.')
    if (hints !== '') this.#write(`Keys to begin with: ${hints}.`)
    this.#say()
    await Promise.race([this.#ended.promise, this.#obey(lines, dashboard)])
    clearTimeout(this.#timer)
  }

  changed(state: State): void {
    this.#state = state
    this.#timer ??= setTimeout(() => this.#say(), SAY_MS)
  }

  exit(): void {
    this.#ended.resolve()
  }

  async attach(_: string, session: string): Promise<string> {
    return `A terminal is not shown line by line: gc session attach ${sanitizeLine(session)} opens it.`
  }

  /** Without a screen there is no clipboard: what would be copied is written. */
  copy(text: string): void {
    this.#write(sanitizeLines(text))
  }

  alert(text: string): void {
    this.#write(`${this.options.bell ? bell : ''}Something waits for you: ${sanitizeLine(text)}`)
  }

  setMouse(): void {
    this.#write('There is no mouse here.')
  }

  redraw(): void {
    if (this.#state) this.#readAll(this.#state)
  }

  suspend(): void {
    process.kill(0, 'SIGTSTP')
  }

  async #obey(lines: AsyncIterable<string>, { dispatch }: Dashboard): Promise<void> {
    for await (const line of lines) {
      const before = this.#state
      if (before) this.#obeyLine(line.trim(), before, dispatch)
      this.#say()
      if (before && this.#state && selectionOf(before) !== selectionOf(this.#state))
        this.#writeAll(selectedText(this.#state))
    }
  }

  #obeyLine(line: string, { keymap, overlay }: State, dispatch: Dashboard['dispatch']): void {
    const isTyping = overlay?.kind === 'form'
    if (overlay?.kind === 'confirm') dispatch({ type: 'key', key: isYes(line) ? 'y' : 'esc' })
    else if (line === 'list' && !isTyping) this.redraw()
    else if (line === 'help' && !isTyping) this.#help()
    else for (const key of keysOf(line, keymap, isTyping)) dispatch({ type: 'key', key })
  }

  #help(): void {
    for (const [word, { help }] of Object.entries(WORDS)) this.#write(`${word}: ${help}`)
    this.#write('list: read the page')
    if (this.#state) for (const line of helpLines(this.#state)) this.#write(sanitizeLine(line.trim()))
  }

  /** Says what is other than it was when something was said last. */
  #say(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const [before, state] = [this.#said, this.#state]
    this.#said = state
    if (!state || state === before) return
    if (state.notice && state.notice !== before?.notice) this.#write(sanitizeLine(state.notice.text))
    if (state.overlay && state.overlay !== before?.overlay) this.#ask(state)
    if (before && before.connection.live !== state.connection.live && before.path === state.path) {
      this.#write(state.connection.live ? 'Connected.' : 'The connection is lost; reconnecting.')
    }
    if (!before || viewKey(here(before)) !== viewKey(here(state))) this.#write(`Page: ${placeText(state)}.`)
    for (const location of panelsOf(state)) this.#writeAll(panelChanges(before, state, location))
  }

  #ask({ overlay }: State): void {
    if (overlay?.kind === 'confirm') {
      this.#write(sanitizeLines(confirmationOf(overlay.run.chosen.action, overlay.run.values)))
      this.#write('Type y to confirm, anything else to cancel.')
    }
    const field = overlay?.kind === 'form' ? overlay.fields[overlay.at] : undefined
    const choices = field?.choices ? `, one of ${field.choices.map(sanitizeLine).join(', ')}` : ''
    const initial = field?.edit.text ? `, now ${sanitizeLine(field.edit.text)}` : ''
    if (field) this.#write(`${sanitizeLine(field.title)}${choices}${initial}? Type one line; back cancels.`)
  }

  #readAll(state: State): void {
    this.#write(`Page: ${placeText(state)}.`)
    for (const location of panelsOf(state)) this.#writeAll(panelText(state, location))
  }

  #writeAll(sentences: readonly string[]): void {
    for (const sentence of sentences) this.#write(sentence)
  }

  #write(text: string): void {
    this.options.write(`${text}\n`)
  }
}

const selectionOf = (state: State): string =>
  `${viewKey(here(state))} ${viewKey(focused(state))} ${selectedRow(state, focused(state))?.id ?? ''}`
