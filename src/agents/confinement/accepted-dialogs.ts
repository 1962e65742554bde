import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Static, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { isOfPeople } from '../../core/actor.ts'
import { errorMessage } from '../../core/errors.ts'
import { writePrivateFile } from '../../core/private-file.ts'
import type { SessionRow } from '../../work/sessions/index.ts'
import type { QuestionRow } from '../questions/index.ts'

/** What a person accepted when sessions of an agent asked it on their first screens. */
const Accepted = Type.Object({
  /** Where it was trusted: in its rig, or in a folder. */
  trust: Type.Optional(Type.String()),
  /** The same, where a session asked that nothing confined. */
  unconfined: Type.Optional(Type.String()),
  /** That it runs without permission checks. */
  permissions: Type.Optional(Type.Literal(true)),
})
const File = Type.Record(Type.String(), Accepted)

/** What holds for one session. */
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

  async #add(agent: string, accepted: Static<typeof Accepted>): Promise<void> {
    const all = read(this.city)
    const content = { ...all, [agent]: { ...all[agent], ...accepted } }
    await writePrivateFile(fileOf(this.city), `${JSON.stringify(content)}\n`)
  }
}

/** The dialogs that a person accepted for the agent of a session in its place, or for its rig. */
export function acceptedDialogs(city: string, row: Place): AcceptedDialogs {
  const all = read(city)
  const { trust, permissions } = all[row.template] ?? {}
  const isRig = row.rig !== '' && Object.values(all).some((each) => each.trust === placeOf(row))
  return { trust: isRig || trust === placeOf(row), permissions: permissions === true }
}

/** Whether a person trusted a rig in a session that nothing confined. */
export const trustsRig = (city: string, row: Place): boolean =>
  row.rig !== '' && Object.values(read(city)).some(({ unconfined }) => unconfined === placeOf(row))

const trustIn = (row: AskingSession): Static<typeof Accepted> => ({
  trust: placeOf(row),
  ...(row.confined === 'off' && { unconfined: placeOf(row) }),
})

/** All clones of a rig are the same project. */
const placeOf = ({ rig, workDir }: Place): string => (rig ? `rig ${rig}` : workDir)

const fileOf = (city: string): string => join(city, '.gc', 'accepted-dialogs.json')

function read(city: string): Static<typeof File> {
  try {
    return Value.Parse(File, JSON.parse(readFileSync(fileOf(city), 'utf8')))
  } catch {
    return {}
  }
}
