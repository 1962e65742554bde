declare const self: Worker

/** Answers with the job; hangs for `hang`, and breaks for `break`. */
self.onmessage = ({ data }: MessageEvent<string>) => {
  if (data === 'break') throw new Error('broken')
  if (data !== 'hang') self.postMessage(data)
}
