/** Joins the pieces of a body as they arrive. A million single bytes use no more memory than twice their size. */
export function createBoundedBuffer() {
  let buffer: Buffer | null = null
  let length = 0

  const add = (piece: Buffer): void => {
    const end = length + piece.length
    // Nearly every body is one piece, which is passed on unchanged.
    if (buffer === null) buffer = piece
    else {
      if (end > buffer.length) buffer = enlarged(buffer, length, end)
      piece.copy(buffer, length)
    }
    length = end
  }

  return { add, length: () => length, bytes: (): Buffer => buffer?.subarray(0, length) ?? Buffer.alloc(0) }
}

function enlarged(buffer: Buffer, used: number, needed: number): Buffer {
  const larger = Buffer.allocUnsafeSlow(Math.max(needed, 2 * buffer.length, 4096))
  buffer.copy(larger, 0, 0, used)
  return larger
}
