import type { CityConfig } from '../../config/city/index.ts'
import type { CityContext } from '../../core/city-context.ts'
import { AppError } from '../../core/errors.ts'
import type { EventDefinition } from '../../core/events/index.ts'
import { actorOf } from '../../http/actor-of.ts'
import type { Caller } from '../../http/caller.ts'
import type { OKResponseBody } from '../../http/schema.ts'
import { RigDistrusted, RigTrusted } from '../events.ts'
import { type AcceptanceRecorder, trustsRig } from './accepted-dialogs.ts'

/** The rigs that a person trusts: no program asks about their folders, nor about those that gc makes of them. */
export class RigTrust {
  constructor(
    private readonly context: CityContext,
    private readonly options: {
      /** The folder of the city. */
      path: string
      config: { readonly current: CityConfig; rig(name: string): { readonly path?: string | undefined } }
      accepted: Pick<AcceptanceRecorder, 'trust' | 'distrust'>
    },
  ) {}

  async trust(caller: Caller, rig: string): Promise<OKResponseBody> {
    const { path, config, accepted } = this.options
    const folder = config.rig(rig).path
    if (folder === undefined)
      throw new AppError(
        'conflict-wrong-state',
        `rig ${rig} is bound to no folder; \`gc rig add <folder> --name ${rig}\` says where it is`,
      )
    if (!trustsRig(path, { rig, workDir: folder }, folder)) {
      // The event goes first, so that no trust is without a record.
      await this.#record(caller, RigTrusted, rig)
      await accepted.trust(rig, folder)
    }
    return { status: 'trusted' }
  }

  async distrust(caller: Caller, rig: string): Promise<OKResponseBody> {
    this.options.config.rig(rig)
    await this.options.accepted.distrust(rig)
    await this.#record(caller, RigDistrusted, rig)
    return { status: 'not trusted' }
  }

  async #record(caller: Caller, event: EventDefinition, rig: string): Promise<void> {
    const { store, log } = this.context
    await store.write((tx) => log.append(tx, event, { subject: rig }, {}), { ...actorOf(caller), request: undefined })
  }
}
