/** The files of a backup of a network, under the names that they have in `GC_HOME`. */
export const MANIFEST = 'social-backup.json'
export const DATABASE = 'social.db'
export const IDENTITY = 'social-identity.json'
export const PICTURES = 'social-pictures'

export const FORMAT = 1

/** A picture: a name without anything by which it could leave its folder. */
export const PICTURE = new RegExp(`^${PICTURES}/(?:[A-Za-z0-9_-]{1,100}/){0,3}[A-Za-z0-9_-]{1,100}(?:\\.[a-z]{2,5})?$`)
