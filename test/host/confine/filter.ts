/** Kernel data of a call that a filter checks. */
export interface Call {
  architecture: number
  number: number
  args?: readonly number[]
}

/** Runs a filter as the kernel does, on the instructions that gc's filters are made of; answers its verdict. */
export function evaluate(filter: Uint8Array, { architecture, number, args = [] }: Call): number {
  const code = Buffer.from(filter)
  const data = Buffer.alloc(64)
  data.writeUInt32LE(number, 0)
  data.writeUInt32LE(architecture >>> 0, 4)
  for (const [n, value] of args.entries()) data.writeBigUInt64LE(BigInt(value), 16 + 8 * n)
  let loaded = 0
  for (let at = 0; at < code.length; at += 8) {
    const [operation, yes, no] = [code.readUInt16LE(at), code.readUInt8(at + 2), code.readUInt8(at + 3)]
    const operand = code.readUInt32LE(at + 4)
    const jump = (isTrue: boolean) => {
      at += 8 * (isTrue ? yes : no)
    }
    if (operation === 0x20) loaded = data.readUInt32LE(operand)
    else if (operation === 0x54) loaded = (loaded & operand) >>> 0
    else if (operation === 0x15) jump(loaded === operand)
    else if (operation === 0x35) jump(loaded >= operand)
    else if (operation === 0x45) jump((loaded & operand) !== 0)
    else if (operation === 0x06) return operand
    else throw new Error(`the filter has an instruction that this test does not know: ${operation}`)
  }
  throw new Error('the filter has no end')
}
