import { PullRequestMonitors } from '../connect/github/monitors.ts'
import type { RepairGiver } from '../connect/github/repairs.ts'
import { AppError } from '../core/errors.ts'
import type { ProcessCaller } from '../http/caller.ts'
import { SLING_WORKFLOW_CONFLICT } from '../orchestration/sling/errors.ts'
import type { Sling } from '../orchestration/sling/sling.ts'
import type { BeadRepository } from '../work/beads/repository.ts'
import type { Mail } from '../work/mail/mail.ts'

type GitHubServicesOptions = Omit<
  ConstructorParameters<typeof PullRequestMonitors>[0],
  'beads' | 'repairs' | 'sendMail'
> & {
  name: string
  beadRepository: BeadRepository
  mail: Mail
  sling: Sling
}

/** The monitors of a city's pull requests, with what they start. */
export const buildMonitors = (options: GitHubServicesOptions): PullRequestMonitors =>
  new PullRequestMonitors({
    ...options,
    beads: options.beadRepository,
    repairs: slungRepairs(options),
    sendMail: (tx, to, subject, body) => options.mail.notify(tx, to, subject, body),
  })

/** Repairs are slung: as beads, or with the formula that their monitor names. */
function slungRepairs({ name: city, sling }: GitHubServicesOptions): RepairGiver {
  const caller: ProcessCaller = { kind: 'process', city, name: 'github' }
  return {
    async give(bead, { route, workflow }, { rig, variables }) {
      const target = { target: route, ...(rig !== undefined && { rig }) }
      const subject = workflow === undefined ? { bead } : { attached_bead_id: bead, formula: workflow, vars: variables }
      try {
        await sling.sling(caller, { ...target, ...subject })
      } catch (error) {
        if (!(error instanceof AppError && error.code === SLING_WORKFLOW_CONFLICT.code)) throw error
      }
    },
  }
}
