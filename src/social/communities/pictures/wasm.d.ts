declare module '*.wasm' {
  const path: string
  // biome-ignore lint/style/noDefaultExport: an import of a file is a default import
  export default path
}
// The package describes what is in this file, and not its path.
declare module '@jsquash/png/codec/pkg/squoosh_png_bg.wasm' {
  const path: string
  // biome-ignore lint/style/noDefaultExport: an import of a file is a default import
  export default path
}
declare module 'omggif' {
  /** Reads a GIF; throws for what is none. */
  export class GifReader {
    constructor(bytes: Uint8Array)
    readonly width: number
    readonly height: number
    numFrames(): number
    decodeAndBlitFrameRGBA(frame: number, pixels: Uint8ClampedArray): void
  }
}
