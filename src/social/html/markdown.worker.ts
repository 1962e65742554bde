import { markdown } from './markdown.ts'

declare const self: Worker

/** The worker that renders texts off the event loop, one at a time. */
self.onmessage = ({ data }: MessageEvent<string>) => {
  self.postMessage(markdown(data).text)
}
