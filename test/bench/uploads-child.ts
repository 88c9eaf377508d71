// One process in which pictures are attacked; prints what it took as JSON.
import { readFileSync, writeFileSync } from 'node:fs'
import sharp from 'sharp'
import { createImages } from '../../src/reports/preview/index.ts'

const megabytes = (field: string): number =>
  Number(new RegExp(`${field}:\\s+(\\d+)`).exec(readFileSync('/proc/self/status', 'utf8'))?.[1]) / 1024

const flat = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 3, background: '#c04020' } })
    .jpeg()
    .toBuffer()
const fine = (side: number) => {
  const values = Buffer.alloc(side * side * 3)
  for (let at = 0; at < values.length; at += 1) values[at] = (((at / 3) % side) >> 5) * (1 + (at % 3))
  return sharp(values, { raw: { width: side, height: side, channels: 3 } })
    .jpeg({ quality: 20 })
    .toBuffer()
}

if (process.argv[2] === 'make') {
  writeFileSync(process.argv[3]!, await (process.argv[4] === 'flat' ? flat(5000, 5000) : fine(5000)))
} else {
  const large = readFileSync(process.argv[3]!)
  const images = createImages()
  const small = await flat(1280, 800)
  await images.toPreview(small, 'warm')
  const idle = megabytes('VmRSS')
  // Forgets the peak so far.
  writeFileSync('/proc/self/clear_refs', '5')
  const began = performance.now()
  const attack = Array.from({ length: 45 }, () => images.toPreview(large, 'ann').then(() => 1))
  await images.toPreview(small, 'bob')
  const otherMs = performance.now() - began
  const taken = (await Promise.allSettled(attack)).filter((one) => one.status === 'fulfilled').length
  const ms = performance.now() - began
  console.log(JSON.stringify({ idle, peak: megabytes('VmHWM') - idle, otherMs, ms, taken }))
}
