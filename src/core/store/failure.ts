import { AppError, errorMessage } from '../errors.ts'

/** Reason a store accepts no more writes. Only closing and opening again helps. */
export interface StoreFailure {
  /** A sentence for people. */
  readonly reason: string
  /** True if its files are no longer where they were opened; what is read then is of no use to anybody. */
  readonly isDisplaced: boolean
}

/** Reason the writes of a store fail for now. It ends with the next write that succeeds. */
export interface StoreTrouble {
  /** The cause, such as a full disk, with the folder. */
  readonly reason: string
  /** Fix that ends it. */
  readonly remedy: string
}

export const describeTrouble = ({ reason, remedy }: StoreTrouble): string => `${reason}; ${remedy}`

/** Lets the log know when writes to what `name` names begin to fail, and when they succeed again. */
export const troubleReporter = (name: string, report: (message: string) => void) => (trouble?: StoreTrouble) =>
  report(`${name}: ${trouble ? `writes fail: ${describeTrouble(trouble)}` : 'writes succeed again'}`)

/** The failure of a disk. */
export const failureOf = (path: string, reason: string): StoreFailure => ({
  reason: `${path} failed and takes no more writes: ${reason}; restart the city or supervisor that uses it`,
  isDisplaced: false,
})

/** The failure of a database whose files were moved, deleted or replaced. */
export const displacementOf = (path: string, reason: string): StoreFailure => ({
  reason: `${path} takes no more writes: ${reason}; put it back, then restart the city or supervisor that uses it`,
  isDisplaced: true,
})

/** Rethrows what went wrong while a file was written, as an error for callers. */
export const rethrowUnwritable = (path: string) => (error: unknown) => {
  throw new AppError('store-unavailable', `${path} could not be written: ${errorMessage(error)}`)
}
