import type { Declaration } from '../../declare/declaration.ts'
import { qualify } from '../../declare/names.ts'
import type { SourceLocation } from '../../files/diagnostics.ts'

interface Named {
  readonly name: string
  readonly dir: string
  readonly template?: string
}

/** The agents or the named sessions of a city, each under a name of its own. */
export class Surface<Values extends Named> {
  readonly #declarations = new Map<string, Declaration<Values>>()

  constructor(
    private readonly kind: string,
    private readonly onCollision: (place: SourceLocation, message: string) => void,
  ) {}

  /** Adds what a pack brings. The same pack may bring it twice; another pack may not bring it under that name. */
  add(declaration: Declaration<Values>, place: SourceLocation): void {
    const name = nameOf(declaration)
    const earlier = this.#declarations.get(name)
    if (!earlier) this.#declarations.set(name, declaration)
    else if (earlier.block.pack?.folder !== declaration.block.pack?.folder) {
      const folders = [earlier, declaration].map(({ block }) => block.pack?.folder ?? block.file)
      this.onCollision(place, `both ${folders.join(' and ')} bring ${this.kind} "${name}"; import one by another name`)
    }
  }

  /** Adds what a rig brings to the city, unless the city has one of that name. */
  lift(declaration: Declaration<Values>, existing: ReadonlySet<string>): void {
    const name = nameOf(declaration)
    if (!existing.has(name) && !this.#declarations.has(name)) this.#declarations.set(name, declaration)
  }

  get names(): readonly string[] {
    return [...this.#declarations.keys()]
  }

  get declarations(): readonly Declaration<Values>[] {
    return [...this.#declarations.values()]
  }
}

/** The qualified name of an agent, or of a named session, which is called like its agent unless it says otherwise. */
export const nameOf = ({ values }: Declaration<Named>): string =>
  qualify(values.dir, values.name ?? values.template ?? '')
