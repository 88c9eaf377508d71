import test from 'ava'
import sharp, { type Sharp } from 'sharp'
import { filePart, multipart } from '../../support/multipart.ts'
import { jpegCorpus, openServer, segmentsOf } from './support.ts'

const corpus = jpegCorpus()

// File, status with sharp, status without it (the same when left out), size as displayed. From what INDEX.tsv says:
// - truncated, corrupt or lacking a part: 422; no FF D8 FF at the start: 415; no bytes: 400.
// - Lossless (SOF3, 16 bits) and 12 bits: libvips decodes 8 bits only, browsers likewise.
// - Arithmetic coding: the libjpeg inside libvips reads it and it is stored as Huffman; without sharp it would be
//   stored as it is, and no browser shows it.
// - Compressed data beyond the picture: libjpeg passes over it; without sharp it is refused.
const expected: [file: string, sharp: number, bare?: number | null, size?: string][] = [
  ['empty--jpeg-decoder.jpg', 400],
  ['missing-frame-image-1410--jpeg-decoder.jpg', 422],
  ['missing-sof--jpeg-decoder.jpg', 422],
  ['missing-sos--jpeg-decoder.jpg', 422],
  ['max_size--jpeg-decoder.jpg', 422],
  ['null_height--jpeg-decoder.jpg', 422],
  ['invalid-dimensions--jpeg-decoder.jpg', 422],
  ['multiple-0xff-before-eoi--jpeg-decoder.jpg', 200, null, '640x480'],
  ['subtract-with-overflow--jpeg-decoder.jpg', 422],
  ['extraneous-data--jpeg-decoder.jpg', 200, 422, '16x16'],
  ['jpg-progressive--jpeg-decoder.jpg', 200, null, '32x32'],
  ['jpg-cmyk-1--jpeg-decoder.jpg', 200, null, '32x32'],
  ['jpg-gray--jpeg-decoder.jpg', 200, null, '32x32'],
  ['jpg-srgb-icc--jpeg-decoder.jpg', 200, null, '1x1'],
  ['jpg-size-1x1--jpeg-decoder.jpg', 200, null, '1x1'],
  ['jpg-size-6x6--jpeg-decoder.jpg', 415],
  ['rgb--jpeg-decoder.jpg', 200, null, '500x333'],
  ['restarts--jpeg-decoder.jpg', 200, null, '33x33'],
  ['16bit-qtables--jpeg-decoder.jpg', 200, null, '1x1'],
  ['partial_progressive--jpeg-decoder.jpg', 422],
  ['non-interleaved-mcu--jpeg-decoder.jpg', 200, null, '64x16'],
  ['jpeg_lossless_sel6--jpeg-decoder.jpg', 422],
  ['tower--jpeg-decoder.jpg', 200, null, '512x512'],
  ['large_image--jpeg-decoder.jpg', 413],
  ['icc_chunk_order--jpeg-decoder.jpg', 200, null, '1x1'],
  ['f012a4321f00f12af6b1eee7580ffb9c--jpeg-decoder.jpg', 415],
  ['28968137f4fc75fbf56f16d7a7a8551a--jpeg-decoder.jpg', 422],
  ['754664a12e36abff7950e796c906ae39--jpeg-decoder.jpg', 422],
  ['1cbb1bb37d62c44f67374cd451643dc4--jpeg-decoder.jpg', 422],
  ['monkey12--libjpeg-turbo.jpg', 422],
  ['testimgari--libjpeg-turbo.jpg', 200, 422, '227x149'],
  ['testorig--libjpeg-turbo.jpg', 200, null, '227x149'],
  ['renamed-png--libjpeg-turbo.jpg', 415],
  ['Portrait_6--sharp.jpg', 200, null, '450x600'],
  ['Landscape_3--sharp.jpg', 200, null, '600x450'],
  ['polyglot-jpeg+html.jpg', 200, null, '1x1'],
]

const codes: Record<number, string | undefined> = {
  400: 'ERR_UPLOAD',
  413: 'ERR_BODY_TOO_LARGE',
  415: 'ERR_NOT_JPEG',
  422: 'ERR_IMAGE',
}

const corpusTest = corpus ? test : test.skip

corpusTest('the table names every file of the collection', (t) => {
  t.deepEqual([...corpus!.keys()].sort(), expected.map(([file]) => file).sort())
})

for (const [hasSharp, name] of [
  [true, 'with sharp'],
  [false, 'without sharp'],
] as const)
  corpusTest(`${name} every odd JPEG gets its status, and nothing but the picture is left`, async (t) => {
    const server = await openServer(t, hasSharp ? {} : { sharp: false })
    for (const [file, decoded, bare, size] of expected) {
      const answer = await server.post(multipart([filePart(corpus!.get(file)!)]))
      const status = hasSharp ? decoded : (bare ?? decoded)
      t.is(answer.status, status, file)
      t.is(answer.code, codes[status], file)
      if (status !== 200) continue
      t.is(answer.size, size ?? '', file)
      t.true(answer.body.length < 204_800, file)
      const { segments, trailing } = segmentsOf(answer.body)
      t.is(trailing, 0, file)
      t.deepEqual(leftovers(segments, hasSharp), [], file)
      await t.notThrowsAsync(sharp(answer.body, { failOn: 'warning' }).raw().toBuffer(), file)
    }
  })

/** What is neither picture nor needed to show it: without sharp, the upper side is. */
function leftovers(segments: ReturnType<typeof segmentsOf>['segments'], hasSharp: boolean): string[] {
  return segments
    .filter(({ code }) => (code >= 0xe0 && code <= 0xef) || code === 0xfe)
    .filter(({ code, payload }) => {
      if (code === 0xe0) return payload.length !== 14 || payload.toString('latin1', 0, 5) !== 'JFIF\0'
      if (hasSharp) return true
      return code !== 0xe1 || payload.length !== 32
    })
    .map(({ code, payload }) => `${code.toString(16)} ${payload.toString('latin1', 0, 8)}`)
}

corpusTest('a portrait that lies on its side is stored upright', async (t) => {
  const original = corpus!.get('Portrait_6--sharp.jpg')!
  const upright = await thumb(sharp(original))
  t.true(distance(await thumb(sharp(original).flip()), upright) > 20)
  const stored = (await (await openServer(t)).post(multipart([filePart(original)]))).body
  t.is((await sharp(stored).metadata()).orientation, undefined)
  t.true(distance(await thumb(sharp(stored)), upright) < 4)

  // Its profile is gone, so it is compared without.
  const plain = await thumb(sharp(original, { ignoreIcc: true }))
  const bare = (await (await openServer(t, { sharp: false })).post(multipart([filePart(original)]))).body
  t.is((await sharp(bare).metadata()).orientation, 6)
  t.true(distance(await thumb(sharp(bare)), plain) < 1)
})

/** A picture as displayed, at 9 × 12 pixels. */
function thumb(picture: Sharp): Promise<Buffer> {
  return picture.rotate().resize(9, 12).raw().toBuffer()
}

/** The mean difference of two pictures' values. */
function distance(buffer: Buffer, other: Buffer): number {
  return buffer.reduce((sum, value, at) => sum + Math.abs(value - other[at]!), 0) / buffer.length
}

corpusTest('a CMYK picture becomes sRGB', async (t) => {
  const original = multipart([filePart(corpus!.get('jpg-cmyk-1--jpeg-decoder.jpg')!)])
  for (const options of [{}, { sharp: false } as const]) {
    const converted = await sharp((await (await openServer(t, options)).post(original)).body).metadata()
    t.is(converted.space, 'srgb')
    t.is(converted.channels, 3)
  }
})

corpusTest('without sharp the picture looks as it was sent', async (t) => {
  const server = await openServer(t, { sharp: false })
  for (const file of ['rgb--jpeg-decoder.jpg', 'testorig--libjpeg-turbo.jpg', 'polyglot-jpeg+html.jpg']) {
    const original = corpus!.get(file)!
    const { body } = await server.post(multipart([filePart(original)]))
    const shown = await sharp(original, { ignoreIcc: true }).raw().toBuffer()
    t.true(distance(await sharp(body).raw().toBuffer(), shown) < 4, file)
  }
})
