import { TemplateError } from './error.ts'

/** Limits of one rendering. */
export interface TemplateLimits {
  /** Maximum depth of templates that call each other. */
  readonly depth: number
  /** The bytes of what is written, and of any value on the way. */
  readonly bytes: number
  /** The steps of the interpreter; bytes that it copies count as well. */
  readonly steps: number
}

const MAX_DEPTH = 100
const MAX_BYTES = 1_000_000
const BYTES_A_STEP = 64

/** Limits of a whole rendering. */
export const FULL_LIMITS: TemplateLimits = { depth: MAX_DEPTH, bytes: MAX_BYTES, steps: 2_000_000 }

/** Limits while others wait for it: well under 20 ms. */
export const SHORT_LIMITS: TemplateLimits = { ...FULL_LIMITS, steps: 20_000 }

/** Counts what a rendering takes, and ends it when that is too much. */
export class Meter {
  #steps = 0
  #written = 0
  #depth = 0

  constructor(private readonly limits: TemplateLimits) {}

  step(line: number, steps = 1): void {
    this.#steps += steps
    if (this.#steps <= this.limits.steps) return
    throw new StepsExceededError(`it takes more than ${this.limits.steps} steps`, line, 'limit')
  }

  /** Counts a value that was made. */
  value(text: string, line: number): void {
    if (text.length > this.limits.bytes) throw new TemplateError('it makes a text of more than 1 MB', line, 'limit')
    if (text.length >= BYTES_A_STEP) this.step(line, Math.floor(text.length / BYTES_A_STEP))
  }

  write(text: string, line: number): void {
    this.#written += Buffer.byteLength(text)
    if (this.#written > this.limits.bytes) throw new TemplateError('it writes more than 1 MB', line, 'limit')
    this.step(line, 1 + Math.floor(text.length / BYTES_A_STEP))
  }

  /** Runs one template inside of another. */
  nested<Result>(line: number, run: () => Result): Result {
    if (++this.#depth > this.limits.depth) {
      throw new TemplateError(`templates call each other more than ${this.limits.depth} times deep`, line, 'limit')
    }
    const result = run()
    this.#depth--
    return result
  }
}

/** A rendering ended because of its steps alone; more of them may be allowed elsewhere. */
export class StepsExceededError extends TemplateError {}
