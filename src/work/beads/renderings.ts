/** One state of one bead: the number of its row, and the revision it has. */
export interface State {
  n: number
  revision: number
}

export interface Rendering extends State {
  text: string
  /** Whether this revision always reads like this: not so when another table has a part in it. */
  lasting: boolean
}

type Kept = Pick<Rendering, 'revision' | 'text'>

/** How much text is kept at least and, twice as much, at most, in characters. */
const KEPT = 4_000_000

/**
 * Beads as JSON text, each written once for every state it is read in. Nothing here can be stale: a text is found by
 * the revision that its reader has just read. What nobody asked for while half of the room was filled is let go.
 */
export class Renderings {
  #young = new Map<number, Kept>()
  #old = new Map<number, Kept>()
  #size = 0

  constructor(private readonly render: (numbers: number[]) => Rendering[]) {}

  /** The text of this state; `render` makes it when it is not here. */
  text(state: State, render: () => Rendering): string {
    const found = this.#find(state)
    if (found !== undefined) return found
    const fresh = render()
    if (fresh.lasting) this.#keep(fresh.n, fresh)
    return fresh.text
  }

  /** The texts of these states, in their order. */
  texts(states: readonly State[]): string[] {
    const found = states.map((state) => this.#find(state))
    const missing = states.filter((_, at) => found[at] === undefined).map(({ n }) => n)
    if (missing.length === 0) return found.flatMap((text) => text ?? [])
    const fresh = this.render(missing)
    for (const each of fresh) if (each.lasting) this.#keep(each.n, each)
    const texts = new Map(fresh.map(({ n, text }) => [n, text]))
    return states.flatMap(({ n }, at) => found[at] ?? texts.get(n) ?? [])
  }

  #find({ n, revision }: State): string | undefined {
    const young = this.#young.get(n)
    if (young?.revision === revision) return young.text
    const old = this.#old.get(n)
    if (old?.revision !== revision) return undefined
    this.#keep(n, old)
    return old.text
  }

  #keep(n: number, { revision, text }: Kept): void {
    this.#size += text.length - (this.#young.get(n)?.text.length ?? 0)
    this.#young.set(n, { revision, text })
    if (this.#size < KEPT) return
    this.#old = this.#young
    this.#young = new Map()
    this.#size = 0
  }
}
