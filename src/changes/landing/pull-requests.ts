import type { LandConfig, LandForgeConfig } from '../../config/land/index.ts'
import { AppError } from '../../core/errors.ts'
import type { Tx } from '../../core/store/index.ts'
import * as events from '../events.ts'
import {
  advance,
  closeProposal,
  type Forge,
  ForgeProblem,
  forgeOfRemote,
  judgeLanded,
  type LandingEnd,
  type LandingWorld,
  openForge,
  type PullRequestLanding,
} from '../forges/index.ts'
import { type RemoteAddress, RemoteBranch, remoteAddress } from '../yard/index.ts'
import type { GivenBack } from './letters.ts'
import { enterState, LANDING, type TrainParts, type TrainRig } from './parts.ts'
import type { LandingRow, LandingState, PullRequestRow } from './table.ts'

/** States of a landing that has a pull request, or is about to. */
export const PROPOSED: readonly LandingState[] = ['pr_open', 'pr_waiting', 'pr_merging']

const MAX_STEPS = 20
const MAX_REPLACED = 50
const LOOK_MS = 60_000

/** Someone took a landing back while its pull request was looked at. */
class Withdrawn extends Error {}

/** The parts of a train that the pull requests of its rig use. */
export interface ProposingTrain {
  /** Looks at the target, and records what is seen there. */
  look(land: LandConfig): Promise<string | undefined>
  land(tx: Tx, row: LandingRow, commit: string): void
  requeue(tx: Tx, row: LandingRow): void
  giveBack(tx: Tx, row: LandingRow, land: LandConfig, back: GivenBack): void
  stand(kind: string, reason: string): Promise<void>
  stopStanding(kind: string): Promise<void>
  wakeIn(ms: number): void
}

/** Follows the pull requests of a rig, each by a row that is written before every request. */
export class PullRequests {
  #forge: { key: string; forge: Forge } | undefined

  constructor(
    private readonly parts: TrainParts,
    private readonly rig: TrainRig,
    private readonly train: ProposingTrain,
  ) {}

  /** Keeps the commit of a candidate that should be proposed. */
  pin(landing: string, candidate: string): Promise<void> {
    return this.rig.yard.pin({ [pinOf(landing)]: candidate })
  }

  /** Makes a pull request of a landing from now on; the first look opens it. */
  propose(tx: Tx, row: LandingRow, { base, sha }: { base: string; sha: string }): void {
    const { rows, clock } = this.parts
    const before = rows.pullRequest(row.id)
    const round = before?.round ?? 1
    const headBranch = `gc/land/${row.id}${round === 1 ? '' : `-${round}`}`
    const earlier = before?.proposal.headBranch === headBranch ? before.proposal : undefined
    const other = earlier || !before ? [] : [{ branch: before.proposal.headBranch, sha: before.proposal.sha }]
    const proposal: PullRequestLanding = {
      ...{ state: 'pr_open', headBranch, target: row.target, base, sha, attempts: 0 },
      left: [...(before?.proposal.left ?? []), ...other].slice(-MAX_REPLACED),
      replaced: earlier ? [...earlier.replaced, earlier.sha].slice(-MAX_REPLACED) : [],
      ...(earlier?.number !== undefined && { number: earlier.number }),
    }
    rows.setPullRequest(tx, { landing: row.id, rig: row.rig, round, state: 'open', proposal, due: clock.now() })
    enterState(this.parts, tx, row, { state: 'pr_open', batch: null, reason: '' }, events.LandProposed)
  }

  /** Takes every pull request one look further whose time has come. */
  async follow(land: LandConfig): Promise<void> {
    const { rows, clock } = this.parts
    for (const { landing } of rows.openPullRequests(this.rig.name)) {
      const address = await this.#address(land)
      const forge = await this.#open(land, address)
      if (!forge) return
      for (let steps = 0; steps < MAX_STEPS; steps++) {
        const current = rows.pullRequest(landing)
        if (current?.state !== 'open' || current.due > clock.now()) break
        await this.#step(current, land, forge, address)
      }
    }
    const due = rows.openPullRequests(this.rig.name).map((each) => each.due)
    if (due.length > 0) this.train.wakeIn(Math.max(0, Math.min(...due) - clock.now()))
  }

  #address(land: LandConfig): Promise<RemoteAddress> {
    return remoteAddress(this.rig.repository(), land.remote)
  }

  /** The reason why a rig can open no pull request. */
  async problem(land: LandConfig): Promise<string | undefined> {
    return this.#problemAt(land, await this.#address(land))
  }

  #problemAt(land: LandConfig, { url }: RemoteAddress): string | undefined {
    const config: LandForgeConfig | undefined = land.forge ?? forgeOfRemote(url)
    if (config) return this.#problem(config)
    return 'a pull request needs a forge: set kind, url and repository in [rigs.land.forge]'
  }

  /** The forge of the rig; without one, pull requests wait until a person has named it. */
  async #open(land: LandConfig, address: RemoteAddress): Promise<Forge | undefined> {
    const problem = this.#problemAt(land, address)
    if (problem === undefined) {
      await this.train.stopStanding('no-forge')
      return this.#forge?.forge
    }
    await this.train.stand('no-forge', problem)
    this.train.wakeIn(LOOK_MS)
    return undefined
  }

  #problem(config: LandForgeConfig): string | undefined {
    const { tokens, clock } = this.parts
    const key = JSON.stringify([config, tokens.for(new URL(config.url).host)])
    if (this.#forge?.key === key) return undefined
    try {
      this.#forge = { key, forge: openForge(config, { tokens, clock }) }
      return undefined
    } catch (error) {
      if (error instanceof ForgeProblem) return error.message
      throw error
    }
  }

  async #step(current: PullRequestRow, land: LandConfig, forge: Forge, address: RemoteAddress): Promise<void> {
    const { rows, store, clock, letters } = this.parts
    const row = rows.find(current.landing)
    if (!row || !PROPOSED.includes(row.state)) {
      return this.#leave(row, current, () => this.#world(current, land, forge, address))
    }
    try {
      const world = await this.#world(current, land, forge, address)
      if (world.message.title === '') return await this.#lose(current)
      const step = await advance(current.proposal, world)
      if (step.kind === 'end' && step.end.kind === 'red') {
        await letters.pin(row.rig, row.id, redOf(current, step.end))
      }
      await store.write((tx) => {
        const now = rows.find(current.landing)
        if (!now || !PROPOSED.includes(now.state)) throw new Withdrawn()
        if (step.kind === 'end') return this.#end(tx, now, current, land, step.end)
        rows.setPullRequest(tx, { ...current, proposal: step.row, due: clock.now() + step.after })
        this.#show(tx, now, step.row)
      }, LANDING)
      if (step.kind === 'end' && step.end.kind === 'landed') await this.#cleanUp(current)
    } catch (error) {
      if (!(error instanceof Withdrawn)) throw error
    }
  }

  /** A candidate that went with its yard, and that its branch does not have, is made again. */
  async #lose(current: PullRequestRow): Promise<void> {
    const { rows, store } = this.parts
    await store.write((tx) => {
      const now = rows.find(current.landing)
      if (!now || !PROPOSED.includes(now.state)) throw new Withdrawn()
      rows.setPullRequest(tx, { ...current, state: 'ended' })
      this.train.requeue(tx, now)
    }, LANDING)
  }

  /** A landing that was cancelled or given up leaves no pull request behind; one that waits for a person keeps its own. */
  async #leave(
    row: LandingRow | undefined,
    current: PullRequestRow,
    world: () => Promise<LandingWorld>,
  ): Promise<void> {
    const { rows, store, clock, report } = this.parts
    const isOver = row?.state === 'cancelled' || row?.state === 'given_up'
    const end = isOver ? await closeProposal(current.proposal, await world()) : { kind: 'closed' as const }
    if (end.kind === 'failed') report(`the pull request of ${current.landing} stays open: ${end.reason}`)
    await store.write((tx) => {
      if (end.kind === 'again') return rows.setPullRequest(tx, { ...current, due: clock.now() + end.after })
      rows.setPullRequest(tx, { ...current, state: 'ended' })
      const now = rows.find(current.landing)
      if (end.kind === 'landed' && now) this.train.land(tx, now, end.commit)
    }, LANDING)
    if (isOver && end.kind !== 'again') await this.#cleanUp(current)
  }

  async #world(current: PullRequestRow, land: LandConfig, forge: Forge, address: RemoteAddress): Promise<LandingWorld> {
    const { rows, store, clock } = this.parts
    const { yard } = this.rig
    const { sha, headBranch } = current.proposal
    const branch = (name: string) => new RemoteBranch(this.rig.user(), yard, address, name)
    const read = () => yard.own.try('log', '-1', '--format=%s%x00%b', sha)
    const text = (await read()) || ((await branch(headBranch).look()) && (await read())) || ''
    const [title = '', body = ''] = text.split('\0')
    return {
      forge,
      now: () => clock.now(),
      options: { strategy: land.strategy, labels: land.pr.labels },
      message: { title, body: body.trim() },
      isDraft: land.pr.draft,
      save: (proposal) =>
        store.write((tx) => {
          const row = rows.find(current.landing)
          if (!row || !PROPOSED.includes(row.state)) throw new Withdrawn()
          rows.setPullRequest(tx, { ...current, proposal, due: clock.now() })
          this.#show(tx, row, proposal)
        }, LANDING),
      remote: {
        fetch: async (target, head) => {
          const tip = await this.train.look(land)
          if (tip === undefined) throw new AppError('service-unavailable', `the remote has no branch ${target}`)
          return { target: tip, branch: await branch(head).look() }
        },
        push: async (head, commit, lease = '') => void (await branch(head).push(lease, commit)),
        judge: (change, seen) => judgeLanded((args) => yard.own.execute(args), change, seen),
      },
    }
  }

  /** A landing shows how far its pull request is, and what it waits for. */
  #show(tx: Tx, row: LandingRow, { state, reason = '', number }: PullRequestLanding): void {
    const shown = number === undefined ? reason : `pull request ${number}${reason === '' ? '' : `: ${reason}`}`
    if (row.state === state && row.reason === shown) return
    if (state === 'pr_merging' && row.state !== state) {
      enterState(this.parts, tx, row, { state, reason: shown }, events.LandMerging)
    } else this.parts.rows.update(tx, row.id, { state, reason: shown, updatedAt: this.parts.clock.now() })
  }

  #end(tx: Tx, row: LandingRow, current: PullRequestRow, land: LandConfig, end: LandingEnd): void {
    const { rows } = this.parts
    const isHeld = end.kind === 'held'
    rows.setPullRequest(tx, { ...current, state: 'ended', round: current.round + (isHeld ? 1 : 0) })
    if (end.kind === 'landed') this.train.land(tx, row, end.commit)
    else if (end.kind === 'held') {
      enterState(this.parts, tx, row, { state: 'held', heldFor: 'forge', reason: end.reason }, events.LandHeld)
    } else if (end.kind === 'red') this.train.giveBack(tx, row, land, redOf(current, end))
    else this.train.requeue(tx, row)
  }

  /** Deletes gc's own branches, unless somebody else pushed to them; a forge closes what was proposed from one. */
  async #cleanUp({ landing, proposal }: PullRequestRow): Promise<void> {
    const land = this.rig.land()
    if (!land) return
    const address = await this.#address(land)
    const all = [...(proposal.left ?? []), { branch: proposal.headBranch, sha: proposal.sha }]
    for (const { branch, sha } of all) {
      const remote = new RemoteBranch(this.rig.user(), this.rig.yard, address, branch)
      await remote.remove(sha).catch(() => {})
    }
    const refs = all.map(({ branch }) => `refs/gc/base/${branch}`)
    await this.rig.yard.unpin([pinOf(landing), ...refs]).catch(() => {})
  }
}

const pinOf = (landing: string): string => `refs/gc/pr/${landing}`

/** The letter to the owner of a branch whose pull request fails checks of the forge. */
function redOf({ proposal }: PullRequestRow, { checks }: Extract<LandingEnd, { kind: 'red' }>): GivenBack {
  const { base, sha } = proposal
  const names = checks.map(({ name, url }) => (url === '' ? name : `${name}: ${url}`))
  const details = { output: names.join('\n'), reason: 'checks of the forge failed', green: base, target: base }
  return { kind: 'red', base, candidate: sha, details }
}
