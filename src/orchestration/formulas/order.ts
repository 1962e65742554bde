import type { RecipeDependency, RecipeStep } from './recipe.ts'

/**
 * Steps, each after those it waits for, and as near to the order they were in as that allows; or some that wait for each
 * other in a circle.
 */
export function inOrder(
  steps: readonly RecipeStep[],
  deps: readonly RecipeDependency[],
): { readonly steps: RecipeStep[] } | { readonly cycle: readonly string[] } {
  const index = new Map(steps.map(({ id }, at) => [id, at]))
  const open = new Array<number>(steps.length).fill(0)
  const next: number[][] = steps.map(() => [])
  for (const { from, to } of deps) {
    const [before, after] = [index.get(from), index.get(to)]
    if (before === undefined || after === undefined) continue
    open[after] = (open[after] ?? 0) + 1
    next[before]?.push(after)
  }
  const ready = new Heap()
  open.forEach((count, at) => void (count === 0 && ready.push(at)))
  const ordered: RecipeStep[] = []
  for (let at = ready.pop(); at !== undefined; at = ready.pop()) {
    const step = steps[at]
    if (step) ordered.push(step)
    for (const after of next[at] ?? []) {
      const count = (open[after] ?? 0) - 1
      open[after] = count
      if (count === 0) ready.push(after)
    }
  }
  if (ordered.length === steps.length) return { steps: ordered }
  return { cycle: findCycle(open, next).map((at) => steps[at]?.id ?? '') }
}

/** One circle among the steps that never became ready. */
function findCycle(open: readonly number[], next: readonly (readonly number[])[]): number[] {
  // From any of them, one that it waits for is open too: going back long enough comes to a place twice.
  const before = new Map<number, number>()
  open.forEach((count, at) => {
    if (count > 0) for (const after of next[at] ?? []) before.set(after, at)
  })
  const path: number[] = []
  const seen = new Map<number, number>()
  let at = open.findIndex((count) => count > 0)
  while (!seen.has(at)) {
    seen.set(at, path.length)
    path.push(at)
    at = before.get(at) ?? at
  }
  return [...path.slice(seen.get(at)), at].reverse()
}

/** Numbers, the lowest first. */
class Heap {
  readonly #items: number[] = []

  push(item: number): void {
    const items = this.#items
    let at = items.push(item) - 1
    while (at > 0) {
      const parent = (at - 1) >> 1
      if ((items[parent] ?? 0) <= item) break
      items[at] = items[parent] ?? 0
      at = parent
    }
    items[at] = item
  }

  pop(): number | undefined {
    const items = this.#items
    const [lowest] = items
    const last = items.pop()
    if (lowest === undefined || last === undefined || items.length === 0) return lowest
    let at = 0
    for (;;) {
      let child = at * 2 + 1
      if (child >= items.length) break
      if (child + 1 < items.length && (items[child + 1] ?? 0) < (items[child] ?? 0)) child++
      if ((items[child] ?? 0) >= last) break
      items[at] = items[child] ?? 0
      at = child
    }
    items[at] = last
    return lowest
  }
}
