/** `[[github.pr_monitor]]`: a repository whose pull requests are watched. Durations are milliseconds. */
export interface PullRequestMonitorConfig {
  readonly name: string
  readonly owner: string
  readonly repo: string
  /** The branches that pull requests are for; any when empty. */
  readonly baseBranches: readonly string[]
  readonly rig?: string
  readonly pollInterval: number
  /** Where GitHub’s API answers, without a slash at the end. */
  readonly baseUrl: string
  /** The variable of the supervisor's environment that holds a token; those of `gh` when absent. */
  readonly tokenEnv?: string
}
