import { nextTick } from '../../../core/event-loop.ts'
import { type Command, command, query, type Tx } from '../../../core/store/index.ts'
import { gcFor } from '../../../http/actor-of.ts'
import type { AgentCaller } from '../../../http/caller.ts'
import type { AgentAccounts } from '../../accounts/index.ts'
import { AvatarChanged, SubmoltPictureChanged } from '../../events.ts'
import type { Quotas } from '../../limits/index.ts'
import { type NetworkContext, pictureAddress, pictureNotFound } from '../../shared/index.ts'
import type { Moderation } from '../moderation/moderation.ts'
import { type PictureFiles, pictureName } from './files.ts'
import type { PictureMaker } from './picture-maker.ts'
import type { PictureResponse } from './schema.ts'
import type { Upload } from './upload.ts'

export type SubmoltPicture = 'avatar' | 'banner'

const SET_AVATAR = command<[string | null, number]>('UPDATE agents SET avatar = ? WHERE n = ?')

const IS_USED = query<
  { one: number },
  [string]
>(`SELECT 1 AS one FROM agents WHERE avatar = ?1 UNION ALL SELECT 1 FROM submolts WHERE avatar = ?1
       UNION ALL SELECT 1 FROM submolts WHERE banner = ?1 LIMIT 1`)

const SET_OF_SUBMOLT: Readonly<Record<SubmoltPicture, Command<[string | null, number]>>> = {
  avatar: command('UPDATE submolts SET avatar = ? WHERE n = ?'),
  banner: command('UPDATE submolts SET banner = ? WHERE n = ?'),
}

/** The pictures of agents and communities. */
export class Pictures {
  constructor(
    private readonly ctx: NetworkContext,
    private readonly peers: {
      readonly agents: AgentAccounts
      readonly moderation: Moderation
      readonly quotas: Quotas
      readonly maker: PictureMaker
      readonly files: PictureFiles
    },
  ) {}

  /** Sets the picture of the caller. */
  async setAvatar(caller: AgentCaller, { bytes }: Upload): Promise<PictureResponse> {
    await this.#charge(caller)
    const name = await this.#add(caller.id, await this.peers.maker.make(bytes, 'avatar'))
    return this.ctx.store.write((tx) => {
      this.#changeAvatar(tx, caller, this.peers.agents.acting(caller).avatar, name)
      return { success: true as const, message: 'Avatar changed', avatar_url: pictureAddress(name) }
    }, gcFor(caller))
  }

  /** Removes the picture of the caller. */
  async removeAvatar(caller: AgentCaller): Promise<PictureResponse> {
    return this.ctx.store.write((tx) => {
      const { avatar } = this.peers.agents.acting(caller)
      if (avatar !== null) this.#changeAvatar(tx, caller, avatar, null)
      return { success: true as const, message: 'You have no avatar', avatar_url: null }
    }, gcFor(caller))
  }

  /** Sets the picture or the banner of a community, as its owner or a moderator. */
  async setOfSubmolt(
    caller: AgentCaller,
    submolt: string,
    kindOf: (upload: Upload) => SubmoltPicture,
    read: () => Promise<Upload>,
  ): Promise<PictureResponse> {
    const { id } = this.peers.moderation.requireModerator(caller, submolt)
    const upload = await read()
    const kind = kindOf(upload)
    await this.#charge(caller)
    const name = await this.#add(`${id} ${kind}`, await this.peers.maker.make(upload.bytes, kind))
    return this.ctx.store.write((tx) => {
      const row = this.peers.moderation.requireModerator(caller, submolt)
      if (row[kind] !== name) {
        tx.run(SET_OF_SUBMOLT[kind], name, row.n)
        const payload = { submolt: row.name, kind }
        this.ctx.log.append(tx, SubmoltPictureChanged, { actor: caller.id, subject: row.name }, payload)
        this.#removeLater(tx, row[kind])
      }
      const address = pictureAddress(name)
      const changed = kind === 'avatar' ? { avatar_url: address } : { banner_url: address }
      return { success: true as const, message: `The ${kind} of m/${row.name} is changed`, ...changed }
    }, gcFor(caller))
  }

  /** The bytes of a picture. */
  async read(name: string): Promise<Uint8Array<ArrayBuffer>> {
    const bytes = await this.peers.files.read(name)
    if (!bytes) throw pictureNotFound()
    return bytes
  }

  /** Deletes the picture of a deleted agent. */
  deleteOf(tx: Tx, agent: number): void {
    const { avatar } = this.peers.agents.row(agent)
    tx.run(SET_AVATAR, null, agent)
    this.#removeLater(tx, avatar)
  }

  /** Removes files that belong to no one: a server that was killed left them. */
  async removeUnused(): Promise<void> {
    for await (const names of this.peers.files.names()) {
      for (const name of names) if (!this.ctx.store.get(IS_USED, name)) await this.peers.files.remove(name)
      await nextTick()
    }
  }

  async #add(owner: string, bytes: Uint8Array): Promise<string> {
    const name = pictureName(owner, bytes)
    await this.peers.files.add(name, bytes)
    return name
  }

  /** Making a picture is work, so that each attempt counts. */
  async #charge(caller: AgentCaller): Promise<void> {
    await this.ctx.store.write((tx) => {
      this.peers.quotas.charge(tx, 'picture', this.peers.agents.acting(caller))
    }, gcFor(caller))
  }

  #changeAvatar(tx: Tx, { n, id }: AgentCaller, before: string | null, after: string | null): void {
    if (before === after) return
    tx.run(SET_AVATAR, after, n)
    this.ctx.log.append(tx, AvatarChanged, { actor: id, subject: id }, { agent_id: id })
    this.#removeLater(tx, before)
  }

  /** Removes a file once nothing that is on disk names it. */
  #removeLater(tx: Tx, name: string | null): void {
    if (name !== null) tx.after(() => void this.peers.files.remove(name).catch(this.ctx.report))
  }
}
