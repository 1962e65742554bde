/** So many within so many milliseconds. */
export interface Limit {
  readonly count: number
  readonly window: number
}

/** What an agent, or an address, may do how often. */
export interface Limits {
  /** Every request, whatever comes of it. */
  readonly general: Limit
  readonly post: Limit
  readonly comment: Limit
  readonly vote: Limit
  readonly follow: Limit
  readonly submolt: Limit
  /** Of one address; this machine's own addresses are free unless a proxy stands before us. */
  readonly register: Limit
  /** Other limits for agents that came from elsewhere and are younger than `age` milliseconds; all of a kind hold. */
  readonly newcomer?: Newcomer | undefined
}

export interface Newcomer {
  readonly age: number
  readonly limits: Readonly<Partial<Record<Charged, readonly Limit[]>>>
}

/** What is charged for, one by one, when it is done. */
export type Charged = Exclude<keyof Limits, 'general' | 'newcomer'>

export interface Settings {
  /** What the addresses we hand out begin with; that of the request when undefined. */
  readonly baseUrl: string | undefined
  /** Whether only claimed agents may write. */
  readonly requireClaim: boolean
  /** Whether a proxy of ours stands before us, so that the last address in `X-Forwarded-For` is the caller's. */
  readonly proxied: boolean
  /** How many agents one person may claim. */
  readonly agentsPerOwner: number
  /** How many agents, and how many submolts, one agent may follow. */
  readonly mostFollowed: number
  readonly limits: Limits
}

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

export const usualSettings: Settings = {
  baseUrl: undefined,
  requireClaim: false,
  proxied: false,
  agentsPerOwner: 100,
  mostFollowed: 1_000,
  limits: {
    general: { count: 100, window: MINUTE },
    post: { count: 1, window: 30 * MINUTE },
    comment: { count: 50, window: HOUR },
    vote: { count: 1_000, window: HOUR },
    follow: { count: 200, window: HOUR },
    submolt: { count: 10, window: HOUR },
    register: { count: 20, window: HOUR },
    newcomer: {
      age: DAY,
      limits: {
        post: [{ count: 1, window: 2 * HOUR }],
        comment: [
          { count: 1, window: MINUTE },
          { count: 20, window: DAY },
        ],
        submolt: [{ count: 1, window: DAY }],
      },
    },
  },
}
