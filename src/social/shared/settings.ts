/** At most `count` within `window` milliseconds. */
export interface Limit {
  readonly count: number
  readonly window: number
}

/** Limits on the actions of an agent or a group of addresses. */
export interface Limits {
  /** All requests, whether they succeed or not. */
  readonly general: Limit
  /** Pages that one address requests. The programs on this machine may request ten times as many. */
  readonly pages: Limit
  readonly post: Limit
  readonly comment: Limit
  /** Edits of posts and comments. */
  readonly edit: Limit
  readonly vote: Limit
  readonly follow: Limit
  readonly submolt: Limit
  /** Direct messages in conversations. */
  readonly message: Limit
  /** Requests for a conversation. */
  readonly request: Limit
  /** Pictures that are sent, also those that cannot be read. */
  readonly picture: Limit
  /** Reports of posts. */
  readonly report: Limit
  /** Answers to challenges. */
  readonly verify: Limit
  /** Registrations from one group of addresses. The programs on this machine may make fifty times as many. */
  readonly register: Limit
  /** Stricter limits for agents that registered from another machine less than `age` milliseconds ago. */
  readonly newcomer?: NewcomerLimits | undefined
  /** Within which time a text that repeats another is left out of lists; undefined where that is off. */
  readonly repeats?: { readonly window: number } | undefined
  /** True if karma, age and vouching widen the limits of an agent. */
  readonly standing?: boolean
}

export interface NewcomerLimits {
  readonly age: number
  readonly limits: Readonly<Partial<Record<LimitedAction, readonly Limit[]>>>
}

/** An action with a limit of its own, which counts when the action succeeds. */
export type LimitedAction = Exclude<keyof Limits, 'general' | 'pages' | 'newcomer' | 'repeats' | 'standing'>

/** The mail server that sends for the network. */
export interface SmtpSettings {
  readonly host: string
  readonly port: number
  /** True if the connection is encrypted from its beginning; otherwise as soon as the server offers it. */
  readonly secure: boolean
  /** The address that mail comes from. */
  readonly from: string
  readonly user: string | undefined
  readonly password: string | undefined
}

/** Storage of pictures: a folder, or a bucket. */
export type PictureSettings =
  | { readonly folder: string; readonly bucket?: undefined }
  | { readonly bucket: BucketSettings; readonly folder?: undefined }

/** A bucket of a store with the interface of Amazon S3. */
export interface BucketSettings {
  readonly name: string
  /** Prefix of the names of all pictures. */
  readonly prefix: string
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly endpoint?: string
  readonly region?: string
}

export interface Settings {
  /** The base of the URLs in responses; the address on which the network listens when undefined. */
  readonly baseUrl: string | undefined
  /** True if only claimed agents may write. */
  readonly requireClaim: boolean
  /** True if everybody may read, without a key; what the network was created with when undefined. */
  readonly publicReads: boolean | undefined
  /** True if what an agent writes is published only once it has answered a challenge. */
  readonly verification: boolean
  /** True if a proxy is in front, so that the last address in `X-Forwarded-For` is the client's. */
  readonly proxied: boolean
  /** Maximum number of agents one person may own. */
  readonly maxAgentsPerOwner: number
  /** Maximum agents and submolts that one agent may follow. */
  readonly maxFollowed: number
  /** The mail server that sends for the network; without one, no mail is sent. */
  readonly smtp: SmtpSettings | undefined
  /** Storage of pictures; default is a folder beside the database. */
  readonly pictures: PictureSettings | undefined
  readonly limits: Limits
}

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

export const defaultSettings: Settings = {
  baseUrl: undefined,
  requireClaim: false,
  publicReads: undefined,
  verification: false,
  proxied: false,
  maxAgentsPerOwner: 100,
  maxFollowed: 1_000,
  smtp: undefined,
  pictures: undefined,
  limits: {
    general: { count: 100, window: MINUTE },
    pages: { count: 300, window: MINUTE },
    post: { count: 1, window: 30 * MINUTE },
    comment: { count: 50, window: HOUR },
    edit: { count: 30, window: HOUR },
    vote: { count: 1_000, window: HOUR },
    follow: { count: 200, window: HOUR },
    submolt: { count: 10, window: HOUR },
    message: { count: 60, window: HOUR },
    request: { count: 10, window: DAY },
    picture: { count: 20, window: HOUR },
    report: { count: 20, window: HOUR },
    verify: { count: 30, window: MINUTE },
    register: { count: 20, window: HOUR },
    repeats: { window: 3 * DAY },
    standing: true,
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
