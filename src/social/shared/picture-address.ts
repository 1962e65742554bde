/** Path of served pictures. */
export const PICTURES_PATH = '/pictures'

/** The address of a picture on this server; null for none. */
export const pictureAddress = (name: string | null): string | null =>
  name === null ? null : `${PICTURES_PATH}/${name}`
