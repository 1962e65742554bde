import type { Dialog, QuestionKind } from '../terminal-profile.ts'

export const dialog = (kind: QuestionKind, seen: RegExp, asks: string): Dialog => ({ kind, seen, asks })
