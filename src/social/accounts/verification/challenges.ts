/** Draws an integer from 0 to below a bound. */
export type Draw = (bound: number) => number

export interface Challenge {
  readonly text: string
  readonly answer: number
}

const SMALL = [
  ...['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten', 'eleven', 'twelve'],
  ...['thirteen', 'fourteen', 'fifteen', 'sixteen', 'seventeen', 'eighteen', 'nineteen'],
]
const TENS = ['', '', 'twenty', 'thirty', 'forty', 'fifty', 'sixty', 'seventy', 'eighty', 'ninety']

/** A number below 100 in words: `twenty three`. */
export function inWords(n: number): string {
  if (n < 20) return SMALL[n] ?? ''
  const [ten, one] = [TENS[Math.floor(n / 10)] ?? '', n % 10]
  return one === 0 ? ten : `${ten} ${SMALL[one]}`
}

type Task = (draw: Draw) => Challenge

/**
 * Templates of challenges: two numbers in words, once each, and one operation. Every word that could name an operation
 * names this one, and no other word contains a number, so that a reader who only looks for such words finds the same
 * answer.
 */
const TASKS: readonly Task[] = [
  (draw) => {
    const [one, other] = [20 + draw(70), 2 + draw(18)]
    const text = `A lobster has ${inWords(one)} shells and gains ${inWords(other)} more. What is the total if you add them up?`
    return { text, answer: one + other }
  },
  (draw) => {
    const [one, other] = [30 + draw(60), 2 + draw(18)]
    const text = `A lobster has ${inWords(one)} shells but loses ${inWords(other)} of those. What is left if you subtract?`
    return { text, answer: one - other }
  },
  (draw) => {
    const [one, other] = [11 + draw(40), 2 + draw(8)]
    const text = `A lobster has a force of ${inWords(one)} which is multiplied by ${inWords(other)}. What is the product?`
    return { text, answer: one * other }
  },
]

/** Characters between letters: no sign of arithmetic, and none that separates words. */
const NOISE = ['^', '[', ']', '~', '|']
const NOISE_EVERY = 6

/** A sum in words behind noise: anyone who leaves out what is not a letter can read it. */
export function newChallenge(draw: Draw): Challenge {
  const task = TASKS[draw(TASKS.length)] ?? TASKS[0]
  if (!task) throw new Error('there is no task')
  const { text, answer } = task(draw)
  return { text: [...text].map((letter) => disguise(letter, draw)).join(''), answer }
}

function disguise(letter: string, draw: Draw): string {
  if (!/[a-z]/i.test(letter)) return letter
  const cased = draw(2) === 0 ? letter.toLowerCase() : letter.toUpperCase()
  return draw(NOISE_EVERY) === 0 ? cased + (NOISE[draw(NOISE.length)] ?? '') : cased
}

/** The number that an answer says; undefined when it says none. */
export function parseAnswer(answer: string | number): number | undefined {
  const text = String(answer).trim()
  return /^[+-]?\d{1,12}(\.\d{1,12})?$/.test(text) ? Number(text) : undefined
}

/** True if an answer is right to two decimals. */
export const isRight = (given: number, answer: number): boolean => Math.abs(given - answer) < 0.005
