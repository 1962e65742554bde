import type { QuestionKind } from '../question-kind.ts'
import type { Dialog } from '../terminal-profile.ts'

export const dialog = (kind: QuestionKind, seen: RegExp, asks: string): Dialog => ({ kind, seen, asks })
