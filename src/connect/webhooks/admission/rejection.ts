/** Reason a delivery was rejected, in the words of its event. */
export type RejectionReason =
  | 'perimeter_denied'
  | 'read_only'
  | 'rate_limited'
  | 'body_too_large'
  | 'bad_body'
  | 'operator_fault'
  | 'verify_failed'
  | 'bad_payload'
  | 'match_error'
  | 'dispatch_refused'
  | 'dispatch_unavailable'
  | 'dispatch_error'

/** A delivery that nothing follows from. Its message is for the event log, and may name what the sender must not learn. */
export class Rejection extends Error {
  constructor(
    readonly reason: RejectionReason,
    readonly status: number,
    message: string,
    /** Response to the sender. */
    readonly answer: string,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(message)
  }
}

/** The webhook cannot work as it is set up: the sender may try again later. */
export const operatorFault = (message: string): Rejection =>
  new Rejection(
    'operator_fault',
    503,
    message,
    'this webhook is not set up; its operator finds the reason in its events',
  )

/** The sender did not prove who it is. All reasons get one answer, which gives attackers no hint. */
export const verifyFailed = (message: string): Rejection =>
  new Rejection('verify_failed', 401, message, 'the signature of this delivery is not valid')
