import jpegWasm from '@jsquash/jpeg/codec/dec/mozjpeg_dec.wasm' with { type: 'file' }
import decodeJpeg, { init as initJpeg } from '@jsquash/jpeg/decode'
import pngWasm from '@jsquash/png/codec/pkg/squoosh_png_bg.wasm' with { type: 'file' }
import decodePng, { init as initPng } from '@jsquash/png/decode'
import webpDecoderWasm from '@jsquash/webp/codec/dec/webp_dec.wasm' with { type: 'file' }
import webpEncoderWasm from '@jsquash/webp/codec/enc/webp_enc_simd.wasm' with { type: 'file' }
import decodeWebp, { init as initWebpDecoder } from '@jsquash/webp/decode'
import encodeWebp, { init as initWebpEncoder } from '@jsquash/webp/encode'
import { GifReader } from 'omggif'
import { type PictureHeader, readHeader } from './header.ts'
import type { PictureJob } from './picture-maker.ts'
import { type Pixels, scaleToFill } from './scale.ts'

declare const self: Worker

const QUALITY = 80

/** The decoders make their pixels with this class of browsers. */
class PixelData implements Pixels {
  constructor(
    readonly data: Uint8ClampedArray,
    readonly width: number,
    readonly height: number,
  ) {}
}
Object.assign(globalThis, { ImageData: PixelData })

const compile = async (path: string): Promise<WebAssembly.Module> =>
  WebAssembly.compile(await Bun.file(new URL(path, import.meta.url)).arrayBuffer())

async function decode({ type, width, height }: PictureHeader, bytes: Uint8Array<ArrayBuffer>): Promise<Pixels> {
  if (type === 'gif') {
    const data = new Uint8ClampedArray(width * height * 4)
    new GifReader(bytes).decodeAndBlitFrameRGBA(0, data)
    return { width, height, data }
  }
  if (type === 'png') {
    await initPng(await compile(pngWasm))
    return decodePng(bytes.buffer)
  }
  if (type === 'jpeg') {
    await initJpeg(await compile(jpegWasm))
    return decodeJpeg(bytes.buffer, { preserveOrientation: true })
  }
  await initWebpDecoder(await compile(webpDecoderWasm))
  return decodeWebp(bytes.buffer)
}

async function make({ bytes, width, height }: PictureJob): Promise<Uint8Array | undefined> {
  const header = readHeader(bytes)
  if (!header) return undefined
  const pixels = scaleToFill(await decode(header, bytes), width, height)
  await initWebpEncoder(await compile(webpEncoderWasm))
  return new Uint8Array(await encodeWebp(new PixelData(pixels.data, width, height), { quality: QUALITY }))
}

/** Makes one picture again, off the event loop; undefined when it cannot be read. */
self.onmessage = async ({ data }: MessageEvent<PictureJob>) => {
  self.postMessage(await make(data).catch(() => undefined))
}
