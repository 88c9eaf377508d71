import { createHash } from 'node:crypto'
import test from 'ava'
import sharp from 'sharp'
import { isMembershipError } from '../../../src/core/errors.ts'
import { createFairQueue } from '../../../src/reports/preview/images.ts'
import { createImages, previewHeaders } from '../../../src/reports/preview/index.ts'
import { noise, padded, plainJpeg, segmentsOf } from './support.ts'

const withSharp = createImages()
const bare = createImages({ sharp: false })
const both = [withSharp, bare]

/** Dark in one corner, so that every way of turning it shows. */
function corner(width: number, height: number) {
  return sharp(
    Buffer.from(Array.from({ length: width * height }, (_, at) => (at % width) * 4 + ((at / width) | 0) * 2)),
    { raw: { width, height, channels: 1 } },
  )
}

test('a stored picture is smaller than 204 800 bytes, whatever its content', async (t) => {
  for (const [width, height] of [
    [2000, 1500],
    [200, 9000],
  ] as const) {
    const jpeg = await noise(width, height).jpeg({ quality: 100 }).toBuffer()
    t.true(jpeg.length > 1_000_000)
    const preview = await withSharp.toPreview(jpeg)
    t.true(preview.bytes.length < 204_800)
    t.true(Math.abs(preview.width / preview.height - width / height) < 0.01)
    t.is((await sharp(preview.bytes).metadata()).width, preview.width)
    await t.throwsAsync(bare.toPreview(jpeg), { code: 'ERR_BODY_TOO_LARGE' })
  }
})

test('a picture that fits keeps its size in pixels', async (t) => {
  const { width, height } = await withSharp.toPreview(await plainJpeg(1700, 900))
  t.deepEqual([width, height], [1700, 900])
})

test('all eight orientations are displayed correctly', async (t) => {
  for (let orientation = 1; orientation <= 8; orientation += 1) {
    const jpeg = await corner(48, 24).withMetadata({ orientation }).jpeg({ quality: 100 }).toBuffer()
    const shown = await sharp(jpeg).rotate().greyscale().raw().toBuffer()
    for (const images of both) {
      const preview = await images.toPreview(jpeg)
      t.deepEqual(
        [preview.width, preview.height],
        orientation >= 5 ? [24, 48] : [48, 24],
        `orientation ${orientation}`,
      )
      const stored = await sharp(preview.bytes).rotate().greyscale().raw().toBuffer()
      t.true(Math.max(...stored.map((value, at) => Math.abs(value - shown[at]!))) < 12)
    }
  }
})

test('without sharp a broken EXIF block is ignored and removed', async (t) => {
  const plain = await plainJpeg(32, 24)
  const exif = (tiff: string) => {
    const payload = Buffer.from(`Exif\0\0${tiff}`, 'latin1')
    const length = payload.length + 2
    return Buffer.concat([
      plain.subarray(0, 2),
      Buffer.from([0xff, 0xe1, length >> 8, length & 255]),
      payload,
      plain.subarray(2),
    ])
  }
  const turned = [
    'II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0\x06\0\0\0\0\0\0\0',
    'MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\x06\0\0\0\0\0\0',
  ]
  for (const tiff of turned) {
    const { width, height, bytes } = await bare.toPreview(exif(tiff))
    t.deepEqual([width, height, (await sharp(bytes).metadata()).orientation], [24, 32, 6])
  }
  const broken = [
    '',
    'II*\0',
    'II*\0\xff\xff\xff\xff',
    'MM\0*\0\0\0\x08\xff\xff',
    'MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03',
    'MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\x09\0\0',
    'MM\0*\0\0\0\x08\0\x01\x01\x12\0\x04\0\0\0\x01\0\x06\0\0',
    'XX\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\x06\0\0',
  ]
  for (const tiff of broken) {
    const { width, bytes } = await bare.toPreview(exif(tiff))
    t.is(width, 32)
    t.false(segmentsOf(bytes).segments.some(({ code }) => code === 0xe1))
  }
})

test('location, profile, comments and trailing bytes are removed', async (t) => {
  const full = await sharp(await plainJpeg())
    .withExif({ IFD3: { GPSLatitude: '52/1 30/1 0/1' }, IFD0: { Copyright: 'secret-exif' } })
    .withIccProfile('p3')
    .jpeg()
    .toBuffer()
  const jpeg = Buffer.concat([padded(full, full.length + 500), Buffer.from('<script>secret-tail</script>')])
  t.true(jpeg.includes('secret-exif'))
  for (const images of both) {
    const { bytes } = await images.toPreview(jpeg)
    const { segments, trailing } = segmentsOf(bytes)
    t.is(trailing, 0)
    t.false(bytes.includes('secret'))
    t.deepEqual(
      segments.filter(({ code }) => (code > 0xe0 && code <= 0xef) || code === 0xfe),
      [],
    )
  }
})

test('25 million pixels are accepted and more are not', async (t) => {
  const jpeg = await plainJpeg(16, 16)
  const frame = jpeg.indexOf(Buffer.from([0xff, 0xc0]))
  const claiming = (width: number, height: number) => {
    const claim = Buffer.from(jpeg)
    claim.writeUInt16BE(height, frame + 5)
    claim.writeUInt16BE(width, frame + 7)
    return claim
  }
  for (const images of both) {
    const error = await t.throwsAsync(images.toPreview(claiming(5001, 5000)), { code: 'ERR_IMAGE' })
    t.regex(error.message, /more than 25000000/)
    // Declared larger than it is.
    await t.throwsAsync(images.toPreview(claiming(5000, 5000)), { code: 'ERR_IMAGE' })
    await t.throwsAsync(images.toPreview(claiming(32, 16)), { code: 'ERR_IMAGE' })
    await t.throwsAsync(images.toPreview(claiming(0, 16)), { code: 'ERR_IMAGE' })
    await t.throwsAsync(images.toPreview(claiming(65_535, 65_535)), { code: 'ERR_IMAGE' })
  }
  const { width, height } = await withSharp.toPreview(await plainJpeg(5000, 5000))
  t.is(width, height)
  t.true(width > 1400 && width * height <= 2_100_000)
  const error = await t.throwsAsync(bare.toPreview(await plainJpeg(5000, 5000)), { code: 'ERR_IMAGE' })
  t.true(isMembershipError(error) && error.action === 'npm install sharp')
})

test('without sharp nothing hidden in the compressed data is left', async (t) => {
  const jpeg = await noise(64, 48).jpeg().toBuffer()
  const secret = Buffer.from('<?php secret(); ?>'.repeat(20))
  const hidden = Buffer.concat([jpeg.subarray(0, -2), secret, jpeg.subarray(-2)])
  await t.throwsAsync(bare.toPreview(hidden), { code: 'ERR_IMAGE', message: /hidden in it/ })
  const smaller = Buffer.from(jpeg)
  smaller.writeUInt16BE(16, jpeg.indexOf(Buffer.from([0xff, 0xc0])) + 5)
  await t.throwsAsync(bare.toPreview(smaller), { code: 'ERR_IMAGE', message: /larger than its header says/ })
  // A byte or two is padding to some encoders; it is no part of what is stored.
  const fill = Buffer.concat([jpeg.subarray(0, -2), Buffer.from([0x53]), jpeg.subarray(-2)])
  const { bytes } = await bare.toPreview(fill)
  t.true(bytes.equals((await bare.toPreview(jpeg)).bytes))
})

test('a progressive picture that needs too much memory is refused', async (t) => {
  const held = sharp({ create: { width: 3000, height: 3000, channels: 3, background: '#c04020' } })
  const jpeg = await held.jpeg({ progressive: true }).toBuffer()
  await t.throwsAsync(withSharp.toPreview(jpeg), { code: 'ERR_IMAGE', message: /progressive/ })
  // As measured by the benchmark of uploads: 6.6 million of them took more than 200 MB.
  const flat = (width: number, height: number) =>
    sharp({ create: { width, height, channels: 3, background: '#808080' } }).jpeg({ progressive: true })
  const refusal = { code: 'ERR_IMAGE', message: /progressive/ }
  await t.throwsAsync(withSharp.toPreview(await flat(2500, 2000).toBuffer()), refusal)
  await t.notThrowsAsync(withSharp.toPreview(await flat(2560, 1600).toBuffer()))
})

test('a picture with more than a hundred scans is refused', async (t) => {
  const jpeg = await corner(48, 24).jpeg({ progressive: true }).toBuffer()
  const last = jpeg.lastIndexOf(Buffer.from([0xff, 0xda]))
  const scan = jpeg.subarray(last, -2)
  const repeated = Buffer.concat([jpeg.subarray(0, last), ...Array.from({ length: 101 }, () => scan)])
  for (const images of both)
    await t.throwsAsync(images.toPreview(Buffer.concat([repeated, jpeg.subarray(-2)])), { code: 'ERR_IMAGE' })
})

test('a screenshot becomes at most 1 280 pixels wide, from a PNG or WebP, too', async (t) => {
  const page = noise(2000, 600)
  const wide = [await page.jpeg().toBuffer(), await page.png().toBuffer(), await page.webp().toBuffer()]
  for (const shot of wide) {
    const preview = await withSharp.fromScreenshot(shot)
    t.true(preview.width <= 1280)
    t.true(preview.bytes.length < 204_800)
    t.is((await sharp(preview.bytes).metadata()).format, 'jpeg')
  }
  t.is((await withSharp.fromScreenshot(await plainJpeg(2560, 1000))).height, 500)
  t.is((await withSharp.fromScreenshot(await plainJpeg(640, 480))).width, 640)
})

test('transparency in a screenshot becomes white', async (t) => {
  const clear = { width: 8, height: 8, channels: 4, background: { r: 0, g: 0, b: 0, alpha: 0 } } as const
  const { bytes } = await withSharp.fromScreenshot(await sharp({ create: clear }).png().toBuffer())
  t.true((await sharp(bytes).raw().toBuffer()).every((value) => value > 250))
})

test('an unusable screenshot gets an error with the reason', async (t) => {
  const png = await noise(32, 32).png().toBuffer()
  const error = await t.throwsAsync(bare.fromScreenshot(png), { code: 'ERR_IMAGE' })
  t.true(isMembershipError(error) && error.action === 'npm install sharp')
  const large = await noise(1200, 900).jpeg({ quality: 95 }).toBuffer()
  await t.throwsAsync(bare.fromScreenshot(large), { code: 'ERR_IMAGE', message: /sharp/ })
  t.is((await bare.fromScreenshot(await plainJpeg())).width, 32)
  for (const images of both) {
    await t.throwsAsync(images.fromScreenshot(Buffer.alloc(8_388_609)), { code: 'ERR_BODY_TOO_LARGE' })
    await t.throwsAsync(images.fromScreenshot(Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>')), {
      code: 'ERR_NOT_JPEG',
    })
    await t.throwsAsync(images.fromScreenshot(Buffer.from('GIF89a')), { code: 'ERR_NOT_JPEG' })
  }
  await t.throwsAsync(withSharp.toPreview(png), { code: 'ERR_NOT_JPEG' })
  await t.throwsAsync(withSharp.fromScreenshot(png.subarray(0, -40)), { code: 'ERR_IMAGE' })
})

test('senders take turns, however much one of them sent', async (t) => {
  const takeTurn = createFairQueue({ atOnce: 1, waiting: 6, waitingEach: 5 })
  const order: string[] = []
  let running = 0
  const work = (sender: string) =>
    takeTurn(sender, async () => {
      t.is(++running, 1)
      await Promise.resolve()
      running--
      order.push(sender)
    })
  const ann = Promise.allSettled(Array.from({ length: 8 }, () => work('ann')))
  const others = Promise.allSettled(['bob', 'cay', 'bob'].map(work))
  const busy = (results: PromiseSettledResult<void>[]) =>
    results.map((result) => result.status === 'rejected' && isMembershipError(result.reason, 'ERR_BUSY'))
  // One is worked on and five wait; then the others need the room of two, and the newest of the most give it.
  t.deepEqual(busy(await ann), [false, false, false, false, true, true, true, true])
  t.deepEqual(busy(await others), [false, false, false])
  t.deepEqual(order, ['ann', 'ann', 'bob', 'cay', 'ann', 'bob', 'ann'])
})

test('a large picture waits for earlier large ones, a small one does not', async (t) => {
  const images = createImages()
  const done: string[] = []
  const [large, small] = [await plainJpeg(5000, 5000), await plainJpeg()]
  const note = (name: string, made: Promise<unknown>) => made.then(() => done.push(name))
  await Promise.all([
    ...Array.from({ length: 4 }, () => note('large', images.toPreview(large, 'ann'))),
    note('small', images.toPreview(small, 'bob')),
  ])
  t.is(done.length, 5)
  t.true(done.indexOf('small') < 2, done.join(' '))
  // A picture that fails gives its turn back.
  const broken = Buffer.from(small)
  broken.fill(0xff, broken.length - 12, broken.length - 2)
  for (let i = 0; i < 3; i++) await t.throwsAsync(images.toPreview(broken), { code: 'ERR_IMAGE' })
  t.is((await images.toPreview(small)).width, 32)
})

test('the etag is strong and of the bytes, and the headers let a browser show a picture only', async (t) => {
  const jpeg = await plainJpeg()
  for (const images of both) {
    const preview = await images.toPreview(jpeg)
    t.is(preview.etag, `"${createHash('sha256').update(preview.bytes).digest('base64url')}"`)
    t.is((await images.toPreview(jpeg)).etag, preview.etag)
    t.deepEqual(previewHeaders(preview), {
      'Content-Type': 'image/jpeg',
      'X-Content-Type-Options': 'nosniff',
      'Content-Disposition': 'inline',
      'Content-Security-Policy': "default-src 'none'; sandbox",
      'Cache-Control': 'public, max-age=31536000, immutable',
      ETag: preview.etag,
    })
  }
})
