import { type FieldReader, requiredString, string, strings, type ValuesOf } from './fields.ts'

/** The branches that are watched; `base` names one. */
const baseBranches: FieldReader<string[]> = {
  key: 'base_branches',
  read(section) {
    const base = section.string('base')
    return section.strings('base_branches') ?? (base === undefined ? undefined : [base])
  },
}

/** `[[github.pr_monitor]]`: a repository whose pull requests are watched. */
export const PULL_REQUEST_MONITOR = {
  name: requiredString('name'),
  owner: requiredString('owner'),
  repo: requiredString('repo'),
  baseBranches,
  rig: string('rig'),
  /** A duration, judged when it is resolved. */
  pollInterval: string('poll_interval'),
  baseUrl: string('base_url'),
  tokenEnv: string('token_env'),
  authors: strings('authors'),
  notify: strings('notify'),
  repairRoute: string('repair_route'),
  repairWorkflow: string('repair_workflow'),
}
export type PullRequestMonitorFields = ValuesOf<typeof PULL_REQUEST_MONITOR>
