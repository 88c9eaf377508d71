/** The orientation tag of an EXIF segment's payload: 1 to 8, or null when it has none that holds. */
export const orientationOf = (payload: Buffer): number | null => {
  if (payload.toString('latin1', 0, 6) !== 'Exif\0\0') return null
  const tiff = payload.subarray(6)
  const order = tiff.toString('latin1', 0, 4)
  if (tiff.length < 8 || (order !== 'II*\0' && order !== 'MM\0*')) return null
  const isLittle = order === 'II*\0'
  const short = (at: number) => (isLittle ? tiff.readUInt16LE(at) : tiff.readUInt16BE(at))
  const directory = isLittle ? tiff.readUInt32LE(4) : tiff.readUInt32BE(4)
  if (directory + 2 > tiff.length) return null
  const first = directory + 2
  const count = Math.min(short(directory), Math.floor((tiff.length - first) / entryBytes))
  for (let entry = 0; entry < count; entry += 1) {
    const at = first + entry * entryBytes
    if (short(at) !== orientationTag || short(at + 2) !== shortType) continue
    const value = short(at + 8)
    return value >= 1 && value <= 8 ? value : null
  }
  return null
}

const entryBytes = 12
const orientationTag = 0x0112
const shortType = 3

/** A whole APP1 segment that says the orientation and nothing else: 36 bytes. */
export const orientationSegment = (orientation: number): Buffer =>
  Buffer.concat([
    Buffer.from([0xff, 0xe1, 0, 34]),
    Buffer.from('Exif\0\0MM\0*', 'latin1'),
    // The first directory at 8, one entry: tag, type, count, value; no further directory.
    Buffer.from([0, 0, 0, 8, 0, 1, 0x01, 0x12, 0, shortType, 0, 0, 0, 1, 0, orientation, 0, 0, 0, 0, 0, 0]),
  ])
