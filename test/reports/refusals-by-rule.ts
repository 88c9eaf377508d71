import sharp from 'sharp'
import { createImages } from '../../src/reports/preview/index.ts'
import { startIndex } from '../support/index-host.ts'
import { kirbyPage, startWeb } from '../support/web.ts'

/** Something that somebody tries, and what an index says to it. */
export interface Tried {
  readonly rule: 'identity' | 'exclusions' | 'pictures' | 'pictures without sharp'
  readonly what: string
  /** A code, or `taken`. */
  readonly expected: string
  readonly verdict: string
}

/** Tries the same website again by other names, websites that are kept out, and pictures that are not what they say. */
export async function tryRules(): Promise<Tried[]> {
  return [
    ...(await tryIdentity()),
    ...(await tryExclusions()),
    ...(await tryPictures('pictures', {})),
    ...(await tryPictures('pictures without sharp', { sharp: false })),
  ]
}

const home = kirbyPage('First', '<p>Bread from our own oven.</p>')
function canonical(url: string) {
  return kirbyPage('Again', '<p>Other words.</p>').replace(
    '<head>',
    `<head><link rel="canonical" href="${url}">`,
  )
}

async function tryIdentity(): Promise<Tried[]> {
  const web = await startWeb({
    'first.example': {
      '/': home,
      '/again': canonical('http://first.example/'),
      '/of-a-stranger': canonical('http://second.example/'),
      '/same': home,
      '/else': kirbyPage('Else', '<p>Nothing of the first.</p>'),
    },
    'second.example': { '/': kirbyPage('Second', '<p>The second.</p>') },
  })
  const index = await startIndex(web)
  try {
    const [ann, bob] = [await index.partner('ann'), await index.partner('bob')]
    for (const host of ['first.example', 'second.example']) await ann.add(`http://${host}/`)
    const cases: [string, string][] = [
      ...[
        '/?utm_source=x',
        '/?gclid=1&fbclid=2',
        '/index.php',
        '/%20',
        '/;x',
        '/#/',
        '//',
        '/a/../',
        '/again',
        '/same',
      ].map((path): [string, string] => [path, 'ERR_REPORT_EXISTS']),
      // Who names a stranger's address as its own does not take its place, nor is it refused for that.
      ['/of-a-stranger', 'taken'],
      ['/else', 'taken'],
    ]
    return await inOrder(cases, async ([path, expected]) => ({
      rule: 'identity',
      what: path,
      expected,
      verdict: await verdictOf(await bob.add(`http://first.example${path}`)),
    }))
  } finally {
    await index.close()
    await web.close()
  }
}

async function tryExclusions(): Promise<Tried[]> {
  const hosts = ['kept.example', 'shop.kept.example', 'unkept.example', 'axb.example', 'q.example']
  const page = (name: string) => kirbyPage(name, `<p>This is ${name}.</p>`)
  const web = await startWeb(
    Object.fromEntries(
      hosts.map((host) => [host, { '/': page(host), '/?p=1': page('1'), '/?p=2': page('2') }]),
    ),
  )
  const index = await startIndex(web)
  try {
    const bob = await index.partner('bob')
    for (const pattern of ['kept.example', 'a_b.example', 'http://q.example/?p=1'])
      await index.m.reports.operator.exclude(pattern, 'asked')
    const cases: [string, string][] = [
      ['http://kept.example/', 'ERR_SITE_EXCLUDED'],
      ['http://shop.kept.example/', 'ERR_SITE_EXCLUDED'],
      ['http://unkept.example/', 'taken'],
      ['http://axb.example/', 'taken'],
      ['http://q.example/?p=1', 'ERR_SITE_EXCLUDED'],
      ['http://q.example/?p=2', 'taken'],
    ]
    return await inOrder(cases, async ([url, expected]) => ({
      rule: 'exclusions',
      what: url,
      expected,
      verdict: await verdictOf(await bob.add(url)),
    }))
  } finally {
    await index.close()
    await web.close()
  }
}

function flat(width: number, height: number, progressive = false) {
  return sharp({ create: { width, height, channels: 3, background: '#c04020' } })
    .jpeg({ progressive })
    .toBuffer()
}

/** The same file, whose frame header says another size. */
async function declaring(jpeg: Buffer, width: number, height: number): Promise<Buffer> {
  const frame = jpeg.findIndex((byte, at) => byte === 0xff && [0xc0, 0xc2].includes(jpeg[at + 1]!))
  const other = Buffer.from(jpeg)
  other.writeUInt16BE(height, frame + 5)
  other.writeUInt16BE(width, frame + 7)
  return other
}

async function tryPictures(rule: Tried['rule'], options: { sharp?: false }): Promise<Tried[]> {
  const images = createImages(options)
  const plain = await flat(640, 480)
  const largest = options.sharp === false ? 'ERR_IMAGE' : 'taken'
  const cases: [string, Buffer, string][] = [
    ['640 × 480', plain, 'taken'],
    ['declared twice as high as it is', await declaring(plain, 640, 960), 'ERR_IMAGE'],
    ['declared 65 500 × 65 500', await declaring(plain, 65_500, 65_500), 'ERR_IMAGE'],
    ['25 megapixels', await flat(5000, 5000), largest],
    ['25.1 megapixels', await flat(5010, 5010), 'ERR_IMAGE'],
    ['progressive, 5 megapixels', await flat(2500, 2000, true), 'ERR_IMAGE'],
    ['cut in the middle', plain.subarray(0, plain.length / 2), 'ERR_IMAGE'],
    ['a PNG', await sharp(plain).png().toBuffer(), 'ERR_NOT_JPEG'],
  ]
  return inOrder(cases, async ([what, bytes, expected]) => ({
    rule,
    what,
    expected,
    verdict: await images.toPreview(bytes).then(
      () => 'taken',
      (error: { code?: string }) => error.code ?? String(error),
    ),
  }))
}

async function inOrder<T, R>(list: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const done: R[] = []
  for (const item of list) done.push(await work(item))
  return done
}

async function verdictOf(answer: Response): Promise<string> {
  const body = (await answer.json()) as { code?: string }
  return answer.status === 201 ? 'taken' : (body.code ?? String(answer.status))
}
