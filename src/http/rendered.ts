/** An answer of this shape that is JSON text already. */
export class RenderedJson<Shape> {
  constructor(readonly text: string) {}

  get value(): Shape {
    return JSON.parse(this.text)
  }
}
