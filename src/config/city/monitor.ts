/** `[[github.pr_monitor]]`: a repository whose pull requests are watched. Durations are milliseconds. */
export interface PullRequestMonitorConfig {
  readonly name: string
  readonly owner: string
  readonly repo: string
  /** The branches that pull requests are for; any when empty. */
  readonly baseBranches: readonly string[]
  readonly rig?: string
  readonly pollInterval: number
  /** Address of GitHub’s API, without a trailing slash. */
  readonly baseUrl: string
  /** The variable of the supervisor's environment that holds a token; those of `gh` when absent. */
  readonly tokenEnv?: string
  /** Those whose pull requests are looked after; without any, everybody's but those that come from forks. */
  readonly authors: readonly string[]
  /** Recipient of mail when a pull request starts or stops needing a repair. */
  readonly notify: readonly string[]
  readonly repair?: RepairConfig
}

/** Agent that repairs pull requests that cannot be merged. */
export interface RepairConfig {
  /** An agent or pool. */
  readonly route: string
  /** The formula that it runs for each; that of the agent when absent. */
  readonly workflow?: string
}
