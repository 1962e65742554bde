import { nextTick } from '../../core/event-loop.ts'

/** Work that can pause at every step, so that the event loop is not blocked. */
export type Steps<T> = Generator<void, T, void>

const ITEMS_PER_STEP = 200

/** Does all of the work immediately; for work that is known to be small. */
export function runSync<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
  }
}

/** Does the work, and yields to the event loop between its steps. */
export async function runInSteps<T>(steps: Steps<T>): Promise<T> {
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
    await nextTick()
  }
}

/** Calls `visit` with each item, in steps. */
export function* forEachInSteps<T>(items: Iterable<T>, visit: (item: T, index: number) => unknown): Steps<void> {
  let index = 0
  for (const item of items) {
    if (index > 0 && index % ITEMS_PER_STEP === 0) yield
    visit(item, index++)
  }
}

/** Maps a list in steps. */
export function* mapInSteps<From, To>(items: Iterable<From>, transform: (item: From) => To): Steps<To[]> {
  const mapped: To[] = []
  yield* forEachInSteps(items, (item) => mapped.push(transform(item)))
  return mapped
}
