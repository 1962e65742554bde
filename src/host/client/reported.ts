import { AppError } from '../../core/errors.ts'
import { Signal } from '../../core/signal.ts'
import type { HostLink } from './host-link.ts'

/** Report format of one kind of item. */
interface Kind<Value> {
  /** Name of the kind, for the log. */
  readonly name: string
  /** Asks a host to report it from now on, and for what there is already. */
  ask(link: HostLink): Promise<readonly (readonly [key: string, value: Value])[]>
}

/** Reports of hosts on their sessions as items come and go, at most one of a kind for each session. */
export class Reported<Value> {
  readonly #open = new Map<string, { value: Value; link: HostLink }>()
  readonly #reporting = new Set<HostLink>()
  /** Hosts that were asked and have not said yet what is open. */
  readonly #pending = new Map<HostLink, Promise<void>>()
  readonly #changed = new Signal<[key: string, value: Value | undefined]>()

  constructor(
    private readonly kind: Kind<Value>,
    private readonly report: (sentence: string) => void,
  ) {}

  get all(): [key: string, value: Value][] {
    return [...this.#open].map(([key, { value }]) => [key, value])
  }

  find(key: string): Value | undefined {
    return this.#open.get(key)?.value
  }

  /** True if this host reports it; one of an earlier build does not. */
  reports(link: HostLink | undefined): boolean {
    return link !== undefined && this.#reporting.has(link)
  }

  readonly subscribe = this.#changed.listen

  /** Asks a host to report it from now on. */
  follow(link: HostLink): void {
    const pending = this.#follow(link).finally(() => this.#pending.delete(link))
    this.#pending.set(link, pending)
  }

  /** True if every host that was found has said what is open, or cannot. */
  get isKnown(): boolean {
    return this.#pending.size === 0
  }

  /** Resolves when every host that was found has said what is open, or cannot. */
  async whenKnown(): Promise<void> {
    await Promise.all(this.#pending.values())
  }

  async #follow(link: HostLink): Promise<void> {
    try {
      const open = await this.kind.ask(link)
      this.#reporting.add(link)
      for (const [key, value] of open) this.set(key, value, link)
    } catch (error) {
      const isEarlier = error instanceof AppError && error.code === 'not-implemented'
      if (!isEarlier && link.open) this.report(`the ${this.kind.name} of a session host are not reported: ${error}`)
    }
  }

  set(key: string, value: Value | undefined, link: HostLink): void {
    if (value !== undefined) this.#open.set(key, { value, link })
    else if (!this.#open.delete(key)) return
    this.#changed.emit(key, value)
  }

  /** The host is gone, or the connection to it: one that is found again reports again. */
  drop(link: HostLink): void {
    this.#reporting.delete(link)
    for (const [key, open] of this.#open) if (open.link === link) this.#open.delete(key)
  }
}
