type Next = (id: string) => readonly string[]

/** The shortest way from one bead to another along `next`, both ends included. */
export function wayTo(start: string, goal: string, next: Next): string[] | undefined {
  const cameFrom = new Map<string, string | undefined>([[start, undefined]])
  for (const id of cameFrom.keys()) {
    if (id === goal) return backFrom(id, cameFrom)
    for (const other of next(id)) if (!cameFrom.has(other)) cameFrom.set(other, id)
  }
  return undefined
}

function backFrom(goal: string, cameFrom: Map<string, string | undefined>): string[] {
  const way: string[] = []
  for (let id: string | undefined = goal; id !== undefined; id = cameFrom.get(id)) way.unshift(id)
  return way
}

/** A cycle that can be reached from `start`, beginning and ending with the same bead. */
export function findCycle(start: string, next: Next): string[] | undefined {
  const done = new Set<string>()
  const path: { id: string; rest: string[] }[] = [{ id: start, rest: [...next(start)] }]
  const onPath = new Set([start])
  for (let top = path.at(-1); top; top = path.at(-1)) {
    const id = top.rest.pop()
    if (id === undefined) {
      path.pop()
      onPath.delete(top.id)
      done.add(top.id)
    } else if (onPath.has(id)) {
      const ids = path.map((step) => step.id)
      return [...ids.slice(ids.indexOf(id)), id]
    } else if (!done.has(id)) {
      onPath.add(id)
      path.push({ id, rest: [...next(id)] })
    }
  }
  return undefined
}
