import { randomInt } from 'node:crypto'

const WORDS = 'reef wave coral shell tide kelp foam salt deep blue aqua pearl sand surf cove bay'.split(' ')

/** A random code that a person can read out: `reef-4F2A`. */
export function newVerificationCode(): string {
  const word = WORDS[randomInt(WORDS.length)] ?? 'reef'
  return `${word}-${randomInt(0x10000).toString(16).toUpperCase().padStart(4, '0')}`
}

/** A code that a person typed, in the form in which it was issued. */
export function normalizeCode(typed: string): string {
  const [word = '', digits = ''] = typed.trim().split(/[\s-]+/, 2)
  return `${word.toLowerCase()}-${digits.toUpperCase()}`
}
