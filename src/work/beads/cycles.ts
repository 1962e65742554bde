type Next = (id: string) => readonly string[]

/** The shortest path from one bead to another along `next`, both ends included. */
export function shortestPath(start: string, goal: string, next: Next): string[] | undefined {
  const previous = new Map<string, string | undefined>([[start, undefined]])
  for (const id of previous.keys()) {
    if (id === goal) return pathTo(id, previous)
    for (const other of next(id)) if (!previous.has(other)) previous.set(other, id)
  }
  return undefined
}

function pathTo(goal: string, previous: Map<string, string | undefined>): string[] {
  const path: string[] = []
  for (let id: string | undefined = goal; id !== undefined; id = previous.get(id)) path.unshift(id)
  return path
}

/** A cycle that can be reached from `start`, beginning and ending with the same bead. */
export const findCycle = (start: string, next: Next): string[] | undefined => findFrom(start, next, new Set())

/** A cycle that can be reached from one of these beads; each bead is looked immediately. */
export function findAnyCycle(starts: Iterable<string>, next: Next): string[] | undefined {
  const visited = new Set<string>()
  for (const start of starts) {
    const cycle = visited.has(start) ? undefined : findFrom(start, next, visited)
    if (cycle) return cycle
  }
  return undefined
}

/** Looks at what is reached from `start` and is not in `visited`, and adds it there. */
function findFrom(start: string, next: Next, visited: Set<string>): string[] | undefined {
  const path: { id: string; pending: string[] }[] = [{ id: start, pending: [...next(start)] }]
  const onPath = new Set([start])
  for (let top = path.at(-1); top; top = path.at(-1)) {
    const id = top.pending.pop()
    if (id === undefined) {
      path.pop()
      onPath.delete(top.id)
      visited.add(top.id)
    } else if (onPath.has(id)) {
      const ids = path.map((step) => step.id)
      return [...ids.slice(ids.indexOf(id)), id]
    } else if (!visited.has(id)) {
      onPath.add(id)
      path.push({ id, pending: [...next(id)] })
    }
  }
  return undefined
}
