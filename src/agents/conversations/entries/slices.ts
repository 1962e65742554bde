/** Work that can be left at every step, so that others get their turn. */
export type Steps<T> = Generator<void, T, void>

/** So many pieces are one step. */
const PIECES = 200

/** Lets everybody else have a turn. */
export const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** Does all of the work now; for what is known to be little. */
export function atOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
  }
}

/** Does the work, and lets others go before each further step. */
export async function inSlices<T>(steps: Steps<T>): Promise<T> {
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
    await turn()
  }
}

/** Goes through a list in steps. */
export function* each<T>(list: Iterable<T>, use: (item: T, place: number) => unknown): Steps<void> {
  let place = 0
  for (const item of list) {
    if (place > 0 && place % PIECES === 0) yield
    use(item, place++)
  }
}

/** Makes a list of another in steps. */
export function* mapped<From, To>(list: Iterable<From>, make: (item: From) => To): Steps<To[]> {
  const made: To[] = []
  yield* each(list, (item) => made.push(make(item)))
  return made
}
