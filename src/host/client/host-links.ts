import type { Clock } from '../../core/clock.ts'
import { type Deadlines, settlesWithin } from '../../core/deadlines.ts'
import { AppError, errorMessage } from '../../core/errors.ts'
import { Signal } from '../../core/signal.ts'
import {
  type Activity,
  type AgentRecord,
  type Exit,
  HostPaths,
  type HostPrompt,
  type Question,
} from '../protocol/index.ts'
import { HostLink } from './host-link.ts'
import { launchHost } from './launch.ts'

const RETRY_FIRST_MS = 25
const RETRY_LAST_MS = 400
/** Maximum time a place may be held by a host that does not listen: it ends what another left, or is just ending. */
const BUSY_MS = 30_000
/** Time a call waits for a host that is coming back. */
const BACK_MS = 20_000
const ANSWER_MS = 10_000

export interface HostClientOptions {
  home: string
  /** The command that becomes `gc host`, with absolute paths. */
  launch: readonly string[]
  /** Names this program; its host runs beside those of other builds. */
  build?: string
  /** Source of the host's own few variables. */
  env?: Record<string, string | undefined>
  clock: Clock
  deadlines: Deadlines
  report?(sentence: string): void
}

export interface HostLinksListener {
  exit(exit: Exit, link: HostLink): void
  activity(sessions: Activity[]): void
  records(batch: { key: string; run: string; records: AgentRecord[] }, link: HostLink): void
  question(key: string, question: Question | undefined, link: HostLink): void
  askedHost(key: string, asked: HostPrompt | undefined, link: HostLink): void
  /** A host was found: calls may go to it. */
  opened(link: HostLink): void
  /** A host is gone, or the connection to it. */
  closed(link: HostLink): void
}

/** The hosts of one home: the one of this build, which takes new sessions, and older ones until their last session ends. */
export class HostLinks {
  readonly #place: HostPaths
  readonly #otherHosts = new Map<HostLink, HostPaths>()
  /** Keys of sessions that older hosts run. */
  readonly #linksByKey = new Map<string, HostLink>()
  readonly #lost = new Signal<[sentence: string]>()
  #ownLink: HostLink | undefined
  #connecting: Promise<HostLink> | undefined
  #released = false
  /** True if there are places of other builds where no one answers. */
  #hasDeadHosts = false

  constructor(
    private readonly options: HostClientOptions,
    private readonly events: HostLinksListener,
  ) {
    this.#place = new HostPaths(options.home, options.build ?? 'dev')
  }

  get all(): HostLink[] {
    return [...(this.#ownLink ? [this.#ownLink] : []), ...this.#otherHosts.keys()]
  }

  readonly onLost = this.#lost.listen

  runsElsewhere(key: string): boolean {
    return this.#linksByKey.has(key)
  }

  forget(key: string, link: HostLink): void {
    if (this.#linksByKey.get(key) === link) this.#linksByKey.delete(key)
  }

  /** The link to the host that runs a session, or to this build's, when it is there: calls go out in order. */
  findOpen(key?: string): HostLink | undefined {
    return (key !== undefined && this.#linksByKey.get(key)) || this.#ownLink
  }

  /** The link to the host that runs a session. Starts none: where there is no host, no session runs. */
  async linkFor(key: string): Promise<HostLink> {
    const link = this.#linksByKey.get(key) ?? (await this.neededLink())
    if (link) return link
    throw new AppError('session-not-found', `no session ${key} runs here`)
  }

  /** The link to this build's host if it runs, is connecting, or is needed to end or report what a dead host left. */
  async neededLink(): Promise<HostLink | undefined> {
    if (this.#ownLink || this.#connecting || this.#hasLeftovers()) return this.ownLink()
    return undefined
  }

  /** The link to this build's host; one that is connecting is waited for, one that is gone is started again. */
  async ownLink(): Promise<HostLink> {
    if (this.#released) throw new AppError('service-unavailable', 'the supervisor has let go of its session host')
    if (this.#ownLink) return this.#ownLink
    const connecting = this.#connectOnce()
    if (await settlesWithin(this.options.deadlines, BACK_MS, connecting)) return connecting
    throw new AppError('gateway-timeout', 'the session host is not back yet')
  }

  /** Connects to every host of this home that runs. Those of other builds take no new sessions from now on. */
  async adopt(): Promise<void> {
    this.#hasDeadHosts = false
    for (const place of HostPaths.all(this.options.home)) {
      const isOwn = place.folder === this.#place.folder
      const link = await this.#open(place).catch((error) => {
        if (isOwn) throw error
        this.#report(`the session host of build ${place.build} is left alone: ${errorMessage(error)}`)
      })
      if (link && isOwn) this.#ownLink = link
      if (link && !isOwn) await this.#takeOver(link, place)
      if (!link && !isOwn) this.#hasDeadHosts = true
    }
  }

  /** Has what dead hosts left ended; the one of this build does it, which is started for that. */
  async reclaim(): Promise<void> {
    const ownLink = await this.neededLink()
    if (ownLink && this.#hasDeadHosts) await ownLink.request('reclaim', {}, { ms: BUSY_MS })
  }

  /** Lets go: gives up the links and opens no more. */
  release(): HostLink[] {
    this.#released = true
    return this.all
  }

  #hasLeftovers(): boolean {
    const live = new Set([...this.#otherHosts.values()].map(({ folder }) => folder))
    return HostPaths.all(this.options.home).some((place) => !live.has(place.folder) && place.hasLeftovers)
  }

  async #takeOver(link: HostLink, place: HostPaths): Promise<void> {
    this.#otherHosts.set(link, place)
    const { ok } = await link.request('list', {}, { ms: ANSWER_MS })
    for (const { key, state } of ok.sessions) if (state === 'running') this.#linksByKey.set(key, link)
    await link.request('retire', {}, { ms: ANSWER_MS })
  }

  #connectOnce(): Promise<HostLink> {
    this.#connecting ??= this.#connect().finally(() => {
      this.#connecting = undefined
    })
    return this.#connecting
  }

  async #connect(): Promise<HostLink> {
    const { clock, deadlines, launch, env = process.env } = this.options
    const until = clock.monotonic() + BUSY_MS
    for (let pause = RETRY_FIRST_MS; clock.monotonic() < until; pause = Math.min(pause * 2, RETRY_LAST_MS)) {
      const link = await this.#open(this.#place)
      if (link) {
        this.#ownLink = link
        return link
      }
      if (await launchHost(this.#place, launch, env, deadlines)) continue
      await deadlines.sleep(pause)
    }
    throw new AppError('gateway-timeout', `${this.#place.folder} is held by a session host that does not listen`)
  }

  async #open(place: HostPaths): Promise<HostLink | undefined> {
    const { socket } = place
    if (!socket) return undefined
    const link = await HostLink.open(socket, this.#place.build, this.options.deadlines, {
      ...this.events,
      closed: (link, reason) => void this.#closed(link, reason),
    })
    if (link) this.events.opened(link)
    return link
  }

  async #closed(link: HostLink, reason: string): Promise<void> {
    const place = this.#otherHosts.get(link) ?? this.#place
    const { pid } = link.hello
    this.events.closed(link)
    if (this.#ownLink === link) this.#ownLink = undefined
    this.#otherHosts.delete(link)
    for (const [key, at] of this.#linksByKey) if (at === link) this.#linksByKey.delete(key)
    if (this.#released || link.ended) return
    try {
      if (place !== this.#place) await this.#reclaim(place)
      else if (place.hasLeftovers) await this.#reconnect(pid)
      else this.#tellLost(`the session host (pid ${pid}) is gone; it ran nothing`)
    } catch (error) {
      this.#tellLost(`the session host (pid ${pid}) is gone, ${reason}, and none came up: ${errorMessage(error)}`)
    }
  }

  async #reconnect(pid: number): Promise<void> {
    const link = await this.#connectOnce()
    if (link.hello.pid === pid) return
    this.#tellLost(`the session host (pid ${pid}) is gone; its programs have been stopped`)
  }

  /** A host of an older build is gone: with its last session, or lost. */
  async #reclaim(place: HostPaths): Promise<void> {
    const again = await this.#open(place)
    if (again) return this.#takeOver(again, place)
    if (!place.hasLeftovers) return
    const ownLink = await this.ownLink()
    await ownLink.request('reclaim', {}, { ms: BUSY_MS })
  }

  #tellLost(text: string): void {
    this.#report(text)
    this.#lost.emit(text)
  }

  #report(text: string): void {
    this.options.report?.(text)
  }
}
