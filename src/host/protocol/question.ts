import { type Static, Type } from '@sinclair/typebox'
import { OptionText, QuestionKind } from '../../programs/terminal-profile.ts'

const Text = Type.String()

/** Effect of an option: allow once or from now on, deny once or from now on, or another. */
export const OptionRole = Type.Union([
  Type.Literal('allow-once'),
  Type.Literal('allow-always'),
  Type.Literal('deny'),
  Type.Literal('deny-always'),
  Type.Literal('other'),
])
export type OptionRole = Static<typeof OptionRole>

/** An answer that the program offers, in its own words. */
export const QuestionOption = Type.Object({
  /** Names the option in an answer: its number on a screen, counted from 1, or the agent's own id for it. */
  id: Text,
  label: Text,
  /** Explanation by the program, beyond its label. */
  description: Type.Optional(Text),
  role: OptionRole,
  /** Absent where it takes no text. */
  text: Type.Optional(OptionText),
  /** A box to tick: it can be taken together with others. */
  ticks: Type.Optional(Type.Boolean()),
  /** Choices of its text. */
  choices: Type.Optional(Type.Array(Text)),
  /** Its text may be several of them, separated by commas. */
  several: Type.Optional(Type.Boolean()),
})
export type QuestionOption = Static<typeof QuestionOption>

/**
 * Question of a program to a person, by protocol or on its screen. It stays the same question, with the same id, until
 * it is answered or gone; asked again later, it is another.
 */
export const Question = Type.Object({
  id: Text,
  kind: QuestionKind,
  /** The program's question in a sentence. */
  prompt: Text,
  /** The command, path, diff or text that it asks about, whole unless `cut`; empty when the prompt says it all. */
  text: Text,
  /** The program shows only a part of what it asks about. */
  cut: Type.Boolean(),
  /** The answers; none when a person has to use its terminal. */
  options: Type.Array(QuestionOption),
  /** The rows of the screen that asks; none when it is asked by protocol. */
  picture: Type.Array(Text),
  /** Time it appeared, RFC 3339, by the host's clock. */
  since: Text,
})
export type Question = Static<typeof Question>

/**
 * Outcome of a choice. `taken`: the question was gone once the option was confirmed. `gone`: it was not shown any more,
 * and nothing was confirmed. `stuck`: the program did not do what the keys ask for; a person has to look.
 */
export const ChoiceResult = Type.Union([Type.Literal('taken'), Type.Literal('gone'), Type.Literal('stuck')])
export type ChoiceResult = Static<typeof ChoiceResult>

/** The ids of the options of an answer, as one text; several where boxes are ticked. */
export const joinOptions = (ids: readonly string[]): string => ids.join(',')
export const splitOptions = (option: string): string[] => option.split(',')

/** Outcome of a choice with the taken option: the first one, if a question is answered twice. */
export const ChoiceOutcome = Type.Object({ result: ChoiceResult, option: Type.Optional(Text) })
export type ChoiceOutcome = Static<typeof ChoiceOutcome>
