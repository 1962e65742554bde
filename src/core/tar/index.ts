export { gzipTar } from './gzip-tar.ts'
export type { TarHeader } from './header.ts'
export { readTar, type TarEntry } from './read-tar.ts'
export type { TarSource } from './write-tar.ts'
