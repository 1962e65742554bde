import type { Question } from '../../host/protocol/question.ts'
import { redactTokens } from '../../http/credentials.ts'

const MAX_TEXT = 64 << 10
const MAX_LINE = 1_000
const MAX_ROWS = 200
const MAX_OPTIONS = 50
const MAX_CHOICES = 500

/** Control characters but for line ends and tabs, and what is invisible or turns the direction of writing. */
const MISLEADING = /[^\P{Cc}\n\t]|[\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]/gu

/** A text of a program as people are shown it: no secrets, and a sign in place of each character that would mislead. */
const shown = (text: string, max: number): string => redactTokens(text.slice(0, max)).replace(MISLEADING, '\ufffd')

/** A question as it is stored and shown: bounded, and nothing in it that misleads. */
export const bounded = (question: Question): Question => ({
  ...question,
  prompt: shown(question.prompt, MAX_LINE),
  text: shown(question.text, MAX_TEXT),
  cut: question.cut || question.text.length > MAX_TEXT,
  options: question.options.slice(0, MAX_OPTIONS).map(({ choices, ...option }) => ({
    ...{ ...option, label: shown(option.label, MAX_LINE) },
    ...(choices && { choices: choices.slice(0, MAX_CHOICES).map((choice) => shown(choice, MAX_LINE)) }),
  })),
  picture: question.picture.slice(0, MAX_ROWS).map((row) => shown(row, MAX_LINE)),
})
