import { homedir } from 'node:os'
import { paint, sanitizeLine } from '../../src/client/text.ts'
import { Exit } from '../io/exit.ts'
import type { Io } from '../io/io.ts'

/** The answer of a person, or why it cannot be taken. */
export type Answer<T> = { readonly value: T } | { readonly problem: string }

interface Question {
  readonly text: string
  /** The explanation that `?` prints. */
  readonly help: string
}

export interface Choice<T> {
  readonly value: T
  /** A word that can be typed instead of the number. */
  readonly word: string
  /** A letter that is typed instead of a number. */
  readonly key?: string
  readonly about?: string
}

/** True if questions can be put to a person: never to a session, whose terminal no person may watch. */
export const hasPerson = ({ env, isInteractive, width }: Io): boolean =>
  isInteractive && width !== undefined && !env.GC_SESSION_ID && !env.GC_TOKEN

export const homeOf = ({ env }: Io): string => env.HOME ?? homedir()

/** A path as people write it. */
export function shownPath(io: Io, path: string): string {
  const home = homeOf(io)
  return sanitizeLine(path === home || path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path)
}

/** Questions on the terminal, one a line. Without a person, each question answers itself with its default. */
export class Talk {
  constructor(
    private readonly io: Io,
    readonly isAsking: boolean,
  ) {}

  /** Prints lines to the person. */
  say(text = ''): void {
    if (this.isAsking) this.io.out(`${text}\n`)
  }

  heading(text: string): void {
    this.say(this.#bold(text))
  }

  /** A free answer; Enter takes the default, which is shown as `shown`. */
  async ask<T>(question: Question, usual: T, shown: string, parse: (text: string) => Answer<T>): Promise<T> {
    this.say()
    return this.#prompt(question, usual, shown, parse)
  }

  async #prompt<T>(question: Question, usual: T, shown: string, parse: (text: string) => Answer<T>): Promise<T> {
    if (!this.isAsking) return usual
    for (;;) {
      this.io.out(`${this.#bold(question.text)} [${shown}] `)
      const line = await this.io.readLine()
      if (line === undefined) throw this.#leave()
      const text = line.trim()
      if (text === '') return usual
      if (text === '?') {
        this.say(indented(question.help))
        continue
      }
      const answer = parse(text)
      if ('value' in answer) return answer.value
      this.say(indented(answer.problem))
    }
  }

  yes(question: Question, usual: boolean): Promise<boolean> {
    return this.ask<boolean>(question, usual, usual ? 'Y/n' : 'y/N', (text) => {
      if (/^y(es)?$/i.test(text)) return { value: true }
      if (/^no?$/i.test(text)) return { value: false }
      return { problem: 'Type y or n, or ? for an explanation.' }
    })
  }

  /** One of several, by its number or its word. */
  async choose<T>(question: Question, choices: readonly Choice<T>[], usual: T): Promise<T> {
    if (!this.isAsking) return usual
    const width = Math.max(...choices.map(({ word }) => word.length))
    const rows = choices.map((choice, at) => ({ ...choice, key: choice.key ?? String(at + 1) }))
    this.say()
    this.heading(question.text)
    for (const { key, word, about = '' } of rows)
      this.say(`  ${key.padStart(2)}  ${word.padEnd(width)}  ${about}`.trimEnd())
    const shown = rows.find(({ value }) => value === usual)?.key ?? ''
    return this.#prompt<T>({ ...question, text: 'Choose' }, usual, shown, (text) => {
      const chosen = rows.find(({ key, word }) => key === text || word === text)
      return chosen ? { value: chosen.value } : { problem: `Type one of ${rows.map(({ key }) => key).join(', ')}.` }
    })
  }

  /** A line that may be left out; empty at the end of the input as well, and after ctrl-c. */
  async line(question: Question): Promise<string> {
    if (!this.isAsking) return ''
    this.say()
    for (;;) {
      this.io.out(`${this.#bold(question.text)} `)
      const line = await this.io.readLine()
      if (line === undefined) this.say()
      const text = line?.trim() ?? ''
      if (text !== '?') return text
      this.say(indented(question.help))
    }
  }

  /** The end of a conversation that changed nothing. Ctrl-c has a status of its own, and no other message. */
  #leave(): Exit {
    this.say()
    if (this.io.signal.aborted) this.io.err('gc: nothing was changed\n')
    return new Exit(1, 'the input ended; nothing was changed')
  }

  #bold(text: string): string {
    return paint(text, 'bold', this.io.colour)
  }
}

const indented = (text: string): string => text.replace(/^(?=.)/gm, '  ')
