import test from 'ava'
import sharp from 'sharp'
import { createImages } from '../../../src/reports/preview/index.ts'
import { plainJpeg } from './support.ts'

const bare = createImages({ sharp: false })
const withSharp = createImages()

test('without sharp colours follow the markers, and the markers are removed', async (t) => {
  const plain = await plainJpeg()
  // Decoders take components of these names for RGB, unless JFIF or Adobe says otherwise.
  const named = renamed(plain, 'RGB')
  const pixels = await sharp(plain).raw().toBuffer()
  t.false(pixels.equals(await sharp(named).raw().toBuffer()))
  const markers = [
    [0xff, 0xe0, 0, 20, ...Buffer.from('JFIF\0\x01\x02\0\0\x01\0\x01\0\0note', 'latin1')],
    [0xff, 0xee, 0, 18, ...Buffer.from('Adobe\0\x64\0\0\0\0\x01note', 'latin1')],
  ]
  for (const marker of markers) {
    const { bytes } = await bare.toPreview(
      Buffer.concat([named.subarray(0, 2), Buffer.from(marker), named.subarray(2)]),
    )
    const stored = await sharp(bytes).raw().toBuffer()
    t.true(Math.max(...stored.map((value, at) => Math.abs(value - pixels[at]!))) < 4)
    t.false(bytes.includes('note'))
  }
})

/** The same JPEG with other names for its three components, in the frame and in the scan. */
function renamed(jpeg: Buffer, names: string): Buffer {
  const copy = Buffer.from(jpeg)
  const frame = copy.indexOf(Buffer.from([0xff, 0xc0]))
  const scan = copy.indexOf(Buffer.from([0xff, 0xda]))
  for (const [at, name] of Buffer.from(names).entries()) {
    copy[frame + 10 + 3 * at] = name
    copy[scan + 5 + 2 * at] = name
  }
  return copy
}

test('a malformed picture is refused, by sharp unless it can be decoded anyway', async (t) => {
  const jpeg = await plainJpeg()
  const frame = jpeg.indexOf(Buffer.from([0xff, 0xc0]))
  const scan = jpeg.indexOf(Buffer.from([0xff, 0xda]))
  // Tables of that kind become comments.
  const without = (code: number) =>
    Buffer.from(
      jpeg.toString('latin1').replaceAll(`\xff${String.fromCharCode(code)}\0`, '\xff\xfe\0'),
      'latin1',
    )
  const changed = (at: number, ...values: number[]) => {
    const copy = Buffer.from(jpeg)
    copy.set(values, at)
    return copy
  }
  const decodable = new Set(['a picture in a picture', 'a component twice'])
  const wrong: Record<string, Buffer> = {
    'two frames': Buffer.concat([
      jpeg.subarray(0, scan),
      jpeg.subarray(frame, frame + 19),
      jpeg.subarray(scan),
    ]),
    'an empty scan': Buffer.concat([jpeg.subarray(0, scan + 14), jpeg.subarray(-2)]),
    'no quantisation tables': without(0xdb),
    'no Huffman tables': without(0xc4),
    'a picture in a picture': Buffer.concat([jpeg.subarray(0, -2), jpeg]),
    'no end': jpeg.subarray(0, -2),
    'half an end': jpeg.subarray(0, -1),
    'the beginning only': jpeg.subarray(0, 3),
    'two components': changed(frame + 9, 2),
    'a component twice': renamed(jpeg, 'RRG'),
    'no sampling': changed(frame + 11, 0),
    lossless: changed(frame + 1, 0xc3),
    'twelve bits': changed(frame + 4, 12),
    'a segment without a length': changed(frame + 2, 0, 1),
    'a segment beyond the end': changed(frame + 2, 0xff, 0xff),
    'a scan of an unknown component': changed(scan + 5, 99),
  }
  for (const [title, bytes] of Object.entries(wrong)) {
    await t.throwsAsync(bare.toPreview(bytes), { code: 'ERR_IMAGE' }, title)
    if (decodable.has(title)) t.is((await withSharp.toPreview(bytes)).width, 32, title)
    else await t.throwsAsync(withSharp.toPreview(bytes), { code: 'ERR_IMAGE' }, title)
  }
  for (const code of [0xc5, 0xc9, 0xca, 0xcf])
    await t.throwsAsync(bare.toPreview(changed(frame + 1, code)), { code: 'ERR_IMAGE', message: /browsers/ })
})
