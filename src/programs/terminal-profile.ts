import { type Static, Type } from '@sinclair/typebox'

/** The subject of a question; `other` is one that fits no word. */
export const QuestionKind = Type.Union([
  Type.Literal('approval'),
  Type.Literal('choice'),
  Type.Literal('plan'),
  Type.Literal('trust'),
  Type.Literal('login'),
  Type.Literal('update'),
  Type.Literal('theme'),
  Type.Literal('permissions'),
  Type.Literal('resume'),
  Type.Literal('imports'),
  Type.Literal('mcp'),
  Type.Literal('hooks'),
  Type.Literal('api-key'),
  Type.Literal('usage-limit'),
  Type.Literal('other'),
])
export type QuestionKind = Static<typeof QuestionKind>

/** An option that takes the user's own text in the dialog, which may be required. */
export const OptionText = Type.Union([Type.Literal('optional'), Type.Literal('required')])
export type OptionText = Static<typeof OptionText>

/** An answer that is a key of its own, in the words that the program has for it. */
export interface KeyOption {
  label: string
  keys: string
}

/** Subject of a question for rules and lists: complete, in the program's own words. */
export const AskedSubject = Type.Union([
  Type.Object({ kind: Type.Literal('command'), line: Type.String(), folder: Type.Optional(Type.String()) }),
  Type.Object({ kind: Type.Union([Type.Literal('read'), Type.Literal('write')]), paths: Type.Array(Type.String()) }),
  Type.Object({ kind: Type.Literal('fetch'), hosts: Type.Array(Type.String()) }),
  Type.Object({ kind: Type.Literal('tool'), server: Type.String(), tool: Type.String() }),
])
export type AskedSubject = Static<typeof AskedSubject>

/** A question as its dialog shows it. */
export interface AskedText {
  readonly kind: QuestionKind
  readonly prompt: string
  readonly text: string
}

/** A screen on which a program waits for a person. It is recognised and reported, never answered. */
export interface Dialog {
  kind: QuestionKind
  /** Matched against the screen, its rows joined by newlines. */
  seen: RegExp
  /** The question, in words for a person. */
  asks: string
  /** A row above the words where the dialog begins already, such as that of a diff it asks about. */
  from?: RegExp
  /** The row right above it, where the program draws no rule; the highest one counts, since an agent could write others below. */
  below?: RegExp
  /** The effect of its keys, if it lists no options. */
  keys?: readonly KeyOption[]
  /** Drawn over the input line, which stays in sight behind it, on another ground. */
  over?: boolean
  /** It has fields to fill. */
  isForm?: boolean
}

/** An option that takes a text in its dialog. */
export interface TextOption {
  /** Its label. */
  label: RegExp
  /** Pressed at the option before the text is typed; absent where it is typed right there. */
  keys?: string
  text: OptionText
}

/** The behaviour of a full-screen program in a terminal: the meaning of its screen, and the keys it takes. */
export interface TerminalProfile {
  /** Possible starts of the input line, such as `❯ `; '' when only a border stands there. */
  readyPrefixes: readonly string[]
  /** In the last rows of the screen whenever there is an input line. */
  ready?: RegExp
  /** The hint in an empty input line, behind its prefix. */
  placeholder?: RegExp
  /** A program that gives no such sign is taken as ready this long after it was first looked at, in milliseconds. */
  readyDelay: number
  /** In the last rows of the screen while the program works on a turn. */
  busy?: RegExp
  /** The lowest row right above those that say so; what stands higher may be the words of an agent. */
  status?: RegExp
  /** Submitted text is shown during a turn and taken afterwards. */
  takesWhileBusy: boolean
  /** It clears its screen to draw it again: what is not there counts as gone only after so long, in milliseconds. */
  redraws?: number
  /** It draws a dialog in parts, at most so many milliseconds after one another. */
  drawsWithin?: number
  dialogs: readonly Dialog[]
  /** At the end of a screen while the program waits for the end of a limit, to try again automatically. */
  waits?: RegExp
  /** On a screen whose last turn ended in a usage limit, of a program that does not try again automatically. */
  limited?: RegExp
  /** In the last rows of the screen while it lists options to choose from. */
  choosing?: RegExp
  /** A row right above a dialog; what stands higher is not of it. */
  top?: RegExp
  /** The rows of its dialogs have a ground of their own at the first column; what stands higher is not of them. */
  grounded?: boolean
  /** A first row of a dialog that may be left out. */
  heading?: RegExp
  /** The start of each row of a dialog, and of no row of an agent's. */
  frame?: RegExp
  /** In a dialog of which the program shows only a part. */
  cut?: RegExp
  /** In a dialog, its rows joined by newlines, of which the program draws the rest in a moment. */
  drawing?: RegExp
  /** In more columns than these it draws other things beside its dialogs. */
  widest?: number
  /** It shows so many rows of what it asks about, and says nothing of the others. */
  clips?: number
  /** Keys that show all of what it asks about, and pressed again less of it. */
  expand?: string
  /** On a screen on which those keys do that; without this, they do it in every dialog. */
  expands?: RegExp
  /** The end of a screen that shows all of it; without this, it shows all when it shows more. */
  expanded?: RegExp
  /** Its dialogs begin with their question; those of other programs end with it. */
  asksFirst?: boolean
  texts?: readonly TextOption[]
  /**
   * Subject of a question; undefined if its layout is ambiguous, since an agent chooses parts of the text. A path that
   * is relative is as the program shows it, which may not be the folder of the session.
   */
  subject?(asked: AskedText, folder: string): AskedSubject | undefined
  /** Ticks the box that the mark stands at. */
  tick: string
  /** A box that ticks all others with it. */
  ticksAll?: RegExp
  /** Continues from a list of boxes, where no row of it does. */
  endBoxes?: string
  /** Keys that submit what was typed. */
  submit: string
  /** It asks for pastes to be marked; before it does, some of what is typed would be lost. */
  marksPastes?: boolean
  /** For so long after a paste, in milliseconds, such keys only begin a new line. */
  pasteGuard?: number
  /** Keys that empty the present line of the input and step to the one above; absent when none are safe for it. */
  clear?: string
  /** Keys that end the present turn and leave the program running; each is pressed automatically. */
  interrupt: readonly string[]
}
