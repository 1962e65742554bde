import type { Limits } from '../../src/social/shared/settings.ts'

const MANY = { count: 1_000_000, window: 60_000 }

/** Limits of the network that no one meets by chance. */
export const UNLIMITED: Limits = {
  ...{ general: MANY, pages: MANY, post: MANY, comment: MANY, edit: MANY, vote: MANY, follow: MANY, submolt: MANY },
  ...{ message: MANY, request: MANY, report: MANY, verify: MANY, picture: MANY, register: MANY },
}
