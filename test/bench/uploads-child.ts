// One process with an index whose uploads are attacked: it makes the pictures, serves, and says how large it became.
import { readFileSync, writeFileSync } from 'node:fs'
import sharp from 'sharp'
import { maxHeldBytes } from '../../src/reports/preview/limits.ts'
import { startIndex } from '../support/index-host.ts'
import { kirbyPage, startWeb } from '../support/web.ts'

function megabytes(field: string): number {
  return Number(new RegExp(`${field}:\\s+(\\d+)`).exec(readFileSync('/proc/self/status', 'utf8'))?.[1]) / 1024
}

function flat(width: number, height: number) {
  return sharp({ create: { width, height, channels: 3, background: '#c04020' } })
}
function fine(side: number) {
  const values = Buffer.alloc(side * side * 3)
  for (let at = 0; at < values.length; at += 1) values[at] = (((at / 3) % side) >> 5) * (1 + (at % 3))
  return sharp(values, { raw: { width: side, height: side, channels: 3 } })
}
// As many pixels as are taken where all of them have to be held: two bytes for each of their samples.
function heldSide(samplesPerPixel: number) {
  return Math.floor(Math.sqrt(maxHeldBytes / 2 / samplesPerPixel) / 16) * 16
}

const kinds: Record<string, () => Promise<Buffer>> = {
  small: () => flat(1280, 800).jpeg().toBuffer(),
  flat: () => flat(5000, 5000).jpeg().toBuffer(),
  fine: () => fine(5000).jpeg({ quality: 20 }).toBuffer(),
  progressive: () => fine(heldSide(1.5)).jpeg({ quality: 20, progressive: true }).toBuffer(),
  'progressive in full colour': () =>
    fine(heldSide(3)).jpeg({ quality: 20, progressive: true, chromaSubsampling: '4:4:4' }).toBuffer(),
}

async function serve() {
  const page = (title: string) => ({ '/': kirbyPage(title) })
  const web = await startWeb({ 'ann.example': page('Ann'), 'bob.example': page('Bob') })
  const index = await startIndex(web)
  const join = async (name: string) => {
    const partner = await index.partner(name)
    const answer = await partner.add(`http://${name}.example/`)
    const { data } = (await answer.json()) as { data: { id: string } }
    return { key: partner.key, id: data.id }
  }
  const partners = { ann: await join('ann'), bob: await join('bob') }
  process.on('message', (message) => {
    if (message === 'begin') writeFileSync('/proc/self/clear_refs', '5')
    process.send!({ idle: megabytes('VmRSS'), peak: megabytes('VmHWM') })
  })
  process.on('disconnect', () => process.exit())
  process.send!({ site: index.site, partners })
}

const [what, file, kind] = process.argv.slice(2)
if (what === 'make') writeFileSync(file!, await kinds[kind!]!())
else await serve()
