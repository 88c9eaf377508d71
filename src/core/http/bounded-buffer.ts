/** The pieces of a body, put together as they come: a million of one byte hold no more memory than twice their bytes. */
export const createBoundedBuffer = () => {
  let pile: Buffer | null = null
  let length = 0

  const add = (piece: Buffer): void => {
    const end = length + piece.length
    // Nearly every body is one piece, which is then handed on as it is.
    if (pile === null) pile = piece
    else {
      if (end > pile.length) pile = enlarged(pile, length, end)
      piece.copy(pile, length)
    }
    length = end
  }

  return { add, length: () => length, bytes: (): Buffer => pile?.subarray(0, length) ?? Buffer.alloc(0) }
}

const enlarged = (pile: Buffer, used: number, needed: number): Buffer => {
  const larger = Buffer.allocUnsafeSlow(Math.max(needed, 2 * pile.length, 4096))
  pile.copy(larger, 0, 0, used)
  return larger
}
