import type { OptionList } from './option-list.ts'
import type { TerminalScreen } from './terminal-host.ts'

interface Button {
  label: string
  isMarked: boolean
}

const WORDS = /\S+(?: \S+)*/g

/** The lowest row of buttons on a screen, of which one is marked by the colour of its ground alone. */
export function findButtons(screen: TerminalScreen): OptionList | undefined {
  for (let row = screen.lines.length - 1; row >= 0; row--) {
    const buttons = buttonsIn(screen, row)
    const at = buttons.findIndex(({ isMarked }) => isMarked)
    const isMenu = buttons.length > 1 && buttons.filter(({ isMarked }) => isMarked).length === 1
    const options = buttons.map(({ label }, index) => ({ id: String(index + 1), label, row }))
    if (isMenu) return { options, at, isPart: false }
  }
  return undefined
}

/** The words of a row that are of one colour each; what names a key and what it does has two. */
function buttonsIn({ lines, colours }: TerminalScreen, row: number): Button[] {
  const line = lines[row] ?? ''
  if (!colours) return []
  const buttons: Button[] = []
  for (const { 0: label, index } of line.matchAll(WORDS)) {
    const cells = [...label].map((character, at) => ({ character, ...colours(index + at, row) }))
    const inked = cells.filter(({ character }) => character !== ' ')
    const [first] = inked
    const isPlain = inked.every(({ text, ground }) => text === first?.text && ground === first?.ground)
    if (!first || !/^\p{L}/u.test(label) || !isPlain) continue
    // A marked button has its colour on either side of its label, too.
    const edges = [index - 2, index + label.length + 1].map((x) => colours(Math.max(0, x), row).ground)
    buttons.push({ label, isMarked: edges.every((ground) => ground !== first.ground) })
  }
  return buttons
}
