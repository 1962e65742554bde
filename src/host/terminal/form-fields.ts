import type { Deadlines } from '../../core/deadlines.ts'
import type { TerminalProfile } from '../../programs/terminal-profile.ts'
import type { QuestionOption } from '../protocol/index.ts'
import { closeList, type FormDriver, openList } from './field-list.ts'
import { withInputLock } from './input-lock.ts'
import { findQuestion, isSameQuestion, type ScreenQuestion } from './question.ts'
import { ProgramEnded, ScreenWatcher } from './screen-watcher.ts'
import type { TerminalHost } from './terminal-host.ts'

interface FormOptions {
  host: TerminalHost
  key: string
  profile: TerminalProfile
  deadlines: Deadlines
}

const [UP, DOWN] = ['\x1b[A', '\x1b[B'] as const
/** Maximum time the program may take for what a key does. */
const WITHIN = 5_000

/** True if its fields must be marked one by one to see what they take. */
export const hasFields = ({ listed }: ScreenQuestion): boolean => listed.some(({ takesText }) => takesText)

/**
 * The options of a form with what each field takes, which the program shows only of the field that its mark stands at:
 * a tick, a text, or one of a list, which is opened for its choices. What could not be seen is left as it reads.
 */
export function readFields(question: ScreenQuestion, options: FormOptions): Promise<QuestionOption[]> {
  const { host, key, deadlines } = options
  return withInputLock(host, key, async () => {
    const watch = new ScreenWatcher(host, key, deadlines)
    try {
      return await new FieldReader(question, options, watch).read()
    } catch (error) {
      if (error instanceof ProgramEnded) return question.options
      throw error
    } finally {
      watch.close()
    }
  })
}

class FieldReader implements FormDriver {
  constructor(
    private readonly question: ScreenQuestion,
    private readonly options: FormOptions,
    private readonly watch: ScreenWatcher,
  ) {}

  async read(): Promise<QuestionOption[]> {
    const { listed, options, at: start = 0 } = this.question
    const read = new Map<string, QuestionOption>()
    for (const [place, option] of options.entries()) {
      if (!listed.some(({ id, takesText }) => id === option.id && takesText)) continue
      if (!(await this.#moveTo(place))) break
      read.set(option.id, await this.#readField(option))
    }
    await this.#moveTo(start)
    return options.map((option) => read.get(option.id) ?? option)
  }

  async #readField(option: QuestionOption): Promise<QuestionOption> {
    const { id, text, ...bare } = option
    const field = await this.seen(({ listed }) => listed.find((each) => each.id === id))
    if (field && !field.takesText) return { id, ...bare }
    if (!field?.list) return option
    const open = await openList(this, id)
    if (!open || !(await closeList(this, id))) return option
    const choices = open.choices.map(({ label }) => label)
    return { ...option, choices, ...(open.several && { several: true }) }
  }

  /** Moves the mark step by step; says whether it got there. */
  async #moveTo(place: number): Promise<boolean> {
    let at = await this.seen((question) => question.at)
    while (at !== undefined && at !== place) {
      const before: number = at
      await this.press(before < place ? DOWN : UP)
      at = await this.seen(({ at: now }) => (now === before ? undefined : now))
      if (at !== undefined && Math.abs(at - place) >= Math.abs(before - place)) return false
    }
    return at === place
  }

  seen<T>(decide: (question: ScreenQuestion) => T | undefined): Promise<T | undefined> {
    return this.watch.until(WITHIN, ({ screen, quiet }) => {
      const question = quiet ? findQuestion(screen, this.options.profile) : undefined
      return question && isSameQuestion(question, this.question) ? decide(question) : undefined
    })
  }

  press(keys: string): Promise<unknown> {
    return this.options.host.write(this.options.key, new TextEncoder().encode(keys))
  }
}
