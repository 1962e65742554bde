import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Static, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { isOfPeople } from '../../core/actor.ts'
import { errorMessage } from '../../core/errors.ts'
import { writePrivateFile } from '../../core/private-file.ts'
import type { SessionRow } from '../../work/sessions/index.ts'
import type { QuestionRow } from '../questions/index.ts'

/** Table of what a person accepted on the first screens of agents' sessions. */
const Accepted = Type.Object({
  /** Folder that was trusted: the rig's or another. */
  trust: Type.Optional(Type.String()),
  /** The same, where a session asked that nothing confined. */
  unconfined: Type.Optional(Type.String()),
  /** The folder of the rig that was trusted as a whole. A rig of that name elsewhere is not trusted by it. */
  folder: Type.Optional(Type.String()),
  /** Acceptance of running without permission checks. */
  permissions: Type.Optional(Type.Literal(true)),
})
const File = Type.Record(Type.String(), Accepted)

/** Accepted dialogs that apply to one session. */
export interface AcceptedDialogs {
  readonly trust: boolean
  readonly permissions: boolean
}

type Place = Pick<SessionRow, 'template' | 'rig' | 'workDir'>

type AskingSession = Place & Partial<Pick<SessionRow, 'confined'>>

/**
 * A person answers once for an agent, and once for the folders of a rig: other sessions, which have homes or folders of
 * their own, do not ask it again.
 */
export class AcceptanceRecorder {
  #last = Promise.resolve()

  constructor(
    private readonly city: string,
    private readonly report: (message: string) => void,
  ) {}

  /** Takes note of an answer. That of a session, which may answer others, counts for that one alone. */
  note({ by, question: { kind }, choice, actor }: QuestionRow, row: AskingSession | undefined): void {
    if (!row || by !== 'screen' || !isOfPeople(actor) || !choice?.role.startsWith('allow')) return
    if (kind !== 'trust' && kind !== 'permissions') return
    this.#last = this.#last
      .then(() => this.#add(row.template, kind === 'trust' ? trustIn(row) : { permissions: true }))
      .catch((error) => this.report(`what was accepted could not be kept: ${errorMessage(error)}`))
  }

  /** Takes note that a person trusts the folder of a rig, for all programs, and in sessions that nothing confines. */
  trust(rig: string, folder: string): Promise<void> {
    const place = placeOf({ rig, workDir: folder })
    return this.#after(() => this.#add(place, { trust: place, unconfined: place, folder }))
  }

  /** Forgets every trust in a rig, also what sessions were answered. */
  distrust(rig: string): Promise<void> {
    const place = placeOf({ rig, workDir: '' })
    return this.#after(() => {
      const kept = Object.entries(read(this.city)).flatMap(([name, { trust, unconfined, ...accepted }]) => {
        if (name === place) return []
        const rest = { ...(trust !== place && { trust }), ...(unconfined !== place && { unconfined }) }
        return [[name, { ...accepted, ...rest }]]
      })
      return writePrivateFile(fileOf(this.city), `${JSON.stringify(Object.fromEntries(kept))}\n`)
    })
  }

  /** One write at a time. */
  #after(write: () => Promise<unknown>): Promise<void> {
    const done = this.#last.then(async () => void (await write()))
    this.#last = done.catch(() => undefined)
    return done
  }

  async #add(agent: string, accepted: Static<typeof Accepted>): Promise<void> {
    const all = read(this.city)
    const content = { ...all, [agent]: { ...all[agent], ...accepted } }
    await writePrivateFile(fileOf(this.city), `${JSON.stringify(content)}\n`)
  }
}

/** The dialogs that a person accepted for the agent of a session in its place, or for its rig. */
export function acceptedDialogs(city: string, row: Place, folder?: string): AcceptedDialogs {
  const all = read(city)
  const { trust, permissions } = all[row.template] ?? {}
  const isRig = row.rig !== '' && Object.values(all).some((each) => each.trust === placeOf(row) && isOf(each, folder))
  return { trust: isRig || trust === placeOf(row), permissions: permissions === true }
}

/** True if a person trusted a rig for all programs, or in a session that nothing confined. */
export const trustsRig = (city: string, row: Pick<Place, 'rig' | 'workDir'>, folder?: string): boolean =>
  row.rig !== '' && Object.values(read(city)).some((each) => each.unconfined === placeOf(row) && isOf(each, folder))

const isOf = (accepted: Static<typeof Accepted>, folder: string | undefined): boolean =>
  accepted.folder === undefined || accepted.folder === folder

const trustIn = (row: AskingSession): Static<typeof Accepted> => ({
  trust: placeOf(row),
  ...(row.confined === 'off' && { unconfined: placeOf(row) }),
})

/** All clones of a rig are the same project. */
const placeOf = ({ rig, workDir }: Pick<Place, 'rig' | 'workDir'>): string => (rig ? `rig ${rig}` : workDir)

const fileOf = (city: string): string => join(city, '.gc', 'accepted-dialogs.json')

function read(city: string): Static<typeof File> {
  try {
    return Value.Parse(File, JSON.parse(readFileSync(fileOf(city), 'utf8')))
  } catch {
    return {}
  }
}
