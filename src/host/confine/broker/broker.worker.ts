import { BrokerLoop } from './loop.ts'

declare const self: Worker

/** The thread that answers the calls of confined programs. It never comes back: it waits in the kernel. */
self.onmessage = ({ data: control }: MessageEvent<number>) => {
  new BrokerLoop(control, (report) => self.postMessage(report)).run()
}
