/**
 * Every status that `bd` and the known system have, and whether a bead that has it is over: nothing waits for it and nobody
 * works on it. `tombstone` is what older versions of `bd` left of a deleted bead.
 */
const STATUSES: Readonly<Record<string, { readonly isOver: boolean }>> = {
  open: { isOver: false },
  in_progress: { isOver: false },
  blocked: { isOver: false },
  deferred: { isOver: false },
  pinned: { isOver: false },
  hooked: { isOver: false },
  closed: { isOver: true },
  tombstone: { isOver: true },
}

/** The status that is stored for one that is given: a bead that is over is closed. Unknown ones are kept, and are not over. */
export const toStatus = (given: string): string =>
  Object.hasOwn(STATUSES, given) && STATUSES[given]?.isOver ? 'closed' : given

/** The status of a bead that was deleted. */
export const DELETED = 'tombstone'
